"""State of the market behind a signal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta

from generated.agents.signal_generator.models import MarketContext
from generated.tradestream.market_data.models import Candle
from handlers.agents.evidence import CANDLES, Evidence

_HOURS = CANDLES - 1


def build_market_context(evidence: Evidence) -> MarketContext | None:
    """Return what is known about the market; None without anything."""
    price, candles, volatility = evidence.price.result, evidence.candles.result, evidence.volatility.result
    members = {
        "current_price": price.price if price else None,
        "price_change_1h": price.change_1h if price else None,
        "volume_ratio": find_volume_ratio(candles.items) if candles else None,
        "volatility_1h": volatility.volatility if volatility else None,
    }
    known = {name: value for name, value in members.items() if value is not None}
    return MarketContext(**known) if known else None


def find_volume_ratio(candles: Sequence[Candle]) -> float | None:
    """Return the volume of the newest hour, as a ratio to the mean of the 24 hours before it.

    *candles* are hourly ones, oldest first. An hour without a candle had no volume. None if there are fewer than 25,
    because then they need not reach back 24 hours, and None if those hours had no volume.
    """
    if len(candles) < CANDLES:
        return None
    newest = candles[-1]
    start = newest.timestamp - timedelta(hours=_HOURS)
    mean = sum(candle.volume for candle in candles[:-1] if candle.timestamp >= start) / _HOURS
    # A ratio of extreme volumes may be too large for a double, which JSON cannot hold.
    return ratio if mean and math.isfinite(ratio := newest.volume / mean) else None
