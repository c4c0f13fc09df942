"""Value at risk by the delta-normal method with exponentially weighted returns.

The source is J.P. Morgan/Reuters, RiskMetrics - Technical Document, 4th edition (1996), chapters 5 (weights) and 6
(value at risk); see also P. Jorion, Value at Risk, 3rd edition (2006), chapters 9 and 10. The variance of a portfolio's
daily profit is

    s^2 = sum(decay^k * b_k^2) / sum(decay^k),    k = 0 ... DAYS - 1

where b_k is the profit that today's positions would have made k days ago: the sum of position values times returns.
Returns have the mean 0. This equals w'Cw with the weighted covariance matrix C of returns and position values w. Value
at risk is QUANTILE * s * sqrt(days): the square root of time scales it to longer horizons.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from handlers.platform.exposure import Position

DECAY = 0.94
"""RiskMetrics' decay factor for daily returns."""
DAYS = 74
"""Days of returns; older ones would have 1 % of all weight.

That is ln(0.01) / ln(DECAY) (RiskMetrics 1996, section 5.3).
"""
WEIGHTS = tuple(DECAY**age for age in range(DAYS))
"""The weight of each day, the newest first."""
QUANTILE = Decimal("1.6448536269514722")
"""The 95 % quantile of the standard normal distribution; RiskMetrics rounds it to 1.65."""


@dataclass(frozen=True, slots=True)
class ProfitVariance:
    """The variance of a portfolio's daily profit, as a function of a change of one position.

    With x more units it is `constant + 2 * linear * x + square * x^2`, in the portfolio's currency squared.
    """

    constant: Decimal
    linear: Decimal
    square: Decimal

    def squared_value_at_risk(self, change: Decimal, days: int) -> Decimal:
        """Return the square of the 95 % value at risk over *days* with *change* more units."""
        variance = self.constant + 2 * self.linear * change + self.square * change * change
        # Rounding of floats may leave a perfect hedge with a little less than nothing.
        return QUANTILE * QUANTILE * days * max(variance, Decimal(0))


def profit_variance(positions: Iterable[Position], ordered: Position) -> ProfitVariance:
    """Return the variance of the profit of *positions*, by further units of *ordered*."""
    held = [0.0] * DAYS
    for position in positions:
        value = float(position.value)
        for age, change in position.returns.items():
            held[age] += value * change
    price = float(ordered.price)
    unit = [price * ordered.returns.get(age, 0.0) for age in range(DAYS)]
    return ProfitVariance(_weighted_mean(held, held), _weighted_mean(held, unit), _weighted_mean(unit, unit))


def _weighted_mean(first: Sequence[float], second: Sequence[float]) -> Decimal:
    """Return the exponentially weighted mean of products, the newest first."""
    products = sum(weight * a * b for weight, a, b in zip(WEIGHTS, first, second, strict=True))
    return Decimal(repr(products / sum(WEIGHTS)))


def daily_returns(prices: Mapping[int, float]) -> dict[int, float]:
    """Return the returns of *prices* as fractions, by their age in days, of the last DAYS days.

    The ages of prices may have gaps. The return at an age compares its price with the one before it.
    """
    return {newer: prices[newer] / prices[older] - 1 for newer, older in pairwise(sorted(prices)) if newer < DAYS}
