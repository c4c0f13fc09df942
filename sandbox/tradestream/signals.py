"""The signals of the deployed strategies, each a pure function of the market at its time."""

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias
from uuid import UUID

from sandbox.market import DAY_H, PAIRS, Market
from sandbox.seeded_random import identifier, normals, uniform
from sandbox.tradestream.strategies import Implementation

SignalRow: TypeAlias = tuple[UUID, UUID, str, str, float, float, str, datetime]
"""The values of a row of signals, in the order of its columns."""

HISTORY = timedelta(days=7)
LATENCY_S = 90
"""The most seconds from the hour of a signal to its time."""
LOOKBACK_H = 24
"""The hours of the trend, which is the price change in standard deviations of that time."""

# By style: the sign and weight of the trend, and the least strength of a signal.
TREND_RULES = {"trend": (1.0, 0.35), "breakout": (1.0, 0.9), "reversion": (-1.0, 1.1), "volume": (0.7, 0.5)}
BASE_CONFIDENCE = 0.5
MIN_CONFIDENCE = 0.3
MAX_CONFIDENCE = 0.97


def signal_rows(implementation: Implementation, market: Market, now: datetime) -> Iterator[SignalRow]:
    """Yield the rows of signals of the week before *now*, oldest first; none without a cadence."""
    cadence_h = implementation.cadence_h
    if cadence_h is None:
        return
    chosen = json.dumps(implementation.parameters)
    # The strategies give their signals at different hours.
    shift = int(uniform("shift", *implementation.draw_key) * cadence_h)
    first = math.floor((hours_since_epoch(now - HISTORY) - shift) / cadence_h)
    last = math.ceil((hours_since_epoch(now) - shift) / cadence_h)
    for turn in range(first, last + 1):
        row = _signal_row(implementation, market, turn * cadence_h + shift, chosen)
        if now - HISTORY < row[-1] <= now:
            yield row


def hours_since_epoch(moment: datetime) -> float:
    """Return the hours from 1970 to *moment*, in UTC."""
    return moment.timestamp() / 3600


def _signal_row(implementation: Implementation, market: Market, hour: int, chosen: str) -> SignalRow:
    key = (*implementation.draw_key, hour)
    strength_noise, confidence_noise, delay = normals(3, "signal", *key)
    direction, threshold = TREND_RULES[implementation.spec.style]
    strength = direction * _trend(market, implementation.symbol, hour) + 0.4 * strength_noise
    signal = "HOLD" if abs(strength) < threshold else ("BUY" if strength > 0 else "SELL")
    confidence = (
        BASE_CONFIDENCE
        + 0.3 * math.tanh(abs(abs(strength) - threshold))
        + 0.03 * implementation.quality
        + 0.04 * confidence_noise
    )
    return (
        identifier("signal", *key),
        implementation.strategy_id,
        implementation.symbol,
        signal,
        round(min(max(confidence, MIN_CONFIDENCE), MAX_CONFIDENCE), 4),
        _price(market, implementation.symbol, hour),
        chosen,
        datetime.fromtimestamp(hour * 3600 + 1 + min(int(20 * abs(delay)), LATENCY_S), UTC),
    )


@lru_cache(maxsize=10_000)
def _trend(market: Market, symbol: str, hour: int) -> float:
    change = math.log(_price(market, symbol, hour) / _price(market, symbol, hour - LOOKBACK_H))
    return change / (PAIRS[symbol].volatility * math.sqrt(LOOKBACK_H / DAY_H))


@lru_cache(maxsize=10_000)
def _price(market: Market, symbol: str, hour: int) -> float:
    return market.price(symbol, hour)
