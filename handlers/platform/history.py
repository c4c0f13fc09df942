"""Daily prices of an instrument, and what value at risk needs of them.

A price changes once in a while, and every check of an order needs it. So histories and their returns are remembered.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from operator import mul

DECAY = 0.94
"""RiskMetrics' decay factor for daily returns."""
DAYS = 74
"""Days of returns; older ones would have 1 % of all weight.

That is ln(0.01) / ln(DECAY) (RiskMetrics 1996, section 5.3).
"""
WEIGHTS = tuple(DECAY**age for age in range(DAYS))
"""The weight of each return, the newest first."""
TOTAL_WEIGHTS = tuple(accumulate(WEIGHTS, initial=0.0))
"""The weight of as many returns as the index says."""
_HISTORIES = 512
"""Histories that are remembered, of 12 KB each."""
_RETURNS = 2048
"""Returns over shared days that are remembered, of 3 KB each."""


@dataclass(frozen=True, eq=False)
class History:
    """The daily prices of one instrument; each is equal to itself alone."""

    prices: Mapping[int, float]
    """Prices of one unit by their age in days; a day without trading has none."""

    @cached_property
    def days(self) -> tuple[int, ...]:
        """The ages of the prices in days, the newest first."""
        return tuple(sorted(self.prices))

    @cached_property
    def returns(self) -> Sequence[float]:
        """The returns between the days as fractions, the newest first."""
        return self._returns(self.days)

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the returns."""
        return deviation(self.returns)

    @lru_cache(maxsize=_RETURNS)  # noqa: B019 - bounded, and a history is small
    def returns_over(self, days: tuple[int, ...]) -> Sequence[float]:
        """Return the returns between *days*, with the deviation of the returns of all days.

        All are 0 for an instrument that moves between those days only.
        """
        if len(days) == len(self.days):
            return self.returns
        shared = self._returns(days)
        shared_deviation = deviation(shared)
        if shared_deviation == 0:
            return shared
        return [change * (self.deviation / shared_deviation) for change in shared]

    def variance_apart(self, days: tuple[int, ...]) -> float:
        """Return the variance of an instrument that moves between *days* only, apart from others.

        It is 0 for any other, whose variance is that of its returns over *days*.
        """
        return 0.0 if any(self.returns_over(days)) else self.deviation**2

    def _returns(self, days: Sequence[int]) -> Sequence[float]:
        prices = [self.prices[day] for day in days]
        return [newer / older - 1 for newer, older in pairwise(prices)]


@lru_cache(maxsize=_HISTORIES)
def read_history(text: str) -> tuple[History, Decimal]:
    """Return the history in *text*, and its newest price.

    The text has an age in days and a price for each day, such as `0 1.1,1 1.09`, in any order.
    """
    texts = {int(age): price for age, price in (each.split(" ") for each in text.split(","))}
    return History({age: float(price) for age, price in texts.items()}), Decimal(texts[min(texts)])


def deviation(returns: Sequence[float]) -> float:
    """Return the exponentially weighted standard deviation of *returns*, the newest first."""
    return math.sqrt(weighted_mean(returns, returns))


def weighted_mean(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the exponentially weighted mean of products, the newest first."""
    total: float = sum(map(mul, map(mul, WEIGHTS, first), second))
    return total / TOTAL_WEIGHTS[len(first)]
