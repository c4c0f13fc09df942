"""Candles as columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandbox.backtester.errors import BadCandlesError

if TYPE_CHECKING:
    from generated.tradestream.backtester_pb2 import Candle  # slow to import, and the sample data need none

Numbers: TypeAlias = NDArray[np.float64]
"""A number for each candle; NaN where there is none."""
Flags: TypeAlias = NDArray[np.bool_]
"""A boolean for each candle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Candles, the oldest first."""

    open: Numbers
    high: Numbers
    low: Numbers
    close: Numbers
    volume: Numbers
    minutes: int
    """The time from one candle to the next, where none is missing; 1 for a single candle."""

    def __len__(self) -> int:
        """Return the number of candles."""
        return len(self.close)


def to_bars(candles: Sequence[Candle]) -> Bars:
    """Return *candles* as columns. Raises BadCandlesError."""
    # One pass, number by number: protobuf makes an object at each access to a candle.
    numbers = (number for candle in candles for number in _numbers(candle))
    table = np.fromiter(numbers, np.float64, 6 * len(candles)).reshape(-1, 6).T
    seconds, opened, high, low, close, volume = np.ascontiguousarray(table)
    steps = np.diff(seconds)
    if (steps <= 0).any():
        raise BadCandlesError("each candle must begin later than the one before")
    if not (np.isfinite(table).all() and (table[1:5] > 0).all() and (volume >= 0).all()):
        raise BadCandlesError("prices must be positive numbers, and volumes not negative")
    minutes = max(1, int(steps.min()) // 60) if len(candles) > 1 else 1
    return Bars(open=opened, high=high, low=low, close=close, volume=volume, minutes=minutes)


def _numbers(candle: Candle) -> tuple[float, ...]:
    return candle.timestamp.seconds, candle.open, candle.high, candle.low, candle.close, candle.volume
