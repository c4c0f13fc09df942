"""Candles as a table for people: prices, volume, and a drawing of each."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.table import Table
from rich.text import Text

Candle = Mapping[str, Any]
PRICES = ("open", "high", "low", "close")
CELLS = 16
"""The width of a drawing."""
UP, DOWN = "green", "red"


def draw_candles(candles: Sequence[Candle]) -> Table:
    """Return a row for each candle, the oldest first: its range is a line, open to close a bar."""
    shown = Table.grid(padding=(0, 2))
    for name in ("UTC", *PRICES, "volume"):
        shown.add_column(justify="left" if name == "UTC" else "right", no_wrap=True)
    shown.add_row(*(Text(name, style="dim") for name in ("UTC", *PRICES, "volume", "low to high")))
    lowest, highest = min(each["low"] for each in candles), max(each["high"] for each in candles)
    for candle in candles:
        time = datetime.fromisoformat(candle["timestamp"])
        prices = (f"{candle[name]:,.2f}" for name in PRICES)
        shown.add_row(f"{time:%H:%M}", *prices, f"{candle['volume']:,.0f}", _draw(candle, lowest, highest))
    return shown


def _draw(candle: Candle, lowest: float, highest: float) -> Text:
    """Return a candle that lies on its side, on a scale from *lowest* to *highest*."""

    def place(price: float) -> int:
        return round((price - lowest) / ((highest - lowest) or 1) * (CELLS - 1))

    first, last = sorted((place(candle["open"]), place(candle["close"])))
    low, high = place(candle["low"]), place(candle["high"])
    cells = ("█" if first <= cell <= last else "─" if low <= cell <= high else " " for cell in range(CELLS))
    return Text("".join(cells), style=UP if candle["close"] >= candle["open"] else DOWN)
