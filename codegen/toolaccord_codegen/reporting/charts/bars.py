"""Bars on a terminal: a line each, in eighths of a column."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from rich.text import Text

from toolaccord_codegen.reporting.charts.frame import DIM, format_number

_EIGHTHS = " ▏▎▍▌▋▊▉"
_WIDEST_LABEL = 24
_GAP = 2
_GOOD, _BAD = "green", "red"


def draw_bars(labels: Sequence[str], values: Sequence[float], width: int) -> Text:
    """Return a line for each value: its label, its bar from zero on, and the value.

    Bars of negative values are red, begin at the same column, and have a minus sign before their value.
    """
    texts = [format_number(each) for each in values]
    left = min(_WIDEST_LABEL, max(map(len, labels)))
    room = max(1, width - left - max(map(len, texts)) - 2 * _GAP)
    longest = max(map(abs, values)) or 1.0
    drawn = Text(no_wrap=True)
    for label, value, text in zip(labels, values, texts, strict=True):
        name = label if len(label) <= left else f"{label[: left - 1]}…"
        eighths = floor(abs(value) / longest * room * 8)
        bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
        drawn.append(f"{name:<{left + _GAP}}").append(bar, style=_BAD if value < 0 else _GOOD)
        drawn.append(f" {text}\n", style=DIM)
    drawn.rstrip()
    return drawn
