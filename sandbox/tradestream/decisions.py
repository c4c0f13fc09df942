"""The agent's decisions in the sample data: four a day on each symbol."""

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeAlias
from uuid import UUID

from sandbox.market import DAY_H, PAIRS, Market
from sandbox.seeded_random import identifier, normals, uniform
from sandbox.tradestream.signals import HISTORY, hours_since_epoch

DecisionRow: TypeAlias = tuple[UUID, str, str, float, float | None, str, str, datetime]
"""The values of a row of agent_decisions, in the order of its columns."""

CADENCE_H = 6
THRESHOLD = 0.8
"""The least price change for a trade, in standard deviations of a day."""
UNSCORED = 0.1
"""The share of the decisions without a score."""


def decision_rows(seed: int, now: datetime) -> Iterator[DecisionRow]:
    """Yield the rows of agent_decisions of the week before *now*, by symbol, the oldest first."""
    market = Market(seed)
    first, last = (
        math.floor(hours_since_epoch(now - HISTORY) / CADENCE_H),
        math.ceil(hours_since_epoch(now) / CADENCE_H),
    )
    for symbol in PAIRS:
        for turn in range(first, last + 1):
            row = _decision_row(market, symbol, turn * CADENCE_H)
            if now - HISTORY < row[-1] <= now:
                yield row


def _decision_row(market: Market, symbol: str, hour: int) -> DecisionRow:
    key = (market.seed, symbol, hour)
    strength_noise, confidence_noise = normals(2, "decision", *key)
    change = market.price(symbol, hour) / market.price(symbol, hour - DAY_H) - 1
    strength = change / PAIRS[symbol].volatility + 0.3 * strength_noise
    action = "HOLD" if abs(strength) < THRESHOLD else ("BUY" if strength > 0 else "SELL")
    confidence = min(max(0.5 + 0.15 * abs(strength) + 0.05 * confidence_noise, 0.05), 0.95)
    score = None if uniform("scored", *key) < UNSCORED else round(100 * math.tanh(abs(strength) / 2), 1)
    return (
        identifier("decision", *key),
        symbol,
        action,
        round(confidence, 4),
        score,
        f"{symbol} {'rose' if change > 0 else 'fell'} {abs(change):.1%} in a day, {abs(strength):.1f} of its usual days.",
        json.dumps([{"tool": "get_strategy_consensus", "arguments": {"symbol": symbol}}]),
        datetime.fromtimestamp(hour * 3600 + 120 + int(600 * uniform("haste", *key)), UTC),
    )
