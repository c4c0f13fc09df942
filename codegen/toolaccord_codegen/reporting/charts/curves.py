"""Curves on a terminal, in dots of Braille: two in a column, and four in a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from rich.console import Group
from rich.text import Text

from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.reporting.charts.frame import (
    DIM,
    Pane,
    Row,
    Scale,
    format_number,
    format_numbers,
    format_time,
    format_times,
    frame,
)

Place: TypeAlias = float | datetime
"""A value of the horizontal axis."""
Dot: TypeAlias = tuple[int, int]
"""A column of dots from the left, and a line of dots from below."""

COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
_BLANK = 0x2800
_DOTS = ((0x40, 0x80), (0x04, 0x20), (0x02, 0x10), (0x01, 0x08))
"""Bits of a character's dots, from below; left and right."""
_COLUMN_DOTS, _LINE_DOTS = 2, 4
_SPACE_A_LABEL = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Values along the horizontal axis."""

    name: str
    values: Sequence[float | None]
    """The value at each place; None where there is none."""
    is_filled: bool = False
    """True for an area down to zero."""
    is_faint: bool = False
    """True for the edge of a band."""

    @property
    def known(self) -> list[float]:
        """The values that there are."""
        return [each for each in self.values if each is not None]


def draw_curves(
    places: Sequence[Place], curves: Sequence[Curve], width: int, height: int, *, has_hours: bool = True
) -> Group:
    """Return a chart of curves on one scale; the *places* ascend.

    Each curve has a value at least. A legend with the last, the lowest and the highest value is below.
    """
    values = [value for each in curves for value in each.known]
    scale = Scale.of([*values, 0.0] if any(each.is_filled for each in curves) else values)
    columns = width - scale.measure(height)
    positions = [*map(_position, places)]
    across = Scale.of(positions)
    dots: dict[Dot, str] = {}
    for curve, style in zip(curves, _styles(curves), strict=True):
        for dot in _list_dots(positions, curve, across, scale, (columns * _COLUMN_DOTS, height * _LINE_DOTS)):
            dots[dot] = style
    rows = _draw_rows(dots, columns, height)
    legend = [_describe(curve, style) for curve, style in zip(curves, _styles(curves), strict=True)]
    labels = _label(places, across, columns, has_hours=has_hours)
    return Group(frame([Pane(rows, scale)], labels), _describe_axis(places, has_hours=has_hours), *legend)


def _position(place: Place) -> float:
    """Return a place as a number; a time without a zone is one of UTC."""
    if not isinstance(place, datetime):
        return place
    return (place if place.tzinfo else place.replace(tzinfo=UTC)).timestamp()


def _styles(curves: Sequence[Curve]) -> list[str]:
    return [DIM if each.is_faint else COLOURS[number % len(COLOURS)] for number, each in enumerate(curves)]


def _list_dots(
    positions: Sequence[float], curve: Curve, across: Scale, scale: Scale, size: tuple[int, int]
) -> Iterator[Dot]:
    """Yield the dots of a curve, without those between a value and one that is missing."""
    columns, lines = size
    before: Dot | None = None
    zero = scale.place(0.0, lines)
    for position, value in zip(positions, curve.values, strict=True):
        if value is None:
            before = None
            continue
        dot = across.place(position, columns), scale.place(value, lines)
        for column, line in _list_between(before or dot, dot):
            yield column, line
            if curve.is_filled:
                yield from ((column, each) for each in range(*sorted((line, zero))))
        before = dot


def _list_between(start: Dot, end: Dot) -> Iterator[Dot]:
    """Yield the dots of a straight line, its ends included."""
    (x, y), (right, top) = start, end
    steps = max(abs(right - x), abs(top - y)) or 1
    for step in range(steps + 1):
        yield x + round((right - x) * step / steps), y + round((top - y) * step / steps)


def _draw_rows(dots: dict[Dot, str], columns: int, height: int) -> list[Row]:
    """Return lines of characters, the highest first; the last curve gives a character its style."""
    bits = [[0] * columns for _ in range(height)]
    styles = [[""] * columns for _ in range(height)]
    for (x, y), style in dots.items():
        column, line = x // _COLUMN_DOTS, height - 1 - y // _LINE_DOTS
        bits[line][column] |= _DOTS[y % _LINE_DOTS][x % _COLUMN_DOTS]
        styles[line][column] = style
    return [
        [(chr(_BLANK + bit) if bit else " ", style) for bit, style in zip(*each, strict=True)]
        for each in zip(bits, styles, strict=True)
    ]


def _label(places: Sequence[Place], across: Scale, columns: int, *, has_hours: bool) -> list[tuple[int, str]]:
    """Return labels at even distances, each the nearest place at or after its column."""
    count = max(2, columns // _SPACE_A_LABEL)
    found: dict[int, Place] = {}
    wanted = [columns * each // count for each in range(count)]
    for place in places:
        column = across.place(_position(place), columns)
        while wanted and column >= wanted[0]:
            wanted.pop(0)
            found[column] = place
    times = [each for each in found.values() if isinstance(each, datetime)]
    numbers = [each for each in found.values() if not isinstance(each, datetime)]
    texts = format_times(times, has_hours=has_hours) if times else format_numbers(numbers)
    return list(zip(found, texts, strict=True))


def _describe_axis(places: Sequence[Place], *, has_hours: bool) -> Text:
    ends = [
        format_time(each, has_hours=has_hours) if isinstance(each, datetime) else format_number(each)
        for each in (places[0], places[-1])
    ]
    return Text(f"{pluralise(len(places), 'value')}, {ends[0]} to {ends[1]}", style=DIM)


def _describe(curve: Curve, style: str) -> Text:
    """Return a line of the legend."""
    low, high = format_number(min(curve.known)), format_number(max(curve.known))
    figures = f"  last {format_number(curve.known[-1])}, between {low} and {high}"
    return Text.assemble(("⣀ ", style), curve.name, (figures, DIM))
