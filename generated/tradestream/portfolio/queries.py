"""Queries of portfolio-mcp.

Generated from handlers/tradestream/portfolio.sql; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from datetime import datetime as _datetime
from decimal import Decimal
from typing import Literal, NamedTuple

from toolaccord import Page
from toolaccord.sources.postgresql import Statements
from toolaccord.sources.postgresql.queries import Query
from toolaccord.sources.postgresql.queries import first_value as _first_value


class PositionsRow(NamedTuple):
    """A row of positions."""

    symbol: str
    side: Literal["LONG", "SHORT"]
    size: float
    entry_price: float
    current_price: float
    unrealized_pnl: float
    opened_at: _datetime


class BalanceRow(NamedTuple):
    """A row of balance."""

    total_balance: float
    available_balance: float
    margin_used: float
    unrealized_pnl: float


class TradeContextRow(NamedTuple):
    """A row of trade_context."""

    available_balance: Decimal
    closes: Decimal
    position_price: Decimal | None
    signal_price: float | None


_POSITIONS = Query(
    """
SELECT p.symbol, p.side, p.size::double precision AS size, p.entry_price::double precision AS entry_price,
       p.current_price::double precision AS current_price, p.unrealized_pnl::double precision AS unrealized_pnl,
       p.opened_at
FROM positions p
WHERE p.account_id = :account_id AND p.closed_at IS NULL
  AND p.symbol = :symbol?
ORDER BY p.opened_at DESC, p.position_id
""",
    PositionsRow._make,
    finite=(2, 3, 4, 5, 6),
)
_IS_ACCOUNT: Query[bool] = Query(
    """
SELECT EXISTS (SELECT FROM accounts WHERE account_id = :account_id) AS is_account
""",
    _first_value,
)
_BALANCE = Query(
    """
SELECT a.total_balance::double precision AS total_balance, a.available_balance::double precision AS available_balance,
       a.margin_used::double precision AS margin_used,
       (SELECT coalesce(sum(p.unrealized_pnl), 0)::double precision FROM positions p
        WHERE p.account_id = a.account_id AND p.closed_at IS NULL) AS unrealized_pnl
FROM accounts a
WHERE a.account_id = :account_id
""",
    BalanceRow._make,
    finite=(0, 1, 2, 3),
)
_TRADE_CONTEXT = Query(
    """
SELECT a.available_balance,
       (SELECT coalesce(sum(p.size), 0) FROM positions p
        WHERE p.account_id = a.account_id AND p.symbol = :symbol AND p.closed_at IS NULL AND p.side = :closed_side
       ) AS closes,
       (SELECT p.current_price FROM positions p
        WHERE p.account_id = a.account_id AND p.symbol = :symbol AND p.closed_at IS NULL
        ORDER BY p.priced_at DESC, p.position_id LIMIT 1) AS position_price,
       (SELECT g.price FROM signals g
        WHERE g.symbol = :symbol AND g.triggered_at <= :now
        ORDER BY g.triggered_at DESC, g.signal_id DESC LIMIT 1) AS signal_price
FROM accounts a
WHERE a.account_id = :account_id
""",
    TradeContextRow._make,
    finite=(0, 1, 2, 3),
)


async def positions(
    postgres: Statements, *, account_id: str, symbol: str | None = None, limit: int, offset: int
) -> Page[PositionsRow]:
    """Return the open positions of an account, the newest first; of one symbol if given."""
    return await _POSITIONS.page(
        postgres, {"account_id": account_id, "symbol": symbol, "limit": limit, "offset": offset}
    )


async def is_account(postgres: Statements, *, account_id: str) -> bool:
    """Return whether there is an account with an id."""
    return await _IS_ACCOUNT.single(postgres, {"account_id": account_id})


async def balance(postgres: Statements, *, account_id: str) -> BalanceRow | None:
    """Return the balances of an account, and what its open positions have gained."""
    return await _BALANCE.one(postgres, {"account_id": account_id})


async def trade_context(
    postgres: Statements, *, symbol: str, closed_side: str, now: _datetime, account_id: str
) -> TradeContextRow | None:
    """Return the balance, the units that a trade closes, and the newest prices."""
    return await _TRADE_CONTEXT.one(
        postgres, {"symbol": symbol, "closed_side": closed_side, "now": now, "account_id": account_id}
    )
