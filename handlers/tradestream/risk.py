"""The risk rules for a trade."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal, localcontext

LARGEST_SHARE = Decimal("0.1")
"""The share of the available balance that one trade may cost."""
LARGEST_SIZE = Decimal(10**12)
"""What the contract takes as a size at most."""
EXACT = Context(prec=100)
"""More digits than sizes, prices and balances have together."""
SAYABLE = Context(prec=15, rounding=ROUND_DOWN)
"""As many digits as every float keeps: rounded down, what is called the largest size is itself within the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """A trade that somebody proposes; prices and balances are in the account's currency."""

    size: Decimal
    price: Decimal
    closes: Decimal
    """How much of an open position the trade can close; that much of it is not judged."""
    available: Decimal
    """The account's available balance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """A trade, held against the rules."""

    notional: Decimal
    """What the judged part costs."""
    is_affordable: bool
    """Whether that is available."""
    is_small_enough: bool
    """Whether it is no more than the largest share of what is available."""
    max_size: float
    """The largest size that can be asked for and for which both would hold."""
    risk_score: float
    """The judged part as a share of the available balance, from 0 to 1."""


def assess(trade: Trade) -> Assessment:
    """Hold *trade* against the rules, in decimal arithmetic: a trade of exactly the largest share is within them."""
    with _exactly():
        notional = max(trade.size - trade.closes, Decimal(0)) * trade.price
        allowed = max(trade.available * LARGEST_SHARE, Decimal(0))
        return Assessment(
            notional=notional,
            is_affordable=not notional or notional <= trade.available,
            is_small_enough=notional <= allowed,
            max_size=float(SAYABLE.plus(min(trade.closes + allowed / trade.price, LARGEST_SIZE))),
            risk_score=_share(notional, trade.available),
        )


def _share(notional: Decimal, available: Decimal) -> float:
    if not notional:
        return 0.0
    return float(min(notional / available, Decimal(1))) if available > 0 else 1.0


@contextmanager
def _exactly() -> Iterator[None]:
    with localcontext(EXACT):
        yield
