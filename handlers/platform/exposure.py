"""Exposure of a portfolio, and the share of it that one instrument has."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from handlers.platform.history import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Units of an instrument in a portfolio, with what is known about the instrument."""

    symbol: str
    quantity: Decimal
    """Units; a short position is negative."""
    price: Decimal
    """Current price of one unit, in the portfolio's currency."""
    history: History
    """Daily prices of one unit."""
    group: str | None = None
    """The group of instruments that move together; None if the instrument is on its own."""

    @property
    def exposure(self) -> Decimal:
        """The absolute value of the position, in the portfolio's currency."""
        return abs(self.quantity) * self.price

    @property
    def value(self) -> Decimal:
        """The value of the position, in the portfolio's currency; a short one is negative."""
        return self.quantity * self.price


def gross_exposure(positions: Iterable[Position]) -> Decimal:
    """Return the sum of absolute position values, in the portfolio's currency."""
    return sum((position.exposure for position in positions), Decimal(0))


def concentration(exposure: Decimal, others: Decimal) -> Decimal:
    """Return an instrument's share of gross exposure, from 0 to 1.

    *exposure* is the instrument's, *others* that of all other instruments. A portfolio without other instruments is
    fully concentrated, whatever its size: 1.
    """
    return exposure / (exposure + others) if others else Decimal(1)
