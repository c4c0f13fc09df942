"""The limits of a portfolio, checked against an order, in exact decimal arithmetic.

An order violates a limit if it would bring the limited value above the threshold, and above its value without the
order. An order that reduces a value is therefore never rejected for it, even if the value stays above its threshold.

Each value, as a function of the ordered quantity, falls at most once and then rises. So the quantities that violate
nothing are all those up to a largest one, which a bisection finds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cached_property
from typing import TypeAlias

from handlers.platform.exposure import Position, concentration, gross_exposure
from handlers.platform.value_at_risk import ProfitVariance, profit_variance

EXACT = Context(prec=100)
"""Enough digits for exact sums and products of quantities and prices."""
LARGEST_QUANTITY = Decimal(10**12)
"""The contract's maximum of `quantity`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit of a portfolio."""

    rule_name: str
    limit_type: str
    """One of the keys of MEASURES."""
    threshold: Decimal
    """The largest value: units, an amount in the portfolio's currency, or a fraction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order for an instrument."""

    symbol: str
    quantity: float
    """Units, above 0."""
    sign: int
    """1 for an order that adds units to the position, -1 for one that takes them away."""
    days: int
    """Days over which value at risk is measured."""
    step: Decimal
    """The smallest difference of two quantities that can be traded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLimit:
    """A limit and its value with the order executed."""

    limit: Limit
    value: Decimal
    violated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The result of checking an order; amounts are in the portfolio's currency."""

    checked: Sequence[CheckedLimit]
    max_quantity: float
    """The largest multiple of the order's step that violates no limit, from 0."""
    utilization: float
    """The largest share of a limit that is used with the order, from 0 to 1."""
    concentration: float
    """The instrument's share of gross exposure with the order, from 0 to 1."""
    exposure: float
    """Gross exposure with the order."""
    var_impact: float
    """Value at risk with the order, less that without it."""

    @property
    def allowed(self) -> bool:
        """True if the order violates no limit."""
        return not any(each.violated for each in self.checked)


@dataclass(frozen=True)
class Portfolio:
    """A portfolio as seen by an order: the ordered position, and all others in sum."""

    positions: Sequence[Position]
    """All positions, that of the order's instrument included, even if it is 0."""
    order: Order

    @cached_property
    def ordered(self) -> Position:
        """The position that the order changes."""
        return next(each for each in self.positions if each.symbol == self.order.symbol)

    @cached_property
    def others(self) -> Decimal:
        """Gross exposure in all other instruments."""
        return gross_exposure(each for each in self.positions if each is not self.ordered)

    @cached_property
    def correlated(self) -> Decimal:
        """Gross exposure in the other instruments of the ordered one's group."""
        group = self.ordered.group
        others = (each for each in self.positions if each is not self.ordered)
        return gross_exposure(each for each in others if group is not None and each.group == group)

    @cached_property
    def variance(self) -> ProfitVariance:
        """The variance of the daily profit, by a change of the ordered position."""
        return profit_variance(self.positions, self.ordered)

    def units(self, change: Decimal) -> Decimal:
        """Return the absolute units of the ordered instrument after *change*."""
        return abs(self.ordered.quantity + change)

    def exposure(self, change: Decimal) -> Decimal:
        """Return the exposure in the ordered instrument after *change*."""
        return self.units(change) * self.ordered.price

    def concentration(self, change: Decimal) -> Decimal:
        """Return the ordered instrument's share of gross exposure after *change*."""
        return concentration(self.exposure(change), self.others)

    def squared_value_at_risk(self, change: Decimal) -> Decimal:
        """Return the square of the value at risk after *change*."""
        return self.variance.squared_value_at_risk(change, self.order.days)

    def value_at_risk(self, change: Decimal) -> Decimal:
        """Return the value at risk after *change*."""
        return self.squared_value_at_risk(change).sqrt()


Measure: TypeAlias = Callable[[Portfolio, Decimal], Decimal]
"""Returns the limited value of a portfolio after a change of the ordered position."""

MEASURES: Mapping[str, Measure] = {
    "position_limit_per_symbol": Portfolio.units,
    "max_position_value": Portfolio.exposure,
    "max_total_exposure": lambda portfolio, change: portfolio.others + portfolio.exposure(change),
    "max_concentration": Portfolio.concentration,
    "max_correlated_exposure": lambda portfolio, change: portfolio.correlated + portfolio.exposure(change),
    "max_value_at_risk": Portfolio.squared_value_at_risk,
}
"""The measure of each type of limit."""
SQUARED = frozenset(["max_value_at_risk"])
"""Types whose measure is the square of their value: a root costs more than a whole check."""


def assess(positions: Sequence[Position], limits: Sequence[Limit], order: Order) -> Assessment:
    """Check *order* against *limits*; *positions* include that of its instrument."""
    with localcontext(EXACT):
        portfolio = Portfolio(positions, order)
        checks = [_Check(portfolio, limit) for limit in limits]

        quantity = Decimal(repr(order.quantity))
        checked = [check.evaluate(quantity) for check in checks]
        change = order.sign * quantity
        return Assessment(
            checked=checked,
            max_quantity=_find_largest(checks, order.step),
            utilization=float(max((_used(each) for each in checked), default=Decimal(0))),
            concentration=float(portfolio.concentration(change)),
            exposure=float(portfolio.others + portfolio.exposure(change)),
            var_impact=float(portfolio.value_at_risk(change) - portfolio.value_at_risk(Decimal(0))),
        )


class _Check:
    """A limit for orders of one instrument in one direction."""

    def __init__(self, portfolio: Portfolio, limit: Limit) -> None:
        self._portfolio = portfolio
        self._limit = limit
        self._measure = MEASURES[limit.limit_type]
        self._is_squared = limit.limit_type in SQUARED
        threshold = limit.threshold**2 if self._is_squared else limit.threshold
        self._largest = max(threshold, self._measure(portfolio, Decimal(0)))

    def is_violated_by(self, quantity: Decimal) -> bool:
        """Return whether an order of *quantity* violates the limit."""
        return self._measured(quantity) > self._largest

    def evaluate(self, quantity: Decimal) -> CheckedLimit:
        """Return the limit with its value for an order of *quantity*."""
        measured = self._measured(quantity)
        value = measured.sqrt() if self._is_squared else measured
        return CheckedLimit(limit=self._limit, value=value, violated=self.is_violated_by(quantity))

    def _measured(self, quantity: Decimal) -> Decimal:
        return self._measure(self._portfolio, self._portfolio.order.sign * quantity)


def _used(checked: CheckedLimit) -> Decimal:
    """Return the share of a limit that is used, from 0 to 1."""
    value, threshold = checked.value, checked.limit.threshold
    return value / threshold if value < threshold else Decimal(value > 0)


def _find_largest(checks: Sequence[_Check], step: Decimal) -> float:
    """Return the largest multiple of *step* that violates nothing, up to LARGEST_QUANTITY.

    A bisection finds it for one after another, up to that of those before. A multiple counts as its float does, because
    callers send floats.
    """
    largest = int(LARGEST_QUANTITY / step)
    for check in checks:
        allowed, violating = 0, largest + 1
        middle = largest  # most limits allow what another one does
        while violating - allowed > 1:
            if check.is_violated_by(Decimal(repr(float(middle * step)))):
                violating = middle
            else:
                allowed = middle
            middle = (allowed + violating) // 2
        largest = allowed
    return float(largest * step)
