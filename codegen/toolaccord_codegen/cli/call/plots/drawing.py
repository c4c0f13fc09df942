"""Drawings of charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar

from rich.console import RenderableType
from rich.text import Text

from toolaccord_codegen.cli.call.plots.charts import BarsChart, CandlesChart, Chart, Column, LinesChart
from toolaccord_codegen.cli.call.plots.values import NothingToDrawError, read_aligned, read_number, read_times
from toolaccord_codegen.diagnostics import escape_unprintable
from toolaccord_codegen.reporting.charts.bars import draw_bars
from toolaccord_codegen.reporting.charts.candles import Candle, draw_candles
from toolaccord_codegen.reporting.charts.curves import Curve, draw_curves

P = TypeVar("P", float, datetime)
_MOST_BARS = 50


def draw(chart: Chart, body: Any, size: tuple[int, int], *, has_colours: bool) -> Iterator[RenderableType]:
    """Yield the parts of a chart's drawing, which has a width and a height.

    Raises NothingToDrawError.
    """
    width, height = size
    if chart.title:
        yield Text(chart.title, style="bold")
    if isinstance(chart, CandlesChart):
        yield draw_candles(_read_candles(chart, body), width, height, has_hours=chart.time.format != "date")
    elif isinstance(chart, LinesChart):
        for curves in _group(chart, has_colours=has_colours):
            yield _draw_lines(chart.x, curves, body, width, height)
    else:
        yield from _draw_bars(chart, body, width)


def _group(chart: LinesChart, *, has_colours: bool) -> list[list[tuple[Column, bool, bool]]]:
    """Return the columns of each drawing of a chart, with whether they are areas and edges.

    Without colours nobody could tell several curves apart, so each has its drawing.
    """
    columns = [(each, False, True) for each in chart.edges]
    columns += [(each, True, False) for each in chart.areas]
    columns += [(each, False, False) for each in chart.lines]
    return [columns] if has_colours else [[each] for each in columns]


def _read_candles(chart: CandlesChart, body: Any) -> list[Candle]:
    columns = [chart.time, *chart.prices]
    times, *prices = read_aligned(columns, body)
    volumes = read_aligned([chart.time, chart.volume], body)[1] if chart.volume else [None] * len(times)
    candles = []
    for time, *numbers, volume in zip(read_times(times), *prices, volumes, strict=True):
        known = [number for each in numbers if (number := read_number(each)) is not None]
        if time is not None and len(known) == len(chart.prices):
            first, high, low, last = known
            candles.append(Candle(time=time, open=first, high=high, low=low, close=last, volume=read_number(volume)))
    if not candles:
        raise NothingToDrawError("the result has no candles")
    return sorted(candles, key=lambda each: each.time)


def _draw_lines(
    x: Column, curves: Sequence[tuple[Column, bool, bool]], body: Any, width: int, height: int
) -> RenderableType:
    xs, *ys = read_aligned([x, *(column for column, _, _ in curves)], body)
    placed = _order(read_times(xs)) if x.is_time else _order([*map(read_number, xs)])
    drawn = []
    for (column, is_filled, is_faint), values in zip(curves, ys, strict=True):
        numbers = [read_number(values[index]) for _, index in placed]
        if any(each is not None for each in numbers):
            drawn.append(Curve(name=column.label, values=numbers, is_filled=is_filled, is_faint=is_faint))
    if not drawn:
        names = ", ".join(column.label for column, _, _ in curves)
        raise NothingToDrawError(f"the result has no numbers of {names}")
    return draw_curves([place for place, _ in placed], drawn, width, height, has_hours=x.format != "date")


def _order(places: Sequence[P | None]) -> Sequence[tuple[P, int]]:
    """Return the known places in ascending order, each with its index."""
    return sorted((place, index) for index, place in enumerate(places) if place is not None)


def _draw_bars(chart: BarsChart, body: Any, width: int) -> Iterator[RenderableType]:
    labels, *columns = read_aligned([chart.label, *chart.values], body)
    for column, values in zip(chart.values, columns, strict=True):
        pairs = [
            (str(label), number)
            for label, value in zip(labels, values, strict=True)
            if (number := read_number(value)) is not None
        ]
        if not pairs:
            raise NothingToDrawError(f"the result has no numbers of {column.label}")
        shown = pairs[:_MOST_BARS]
        rest = f", the first {_MOST_BARS} of {len(pairs)}" if len(pairs) > _MOST_BARS else ""
        yield Text(f"{column.label}{rest}", style="dim")
        yield draw_bars([escape_unprintable(label) for label, _ in shown], [number for _, number in shown], width)
