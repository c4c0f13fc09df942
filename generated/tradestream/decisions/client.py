"""Typed client of decisions-mcp.

Generated from contracts/tradestream/decisions.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.tradestream import errors
from generated.tradestream.decisions import models, schemas
from toolaccord.client.base import CallOptions, ServerClient, WriteOptions
from toolaccord.client.declarations import PagedTool, RemoteServer, RemoteTool
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

GET_RECENT_DECISIONS: Final = PagedTool(
    name="get_recent_decisions",
    request=models.GetRecentDecisionsRequest,
    result=models.GetRecentDecisionsResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.InvalidAction, When(at=("/action",))),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_RECENT_DECISIONS_PARAMETERS,
    version="1.1.3",
    cache_bypass="force_refresh",
)

SAVE_DECISION: Final = RemoteTool(
    name="save_decision",
    request=models.SaveDecisionRequest,
    result=models.SaveDecisionResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.InvalidAction, When(at=("/action",))),
        DeclaredError(errors.InvalidConfidence, When(at=("/confidence",))),
        DeclaredError(errors.ReasoningTooLong, When(at=("/reasoning",), keyword="maxLength")),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.SAVE_DECISION_PARAMETERS,
    version="1.3.0",
    writes=True,
)


class DecisionsClient(ServerClient):
    """Client of decisions-mcp.

    Agent decision history for learning and auditing, in PostgreSQL.
    """

    _server: ClassVar = RemoteServer(
        name="decisions-mcp",
        module="generated.tradestream.decisions",
        dialect=dialects.TRADESTREAM,
    )

    async def get_recent_decisions(
        self, request: models.GetRecentDecisionsRequest, **options: Unpack[CallOptions]
    ) -> models.GetRecentDecisionsResult:
        """Get recent agent decisions for a symbol.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * InvalidAction: Action filter must be BUY, SELL, or HOLD.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(GET_RECENT_DECISIONS, request, **options)).result

    async def save_decision(
        self, request: models.SaveDecisionRequest, **options: Unpack[WriteOptions]
    ) -> models.SaveDecisionResult:
        """Save an agent decision to the database.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * InvalidAction: Action must be BUY, SELL, or HOLD.
        * InvalidConfidence: Confidence must be between 0 and 1.
        * ReasoningTooLong: Reasoning exceeds maximum length.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(SAVE_DECISION, request, **options)).result
