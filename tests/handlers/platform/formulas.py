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


def rsi(values: Sequence[float]) -> float:
    """Return Wilder's index by his smoothing: (13 * average + change) / 14."""
    changes = [after - before for before, after in pairwise(values)]
    up, down = ([max(side * change, 0) for change in changes] for side in (1, -1))
    averages = []
    for side in (up, down):
        average = mean(side[:14])
        for change in side[14:]:
            average = (13 * average + change) / 14
        averages.append(average)
    return 100 - 100 / (1 + averages[0] / averages[1]) if averages[1] else 100.0


def macd(values: Sequence[float]) -> tuple[float, float, float]:
    slow, fast = ema(values, 26), ema(values[14:], 12)
    line = [quick - lazy for quick, lazy in zip(fast, slow, strict=True)]
    signal = ema(line, 9)[-1]
    return line[-1], signal, line[-1] - signal
