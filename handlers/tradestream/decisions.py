"""The tools of decisions-mcp: saving and reading agents' decisions, on PostgreSQL."""

from collections.abc import Mapping

from generated.tradestream.decisions.models import (
    Decision,
    GetRecentDecisionsRequest,
    SaveDecisionRequest,
    SaveDecisionResult,
)
from generated.tradestream.decisions.server import DecisionsCall
from handlers.tradestream.pages import to_page
from toolaccord import Page
from toolaccord.json_values import JsonObject
from toolaccord.sources.postgresql.idempotency import once

# A statement for each choice of filters, so that PostgreSQL plans each with its index.
PAGE = """
SELECT (SELECT count(*) FROM agent_decisions d WHERE {filter}) AS total, page.*
FROM (SELECT) AS always
LEFT JOIN (
    SELECT d.decision_id, d.symbol, d.action, d.confidence, d.opportunity_score, d.reasoning, d.created_at
    FROM agent_decisions d
    WHERE {filter}
    ORDER BY d.created_at DESC, d.decision_id
    LIMIT $1 OFFSET $2
) page ON true
ORDER BY page.created_at DESC, page.decision_id
"""
RECENT_DECISIONS: Mapping[tuple[str, ...], str] = {
    (): PAGE.replace("{filter}", "true"),
    ("symbol",): PAGE.replace("{filter}", "d.symbol = $3"),
    ("action",): PAGE.replace("{filter}", "d.action = $3"),
    ("symbol", "action"): PAGE.replace("{filter}", "d.symbol = $3 AND d.action = $4"),
}
"""The statement by its filters, in the order of their values."""

SAVE = """
INSERT INTO agent_decisions (symbol, action, confidence, opportunity_score, reasoning, tool_calls, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING decision_id
"""


async def get_recent_decisions(request: GetRecentDecisionsRequest, call: DecisionsCall) -> Page[Decision]:
    """Return the decisions, newest first; of one symbol or action if requested."""
    filters = {"symbol": request.symbol, "action": request.action}
    given = {name: value for name, value in filters.items() if value is not None}
    statement = RECENT_DECISIONS[tuple(given)]
    rows = await call.postgres.fetch(statement, request.limit, request.offset, *given.values())
    return to_page(Decision, rows, "decision_id")


async def save_decision(request: SaveDecisionRequest, call: DecisionsCall) -> SaveDecisionResult:
    """Save a decision and return its id after the commit.

    A repeated call with the same idempotency key saves nothing.
    """
    async with call.postgres.transaction() as statements:

        async def write() -> JsonObject:
            row = await statements.fetch_one(
                SAVE,
                request.symbol,
                request.action,
                request.confidence,
                request.opportunity_score,
                request.reasoning,
                request.tool_calls or [],
                call.now,
            )
            assert row is not None
            return {"decision_id": str(row["decision_id"]), "saved": True}

        answer = await once(statements, call.idempotency, call.now, write)
    return SaveDecisionResult.model_validate(answer)
