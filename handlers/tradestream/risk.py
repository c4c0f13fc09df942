"""The risk rules for a trade."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal, localcontext

LARGEST_SHARE = Decimal("0.1")
"""The share of the available balance that one trade may cost."""
LARGEST_SIZE = Decimal(10**12)
"""The contract's maximum of `size`."""
EXACT = Context(prec=100)
"""Enough digits for exact products of sizes, prices and balances."""
FLOAT_DIGITS = Context(prec=15, rounding=ROUND_DOWN)
"""The digits of any float; rounded down, so that `max_size` is within the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """A proposed trade; prices and balances are in the account's currency."""

    size: Decimal
    price: Decimal
    closes: Decimal
    """The size that closes an open position, and is exempt from the rules."""
    available: Decimal
    """The account's available balance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The result of the risk rules for a trade."""

    notional: Decimal
    """The cost of the part that is not exempt."""
    is_affordable: bool
    """The notional is available."""
    is_small_enough: bool
    """The notional is at most the largest share of the available balance."""
    max_size: float
    """The largest size for which both hold."""
    risk_score: float
    """The notional as a share of the available balance, from 0 to 1."""


def assess(trade: Trade) -> Assessment:
    """Check *trade* against the rules, in exact decimal arithmetic."""
    with localcontext(EXACT):
        notional = max(trade.size - trade.closes, Decimal(0)) * trade.price
        allowed = max(trade.available * LARGEST_SHARE, Decimal(0))
        return Assessment(
            notional=notional,
            is_affordable=not notional or notional <= trade.available,
            is_small_enough=notional <= allowed,
            max_size=float(FLOAT_DIGITS.plus(min(trade.closes + allowed / trade.price, LARGEST_SIZE))),
            risk_score=_share(notional, trade.available),
        )


def _share(notional: Decimal, available: Decimal) -> float:
    if not notional:
        return 0.0
    return float(min(notional / available, Decimal(1))) if available > 0 else 1.0
