"""Ticks of the market's stream: their subjects, and their content."""

import math
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, NamedTuple

import orjson

SUBJECT = "market.data."
"""Subjects begin with this; a symbol follows."""
LARGEST_SKEW = timedelta(seconds=1)
"""The difference by which the clock of a feed may be ahead of ours."""


class Tick(NamedTuple):
    """A price at a moment."""

    timestamp: datetime
    """The time of the tick, in UTC."""
    price: float
    bid: float | None = None
    ask: float | None = None
    volume: float | None = None


class Fault(Enum):
    """A reason why a message is no tick, as it follows a number of messages in the log."""

    MALFORMED = "malformed"
    OTHER_SYMBOL = "of another symbol"
    EPOCH_TIME = "with a number or 1970 as timestamp"
    FUTURE = "of the future"


def to_subject(symbol: str) -> str:
    """Return the subject of a symbol, such as `market.data.ETH-USD` for ETH/USD.

    NATS recommends letters, digits, "-" and "_". No symbol has a "-", so each subject belongs to one symbol.
    """
    return SUBJECT + symbol.replace("/", "-")


def parse_tick(payload: bytes, symbol: str, now: datetime) -> Tick | Fault:
    """Return the tick of *symbol* in a message read at *now*, or the reason why there is none.

    A tick is a JSON object with symbol, price and timestamp, and perhaps bid, ask and volume. Other members are
    ignored.
    """
    try:
        value = orjson.loads(payload)
        if value["symbol"] != symbol:
            return Fault.OTHER_SYMBOL
        if _is_number(value["timestamp"]):
            return Fault.EPOCH_TIME
        timestamp = datetime.fromisoformat(value["timestamp"])
        if timestamp.tzinfo is None:
            return Fault.MALFORMED
        tick = Tick(timestamp.astimezone(UTC), value["price"], value.get("bid"), value.get("ask"), value.get("volume"))
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
        return Fault.MALFORMED
    return _find_fault(tick, now) or tick


def _find_fault(tick: Tick, now: datetime) -> Fault | None:
    if not _has_valid_numbers(tick):
        return Fault.MALFORMED
    if tick.timestamp.year == 1970:
        return Fault.EPOCH_TIME
    return Fault.FUTURE if tick.timestamp > now + LARGEST_SKEW else None


def _has_valid_numbers(tick: Tick) -> bool:
    prices = [tick.price, *(price for price in (tick.bid, tick.ask) if price is not None)]
    volumes = [] if tick.volume is None else [tick.volume]
    return all(_is_number(price) and price > 0 for price in prices) and all(
        _is_number(volume) and volume >= 0 for volume in volumes
    )


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and math.isfinite(value)
