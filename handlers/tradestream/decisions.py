"""The tools of decisions-mcp: saving and reading agents' decisions, on PostgreSQL."""

from generated.tradestream.decisions import queries
from generated.tradestream.decisions.models import (
    GetRecentDecisionsRequest,
    SaveDecisionRequest,
    SaveDecisionResult,
)
from generated.tradestream.decisions.server import DecisionsCall
from toolaccord import Page
from toolaccord.json_values import JsonObject
from toolaccord.sources.postgresql.idempotency import once


async def get_recent_decisions(
    request: GetRecentDecisionsRequest, call: DecisionsCall
) -> Page[queries.RecentDecisionsRow]:
    """Return the decisions, newest first; of one symbol or action if requested."""
    return await queries.recent_decisions(
        call.postgres, symbol=request.symbol, action=request.action, limit=request.limit, offset=request.offset
    )


async def save_decision(request: SaveDecisionRequest, call: DecisionsCall) -> SaveDecisionResult:
    """Save a decision and return its id after the commit.

    A repeated call with the same idempotency key saves nothing.
    """
    async with call.postgres.transaction() as statements:

        async def write() -> JsonObject:
            decision_id = await queries.save(
                statements,
                symbol=request.symbol,
                action=request.action,
                confidence=request.confidence,
                opportunity_score=request.opportunity_score,
                reasoning=request.reasoning,
                tool_calls=request.tool_calls or [],
                created_at=call.now,
            )
            return {"decision_id": str(decision_id), "saved": True}

        answer = await once(statements, call.idempotency, call.now, write)
    return SaveDecisionResult.model_validate(answer)
