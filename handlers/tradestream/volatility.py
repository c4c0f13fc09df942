"""Measures of volatility."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, pstdev

from handlers.candles.store import Bar

ATR_BARS = 14
"""Wilder's period."""


def deviation_of_returns(bars: Iterable[Bar]) -> float:
    """Return the population standard deviation of the simple close-to-close returns.

    It is a fraction. There must be two bars at least.
    """
    return pstdev(after.close / before.close - 1 for before, after in pairwise(bars))


def average_true_range(bars: Sequence[Bar], count: int = ATR_BARS) -> float:
    """Return Wilder's average true range of at least *count* + 1 bars, in the unit of the price.

    The first average is the mean of *count* ranges; each later range moves it by one *count*-th of the difference.
    """
    ranges = [true_range(before.close, after) for before, after in pairwise(bars)]
    average = fmean(ranges[:count])
    for each in ranges[count:]:
        average += (each - average) / count
    return average


def true_range(before: float, bar: Bar) -> float:
    """Return the true range of *bar* after the close *before* (Wilder 1978)."""
    return max(bar.high, before) - min(bar.low, before)


def high_low_range(bars: Iterable[Bar]) -> float:
    """Return the difference of the highest high and the lowest low."""
    highs, lows = zip(*((bar.high, bar.low) for bar in bars), strict=True)
    return float(max(highs) - min(lows))
