"""Value at risk by the delta-normal method with exponentially weighted returns.

The source is J.P. Morgan/Reuters, RiskMetrics - Technical Document, 4th edition (1996), chapters 5 (weights) and 6
(value at risk); see also P. Jorion, Value at Risk, 3rd edition (2006), chapters 9 and 10. Value at risk is
QUANTILE * sqrt(w'Cw * days) for the position values w and the covariances C of daily returns, whose mean is 0. The
square root of time scales it to longer horizons.

The days of an instrument are those with a price: seven a week for BTC/USD, five for EURUSD. Its deviation is

    s^2 = sum(decay^k * r_k^2) / sum(decay^k),    k = 0 ... DAYS - 1

over its own newest days. Instruments correlate over the days that all of them share: what moved one of them on the
days between belongs to the next shared day. So C has the deviations of the instruments and the correlations of shared
days, and with equal days it is the usual weighted covariance matrix.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from handlers.platform.exposure import Position
from handlers.platform.history import weighted_mean

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


def profit_variance(positions: Sequence[Position], ordered: Position) -> ProfitVariance:
    """Return the variance of the profit of *positions*, by further units of *ordered*.

    That is one of the positions. They share two days with prices at least.
    """
    days = shared_days(positions)
    held, apart = [0.0] * (len(days) - 1), 0.0
    for position in positions:
        value = float(position.value)
        if value:
            changes = position.history.returns_over(days)
            held = [profit + value * change for profit, change in zip(held, changes, strict=True)]
            apart += value * value * position.history.variance_apart(days)
    price, own = float(ordered.price), ordered.history.variance_apart(days)
    unit = [price * change for change in ordered.history.returns_over(days)]
    means = (
        weighted_mean(held, held) + apart,
        weighted_mean(held, unit) + float(ordered.value) * price * own,
        weighted_mean(unit, unit) + price * price * own,
    )
    return ProfitVariance(*(Decimal(repr(mean)) for mean in means))


def shared_days(positions: Iterable[Position]) -> tuple[int, ...]:
    """Return the ages in days at which all *positions* have a price, the newest first."""
    first, *others = {position.history.days for position in positions}
    return tuple(sorted(set(first).intersection(*others))) if others else first
