"""Queries of decisions-mcp.

Generated from handlers/tradestream/decisions.sql; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from datetime import datetime as _datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from toolaccord import Page
from toolaccord.sources.postgresql import Statements
from toolaccord.sources.postgresql.queries import Query
from toolaccord.sources.postgresql.queries import first_value as _first_value


class RecentDecisionsRow(NamedTuple):
    """A row of recent_decisions."""

    decision_id: UUID
    symbol: str
    action: Literal["BUY", "SELL", "HOLD"]
    confidence: float
    opportunity_score: float | None
    reasoning: str
    created_at: _datetime


_RECENT_DECISIONS = Query(
    """
SELECT d.decision_id, d.symbol, d.action, d.confidence, d.opportunity_score, d.reasoning, d.created_at
FROM agent_decisions d
WHERE true
  AND d.symbol = :symbol?
  AND d.action = :action?
ORDER BY d.created_at DESC, d.decision_id
""",
    RecentDecisionsRow._make,
    finite=(3, 4, 6),
)
_SAVE: Query[UUID] = Query(
    """
INSERT INTO agent_decisions (symbol, action, confidence, opportunity_score, reasoning, tool_calls, created_at)
VALUES (:symbol, :action, :confidence, :opportunity_score, :reasoning, :tool_calls, :created_at)
RETURNING decision_id
""",
    _first_value,
)


async def recent_decisions(
    postgres: Statements, *, symbol: str | None = None, action: str | None = None, limit: int, offset: int
) -> Page[RecentDecisionsRow]:
    """Return the decisions, newest first; of one symbol or action if given."""
    return await _RECENT_DECISIONS.page(
        postgres, {"symbol": symbol, "action": action, "limit": limit, "offset": offset}
    )


async def save(
    postgres: Statements,
    *,
    symbol: str,
    action: str,
    confidence: float,
    opportunity_score: float | None,
    reasoning: str,
    tool_calls: Any,
    created_at: _datetime,
) -> UUID:
    """Save a decision, and return its id."""
    return await _SAVE.single(
        postgres,
        {
            "symbol": symbol,
            "action": action,
            "confidence": confidence,
            "opportunity_score": opportunity_score,
            "reasoning": reasoning,
            "tool_calls": tool_calls,
            "created_at": created_at,
        },
    )
