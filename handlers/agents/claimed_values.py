"""Values of a signal that a caller of an older version sends, compared with the evidence."""

from __future__ import annotations

from collections.abc import Iterator

from generated.agents.signal_generator.models import Signal
from generated.agents.signals.models import PublishSignalRequestClaim
from handlers.agents.kept_evidence import LIFETIME

_ROUNDING = 0.005
"""Largest difference of a confidence, which callers round to hundredths."""
_PRICE_ROUNDING = 0.0005
"""Largest difference of a price, as a share of it."""


def find_differences(claim: PublishSignalRequestClaim, signal: Signal) -> Iterator[str]:
    """Yield the names of the claimed members that differ from those of *signal*."""
    for name in ("action", "strategies_analyzed", "strategies_bullish", "strategies_bearish", "strategies_neutral"):
        if getattr(claim, name) != getattr(signal, name):
            yield name
    if claim.confidence is None or abs(claim.confidence - signal.confidence) > _ROUNDING:
        yield "confidence"
    price = signal.market_context.current_price if signal.market_context else None
    if claim.current_price is not None and not _is_near(claim.current_price, price):
        yield "current_price"
    if claim.timestamp is None or not signal.timestamp <= claim.timestamp <= signal.timestamp + LIFETIME:
        yield "timestamp"


def _is_near(claimed: float, price: float | None) -> bool:
    return price is not None and abs(claimed - price) <= _PRICE_ROUNDING * abs(price)
