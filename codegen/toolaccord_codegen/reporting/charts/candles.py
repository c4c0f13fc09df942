"""Candles on a terminal: a column each, in half lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from rich.console import Group
from rich.text import Text

from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.reporting.charts.frame import (
    DIM,
    Cell,
    Pane,
    Row,
    Scale,
    format_number,
    format_time,
    format_times,
    frame,
)

_WIDEST_STEP = 4
_SPACE_A_LABEL = 14
_VOLUME_LINES = 3
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_NOTHING, _WICK, _BODY = range(3)
_WICKS = " ╷╵│"
"""By the upper half times two plus the lower half."""
_RISING = {
    (_BODY, _BODY): "┃",
    (_BODY, _NOTHING): "╹",
    (_NOTHING, _BODY): "╻",
    (_WICK, _BODY): "╽",
    (_BODY, _WICK): "╿",
}
_FALLING = {
    (_BODY, _BODY): "█",
    (_BODY, _NOTHING): "▀",
    (_NOTHING, _BODY): "▄",
    (_WICK, _BODY): "▄",
    (_BODY, _WICK): "▀",
}
_UP, _DOWN = "green", "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candle:
    """The prices of a span of time."""

    time: datetime
    open: float
    high: float
    low: float
    close: float
    volume: float | None = None

    @property
    def is_rising(self) -> bool:
        """Return whether the price did not fall."""
        return self.close >= self.open


def draw_candles(candles: Sequence[Candle], width: int, height: int, *, has_hours: bool = True) -> Group:
    """Return a chart of candles, the oldest first.

    A rising one is a line, a falling one a block. Where there are more than columns, neighbours become one. At least
    one candle is needed.
    """
    scale = Scale.of(price for each in candles for price in (each.high, each.low, each.open, each.close))
    shown, each_of, room = _fit(candles, width, scale.measure(height))
    step = max(1, min(_WIDEST_STEP, room // len(shown)))
    panes = [Pane(_draw_prices(shown, scale, height, step), scale)]
    if _has_volumes(shown):
        panes.append(_draw_volumes(shown, step))
    times = format_times([each.time for each in shown], has_hours=has_hours)
    labels = [(index * step, times[index]) for index in range(0, len(shown), ceil(_SPACE_A_LABEL / step))]
    return Group(frame(panes, labels), _summarise(candles, each_of, has_hours=has_hours))


def _fit(candles: Sequence[Candle], width: int, left: int) -> tuple[Sequence[Candle], int, int]:
    """Return candles that fit beside *left* columns or more.

    With them come how many each stands for, and the columns that they have.
    """
    room = width - left
    each_of = ceil(len(candles) / room)
    shown = [_merge(candles[at : at + each_of]) for at in range(0, len(candles), each_of)]
    needed = _scale_volumes(shown).measure(_VOLUME_LINES) if _has_volumes(shown) else 0
    return _fit(candles, width, needed) if needed > left else (shown, each_of, room)


def _has_volumes(candles: Sequence[Candle]) -> bool:
    return any(each.volume for each in candles)


def _scale_volumes(candles: Sequence[Candle]) -> Scale:
    return Scale.of([0, *(each.volume or 0.0 for each in candles)])


def _merge(candles: Sequence[Candle]) -> Candle:
    """Return neighbours as one candle."""
    volumes = [each.volume for each in candles if each.volume is not None]
    return Candle(
        time=candles[0].time,
        open=candles[0].open,
        high=max(each.high for each in candles),
        low=min(each.low for each in candles),
        close=candles[-1].close,
        volume=sum(volumes) if volumes else None,
    )


def _draw_prices(candles: Sequence[Candle], scale: Scale, height: int, step: int) -> list[Row]:
    rows: list[Row] = [[] for _ in range(height)]
    for candle in candles:
        for row, cell in zip(rows, _draw_one(candle, scale, height), strict=True):
            row += [cell, *[(" ", "")] * (step - 1)]
    return rows


def _draw_one(candle: Candle, scale: Scale, height: int) -> list[Cell]:
    """Return the column of a candle, from above."""
    halves = [_NOTHING] * (2 * height)
    low, high = (scale.place(each, len(halves)) for each in (candle.low, candle.high))
    first, last = sorted(scale.place(each, len(halves)) for each in (candle.open, candle.close))
    for kind, start, end in ((_WICK, low, high), (_BODY, first, last)):
        halves[start : end + 1] = [kind] * (end + 1 - start)
    glyphs, style = (_RISING, _UP) if candle.is_rising else (_FALLING, _DOWN)
    pairs = zip(halves[1::2], halves[::2], strict=True)
    cells = [(glyphs.get((upper, lower)) or _WICKS[upper * 2 + lower], style) for upper, lower in pairs]
    return cells[::-1]


def _draw_volumes(candles: Sequence[Candle], step: int) -> Pane:
    """Return a bar for the volume of each candle."""
    scale = _scale_volumes(candles)
    levels = [ceil(max(each.volume or 0.0, 0.0) / scale.high * _VOLUME_LINES * 8) for each in candles]
    rows: list[Row] = []
    for line in reversed(range(_VOLUME_LINES)):
        row: Row = []
        for candle, level in zip(candles, levels, strict=True):
            char = _EIGHTHS[min(max(level - 8 * line, 0), 8)]
            row += [(char, _UP if candle.is_rising else _DOWN), *[(" ", "")] * (step - 1)]
        rows.append(row)
    return Pane(rows, scale)


def _summarise(candles: Sequence[Candle], each_of: int, *, has_hours: bool) -> Text:
    first, last = candles[0], candles[-1]
    merged = f", {each_of} in a column" if each_of > 1 else ""
    start, end = (format_time(each.time, has_hours=has_hours) for each in (first, last))
    change = f" ({last.close / first.open - 1:+.2%})" if first.open > 0 else ""
    low, high = min(each.low for each in candles), max(each.high for each in candles)
    prices = f"from {format_number(first.open)} to {format_number(last.close)}{change}"
    between = f"between {format_number(low)} and {format_number(high)}"
    return Text(f"{pluralise(len(candles), 'candle')}{merged}, {start} to {end}\n{prices}, {between}", style=DIM)
