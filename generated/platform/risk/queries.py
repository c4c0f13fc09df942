"""Queries of risk-mcp.

Generated from handlers/platform/risk.sql; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as _date
from typing import Any, NamedTuple

from toolaccord.sources.postgresql import Statements
from toolaccord.sources.postgresql.queries import Query


class SnapshotRow(NamedTuple):
    """A row of snapshot."""

    limits: Any
    instruments: Any


_SNAPSHOT = Query(
    """
WITH held AS (
    SELECT symbol, quantity FROM portfolio_positions WHERE portfolio_id = :portfolio_id AND :sent::text[] IS NULL
), needed AS (
    SELECT :symbol::text AS symbol UNION SELECT symbol FROM held WHERE quantity <> 0 UNION SELECT unnest(:sent::text[])
), applied AS (
    SELECT DISTINCT ON (limit_type) rule_name, limit_type, threshold
    FROM portfolio_limits
    WHERE portfolio_id = :portfolio_id AND (symbol IS NULL OR symbol = :symbol)
    ORDER BY limit_type, symbol NULLS LAST
)
SELECT
    (SELECT json_agg(json_build_array(rule_name, limit_type, threshold::text) ORDER BY limit_type) FROM applied) AS limits,
    (SELECT json_agg(json_build_object(
        'symbol', symbol, 'quantity', held.quantity::text, 'group', correlation_group, 'step', quantity_step::text,
        'history', history
    ) ORDER BY symbol)
    FROM needed LEFT JOIN held USING (symbol) LEFT JOIN instruments USING (symbol) LEFT JOIN LATERAL (
        SELECT string_agg((:today::date - day) || ' ' || trim_scale(price), ',') AS history
        FROM (
            SELECT day, price FROM instrument_prices p WHERE p.symbol = instruments.symbol AND day <= :today::date
            ORDER BY day DESC LIMIT :days::int
        ) AS newest_days
    ) AS daily ON true) AS instruments
""",
    SnapshotRow._make,
)


async def snapshot(
    postgres: Statements, *, portfolio_id: str, sent: Sequence[str] | None, symbol: str, today: _date, days: int
) -> SnapshotRow:
    """Return the limits of a portfolio, and the state of its instruments, at one moment.

    One statement is one snapshot. Numbers that are compared are texts, because JSON's would become floats.
    """
    return await _SNAPSHOT.single(
        postgres, {"portfolio_id": portfolio_id, "sent": sent, "symbol": symbol, "today": today, "days": days}
    )
