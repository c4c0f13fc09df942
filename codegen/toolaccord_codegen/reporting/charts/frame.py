"""The frame of a chart on a terminal: the scale at its left, and the labels below it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor, isclose, log10
from typing import TypeAlias

from rich.text import Text

Cell: TypeAlias = tuple[str, str]
"""A character, and its style."""
Row: TypeAlias = list[Cell]

DIM = "dim"
GLYPHS = "│╷╵┃╻╹╽╿█▀▄▁▏⣿─┤┴"
"""Samples of the characters that drawings need."""
_LINES_A_TICK = 3
_STEPS = (1, 2, 2.5, 5, 10)
_WIDEST_PLAIN = 1e12
_UNITS = ((1e9, "G"), (1e6, "M"))
LARGEST, _SMALLEST = 1e300, 1e-200
"""Amounts whose sums, differences and ratios are finite."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The values from the bottom of a chart to its top, at most LARGEST."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Scale:
        """Return a scale that just has all *values*, and a height also for equal ones."""
        known = list(values)
        low, high = min(known), max(known)
        if not isclose(low, high, rel_tol=1e-12, abs_tol=_SMALLEST):
            return cls(low, high)
        margin = abs(low) / 100 if abs(low) > _SMALLEST else 1
        return cls(low - margin, high + margin)

    def place(self, value: float, steps: int) -> int:
        """Return the step of a value, from 0 at the bottom to *steps* - 1."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(round(share * (steps - 1)), 0), steps - 1)

    def list_ticks(self, most: int) -> list[float]:
        """Return round values on the scale, at least one."""
        step = _round_up((self.high - self.low) / most)
        first, last = ceil(self.low / step), floor(self.high / step)
        return [step * each for each in range(first, last + 1)] or [self.high]

    def measure(self, lines: int) -> int:
        """Return the columns at the left of a chart of *lines* lines."""
        return max(map(len, format_numbers(self.list_ticks(_count_ticks(lines))))) + len(" │")


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of a chart with a scale of its own."""

    rows: Sequence[Row]
    """Its lines, the highest first."""
    scale: Scale


def _round_up(value: float) -> float:
    """Return the smallest of 1, 2, 2.5 and 5 times a power of ten that is not below a *value*."""
    power = 10.0 ** floor(log10(value))
    return next(power * each for each in _STEPS if power * each >= value * (1 - 1e-9))


def format_numbers(values: Sequence[float]) -> list[str]:
    """Return numbers as texts with as many digits as tell neighbours apart, e.g. 2.5M."""
    largest = max(map(abs, values))
    for unit, sign in _UNITS:
        if unit <= largest < _WIDEST_PLAIN:
            texts = format_numbers([each / unit for each in values])
            return [f"{text}{sign}" if each else "0" for text, each in zip(texts, values, strict=True)]
    gap = min((abs(b - a) for a, b in itertools.pairwise(values) if a != b), default=largest) or 1
    if largest >= _WIDEST_PLAIN or gap < 1e-9:
        return [f"{each:.4g}" for each in values]
    digits = next((each for each in range(10) if isclose(gap, round(gap, each), rel_tol=1e-6)), 9)
    return [f"{each:,.{digits}f}" for each in values]


def format_number(value: float) -> str:
    """Return a number of six digits, e.g. 93,214.5."""
    if value and not 1e-4 <= abs(value) < _WIDEST_PLAIN:
        return f"{value:.4g}"
    digits = max(0, 5 - floor(log10(abs(value)))) if value else 0
    text = f"{value:,.{min(digits, 8)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_times(times: Sequence[datetime], *, has_hours: bool) -> list[str]:
    """Return times as short texts, without the part that all share, and dates without hours."""
    span = max(times) - min(times)
    if not has_hours or span > timedelta(days=14):
        form = "%Y-%m-%d"
    else:
        form = "%H:%M" if span < timedelta(days=1) else "%m-%d %H:%M"
    return [f"{each:{form}}" for each in times]


def format_time(time: datetime, *, has_hours: bool) -> str:
    """Return a time as a whole text, e.g. 2026-11-28 09:00 UTC."""
    zone = f" {time:%Z}" if time.tzinfo else ""
    return f"{time:%Y-%m-%d %H:%M}{zone}" if has_hours else f"{time:%Y-%m-%d}"


def frame(panes: Sequence[Pane], labels: Sequence[tuple[int, str]]) -> Text:
    """Return panes one above the other, in one frame.

    *labels* are the columns and texts of the horizontal axis; those without room are left out.
    """
    ticks = [_label_lines(each) for each in panes]
    left = max(len(text) for each in ticks for text in each.values())
    drawn = Text(no_wrap=True)
    for pane, texts in zip(panes, ticks, strict=True):
        for number, row in enumerate(pane.rows):
            drawn.append(f"{texts.get(number, ''):>{left}} {'┤' if number in texts else '│'}", style=DIM)
            _append(drawn, row)
            drawn.append("\n")
    return drawn.append_text(_draw_axis(left, max(len(row) for pane in panes for row in pane.rows), labels))


def _count_ticks(lines: int) -> int:
    return max(2, lines // _LINES_A_TICK)


def _label_lines(pane: Pane) -> dict[int, str]:
    """Return the round values of a pane's scale by the lines where they stand."""
    lines = len(pane.rows)
    ticks = pane.scale.list_ticks(_count_ticks(lines))
    places = (lines - 1 - pane.scale.place(tick, lines) for tick in ticks)
    return dict(zip(places, format_numbers(ticks), strict=True))


def _append(drawn: Text, row: Row) -> None:
    """Append the cells of a row, those of one style at once."""
    style, part = "", ""
    for char, its_style in row:
        if its_style != style:
            drawn.append(part, style=style)
            style, part = its_style, ""
        part += char
    drawn.append(part.rstrip(), style=style)


def _draw_axis(left: int, width: int, labels: Sequence[tuple[int, str]]) -> Text:
    """Return the horizontal axis with its labels, each from its column on."""
    axis, below = ["─"] * width, ""
    for column, text in labels:
        start = min(column, max(0, width - len(text)))
        if start < len(below) + (1 if below else 0):
            continue
        axis[column] = "┬"
        below = f"{below:<{start}}{text}"
    return Text(f"{'':>{left}} └{''.join(axis)}\n{'':>{left}}  {below}", style=DIM)
