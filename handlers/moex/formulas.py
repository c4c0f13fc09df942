"""The metrics of the tools, by the formulas in the contract.

A metric is None where the data do not suffice.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import pairwise

from handlers.moex.tables import Number

BARS_A_YEAR = {"1d": 252, "1h": 252 * 17}
"""The bars of a year, by which volatility is annualised.

There are 252 trading days. Each has 17 hours, since there are a morning and an evening session.
"""
MIN_RETURNS = 2


def intraday_volatility_estimate(opened: Number | None, high: Number | None, low: Number | None) -> float | None:
    """Return the range of the day in percent of its opening price."""
    if high is None or low is None or not opened:
        return None
    return (high - low) / opened * 100


def total_return_pct(closes: Sequence[Number]) -> float | None:
    """Return the change from the first close to the last, in percent; None without two closes."""
    if len(closes) <= 1 or closes[0] <= 0:
        return None
    return (closes[-1] / closes[0] - 1) * 100


def annualized_volatility(closes: Sequence[Number], interval: str) -> float | None:
    """Return the sample standard deviation of the logarithmic returns, in percent a year.

    It needs three closes, and is None without them.
    """
    if len(closes) <= MIN_RETURNS or min(closes) <= 0:
        return None
    returns = [math.log(later / earlier) for earlier, later in pairwise(closes)]
    mean = math.fsum(returns) / len(returns)
    variance = math.fsum((each - mean) ** 2 for each in returns) / (len(returns) - 1)
    return math.sqrt(variance * BARS_A_YEAR[interval]) * 100


def avg_daily_volume(volumes: Iterable[tuple[date, Number | None]]) -> Number | None:
    """Return the mean volume of a day, in shares, from the day and the volume of each bar."""
    days: dict[date, Number] = defaultdict(int)
    for day, volume in volumes:
        if volume is not None:
            days[day] += volume
    return sum(days.values()) / len(days) if days else None


def top_weight_pct(weights: Iterable[Number], count: int) -> float:
    """Return the sum of the *count* largest weights, in percent."""
    return math.fsum(sorted(weights, reverse=True)[:count])
