"""Formulas of indicators in plain Python, for values oldest first."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise


def mean(values: Sequence[float]) -> float:
    return float(sum(map(Fraction, values)) / len(values))


def deviation(values: Sequence[float], freedom: int) -> float:
    """Return the square root of the sum of squares, divided by the count less *freedom*."""
    middle = sum(map(Fraction, values)) / len(values)
    return math.sqrt(sum((Fraction(value) - middle) ** 2 for value in values) / (len(values) - freedom))


def ema(values: Sequence[float], period: int) -> list[float]:
    """Return the averages from the *period*-th value on."""
    found = [mean(values[:period])]
    for value in values[period:]:
        found.append(value * 2 / (period + 1) + found[-1] * (period - 1) / (period + 1))
    return found


def wilder(values: Sequence[float], period: int) -> float:
    """Return Wilder's average, which starts with the mean of the first *period* values."""
    average = mean(values[:period])
    for value in values[period:]:
        average = ((period - 1) * average + value) / period
    return average


def rsi(values: Sequence[float], period: int = 14) -> float:
    """Return Wilder's index of the rises and falls."""
    changes = [after - before for before, after in pairwise(values)]
    up, down = (wilder([max(sign * change, 0) for change in changes], period) for sign in (1, -1))
    return 100 - 100 / (1 + up / down) if down else 100.0


def atr(bars: Sequence[tuple[float, float, float]], period: int) -> float:
    """Return Wilder's average of the true ranges, of bars of high, low and close."""
    ranges = [max(high, close) - min(low, close) for (_, _, close), (high, low, _) in pairwise(bars)]
    return wilder(ranges, period)


def macd(values: Sequence[float]) -> tuple[float, float, float]:
    slow, fast = ema(values, 26), ema(values[14:], 12)
    line = [quick - lazy for quick, lazy in zip(fast, slow, strict=True)]
    signal = ema(line, 9)[-1]
    return line[-1], signal, line[-1] - signal
