"""Ticks of the market's stream: their subjects, and their content."""

import math
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

SUBJECT = "market.data."
"""Subjects begin with this; a symbol follows."""


class Tick(NamedTuple):
    """A price at a moment."""

    timestamp: datetime
    """The time of the tick, in UTC."""
    price: float
    bid: float | None = None
    ask: float | None = None
    volume: float | None = None


def to_subject(symbol: str) -> str:
    """Return the subject of a symbol, such as `market.data.ETH-USD` for ETH/USD.

    NATS recommends letters, digits, "-" and "_". No symbol has a "-", so each subject belongs to one symbol.
    """
    return SUBJECT + symbol.replace("/", "-")


def parse_tick(payload: bytes, symbol: str) -> Tick | None:
    """Return the tick in a message, or None if it is no valid tick of *symbol*.

    A tick is a JSON object with symbol, price and timestamp, and perhaps bid, ask and volume. Other members are
    ignored.
    """
    try:
        value = orjson.loads(payload)
        if value["symbol"] != symbol:
            return None
        timestamp = datetime.fromisoformat(value["timestamp"])
        if timestamp.tzinfo is None:
            return None
        tick = Tick(timestamp.astimezone(UTC), value["price"], value.get("bid"), value.get("ask"), value.get("volume"))
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
        return None
    return tick if _has_valid_numbers(tick) else None


def _has_valid_numbers(tick: Tick) -> bool:
    prices = [tick.price, *(price for price in (tick.bid, tick.ask) if price is not None)]
    volumes = [] if tick.volume is None else [tick.volume]
    return all(_is_number(price) and price > 0 for price in prices) and all(
        _is_number(volume) and volume >= 0 for volume in volumes
    )


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and math.isfinite(value)
