"""How much a price moves."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, pstdev

from handlers.tradestream.candles import Bar

ATR_BARS = 14
"""Wilder's period."""


def deviation_of_returns(bars: Iterable[Bar]) -> float:
    """The population standard deviation of the simple returns from close to close, as a fraction; from two bars on."""
    return pstdev(after.close / before.close - 1 for before, after in pairwise(bars))


def average_true_range(bars: Sequence[Bar], count: int = ATR_BARS) -> float:
    """Wilder's average of the true ranges, in the unit of the price; from *count* + 1 bars on.

    The first average is the mean of *count* ranges; each later range moves it by one *count*-th of the difference.
    """
    ranges = [true_range(before.close, after) for before, after in pairwise(bars)]
    average = fmean(ranges[:count])
    for each in ranges[count:]:
        average += (each - average) / count
    return average


def true_range(before: float, bar: Bar) -> float:
    """How far the price went since the close *before*."""
    return max(bar.high, before) - min(bar.low, before)


def high_low_range(bars: Iterable[Bar]) -> float:
    """From the lowest low to the highest high."""
    highs, lows = zip(*((bar.high, bar.low) for bar in bars), strict=True)
    return float(max(highs) - min(lows))
