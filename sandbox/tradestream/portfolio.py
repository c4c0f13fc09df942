"""The account of the sample data, and its positions: some symbols at a time, for ten days."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeAlias
from uuid import UUID

from sandbox import ACCOUNT
from sandbox.candles.minutes import compute_candles
from sandbox.market import PAIRS, Market
from sandbox.seeded_random import identifier, uniform
from sandbox.tradestream.signals import hours_since_epoch

Amount: TypeAlias = Decimal
AccountRow: TypeAlias = tuple[str, Amount, Amount, Amount, datetime]
"""The values of a row of accounts, in the order of its columns."""
PositionRow: TypeAlias = tuple[UUID, str, str, str, Amount, Amount, Amount, datetime, datetime]
"""The values of a row of positions, in the order of its columns."""

OPEN = 1
"""The row of the opening prices among candles."""
TOTAL = Decimal(100_000)
"""Dollars in the account."""
HELD_H = 240
"""Hours after which a position is closed, or another one opened."""
ALWAYS = ("BTC/USD", "ETH/USD")
"""The symbols with a LONG position at any time."""
HELD = 0.4
"""The share of the other symbols that have a position at a time."""
SHORT = 0.25
"""The share of SHORT positions."""
SMALLEST, LARGEST = 500, 2_500
"""The bounds of a position's cost, in dollars.

A position on each symbol leaves half of the account free.
"""


def account_row(seed: int, now: datetime) -> AccountRow:
    """Return the row of accounts at *now*: the cost of the open positions is used margin."""
    margin = sum((size * entry for _, _, size, entry in _open_positions(seed, now)), Decimal(0))
    return (ACCOUNT, TOTAL, TOTAL - margin, margin, now)


def position_rows(seed: int, now: datetime) -> Iterator[PositionRow]:
    """Yield the rows of positions that are open at *now*, at prices of the candles."""
    minute = int(now.timestamp()) // 60
    for key, hour, size, entry in _open_positions(seed, now):
        symbol = key[1]
        price = compute_candles(Market(seed), symbol, minute, minute + 1)[OPEN, 0]
        yield (
            identifier("position", *key),
            ACCOUNT,
            symbol,
            "SHORT" if symbol not in ALWAYS and uniform("side", *key) < SHORT else "LONG",
            size,
            entry,
            _amount(float(price)),
            now,
            datetime.fromtimestamp(hour * 3600, UTC),
        )


def _open_positions(seed: int, now: datetime) -> Iterator[tuple[tuple[int, str, int], int, Amount, Amount]]:
    """Yield key, hour since 1970, size and price of entry of the open positions."""
    market = Market(seed)
    for symbol in PAIRS:
        shift = int(uniform("held since", seed, symbol) * HELD_H)
        turn = math.floor((hours_since_epoch(now) - shift) / HELD_H)
        key, hour = (seed, symbol, turn), turn * HELD_H + shift
        if symbol in ALWAYS or uniform("held", *key) < HELD:
            entry = _amount(market.price(symbol, hour))
            dollars = SMALLEST + (LARGEST - SMALLEST) * uniform("size", *key)
            yield key, hour, _amount(float(f"{dollars / float(entry):.4g}")), entry


def _amount(number: float) -> Amount:
    """Return the decimal with the digits of *number*."""
    return Decimal(str(number))
