"""The account of the sample data and what it holds: some symbols at a time, each for ten days."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeAlias
from uuid import UUID

from sandbox.chance import fraction, identifier
from sandbox.market import PAIRS, Market
from sandbox.tradestream.account import ACCOUNT
from sandbox.tradestream.signals import hours

Amount: TypeAlias = Decimal
AccountRow: TypeAlias = tuple[str, Amount, Amount, Amount, datetime]
"""The values of a row of accounts, in the order of its columns."""
PositionRow: TypeAlias = tuple[UUID, str, str, str, Amount, Amount, Amount, datetime, datetime]
"""The values of a row of positions, in the order of its columns."""

TOTAL = Decimal(100_000)
"""Dollars in the account."""
HELD_H = 240
"""Hours after which a position is given up, or another one opened."""
ALWAYS = ("BTC/USD", "ETH/USD")
"""What is held at any time, and LONG."""
HELD = 0.4
"""The share of the other symbols that are held at a time."""
SHORT = 0.25
"""The share of the positions that wait for the price to fall."""
SMALLEST, LARGEST = 500, 2_500
"""Dollars that a position costs; with one on each symbol half of the account would still be free."""


def account_row(seed: int, now: datetime) -> AccountRow:
    """The row of accounts at *now*: what the open positions cost is bound."""
    bound = sum((row[4] * row[5] for row in position_rows(seed, now)), Decimal(0))
    return (ACCOUNT, TOTAL, TOTAL - bound, bound, now)


def position_rows(seed: int, now: datetime) -> Iterator[PositionRow]:
    """The rows of positions that are open at *now*, symbol by symbol."""
    market = Market(seed)
    for symbol in PAIRS:
        shift = int(fraction("held since", seed, symbol) * HELD_H)
        turn = math.floor((hours(now) - shift) / HELD_H)
        words = (seed, symbol, turn)
        if symbol in ALWAYS or fraction("held", *words) < HELD:
            yield _position_row(market, words, turn * HELD_H + shift, now)


def _position_row(market: Market, words: tuple[int, str, int], hour: int, now: datetime) -> PositionRow:
    symbol = words[1]
    entry = _amount(market.price(symbol, hour))
    dollars = SMALLEST + (LARGEST - SMALLEST) * fraction("size", *words)
    return (
        identifier("position", *words),
        ACCOUNT,
        symbol,
        "SHORT" if symbol not in ALWAYS and fraction("side", *words) < SHORT else "LONG",
        _amount(float(f"{dollars / float(entry):.4g}")),
        entry,
        _amount(market.price(symbol, hours(now))),
        now,
        datetime.fromtimestamp(hour * 3600, UTC),
    )


def _amount(number: float) -> Amount:
    """The decimal that *number* is written as."""
    return Decimal(str(number))
