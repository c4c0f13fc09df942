"""Declaration of decisions-mcp.

Agent decision history for learning and auditing, in PostgreSQL.

Generated from contracts/tradestream/decisions.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.dialects import TRADESTREAM
from generated.tradestream import errors
from generated.tradestream.decisions import models, queries, schemas
from toolaccord import Caller, IdempotencyKey, Page, Row
from toolaccord.contract.policies import CachePolicy, Idempotency, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsCall:
    """Sources, settings and time that a handler of decisions-mcp gets with a request."""

    postgres: Postgresql
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class Handlers(Protocol):
    """Coroutines of decisions-mcp.

    The module `handlers.tradestream.decisions` implements them.
    """

    async def get_recent_decisions(
        self, request: models.GetRecentDecisionsRequest, call: DecisionsCall, /
    ) -> Page[models.Decision | Row | queries.RecentDecisionsRow]:
        """Get recent agent decisions for a symbol."""

    async def save_decision(
        self, request: models.SaveDecisionRequest, call: DecisionsCall, /
    ) -> models.SaveDecisionResult:
        """Save an agent decision to the database."""


def server(handlers: Handlers) -> Server[DecisionsCall]:
    """Bind the tools of decisions-mcp to *handlers*."""
    return Server(
        name="decisions-mcp",
        title="Decisions",
        version="1.4.1",
        description="Agent decision history for learning and auditing, in PostgreSQL.",
        instructions=(
            "Save every decision, HOLD included, with its reasoning. A call that may be sent "
            "twice should carry _meta.idempotency_key, which saves it once. Saved decisions "
            "are in lists at once. What other processes saved may take 30 seconds, unless "
            "force_refresh bypasses the cache."
        ),
        dialect=TRADESTREAM,
        settings=(
            Setting(
                name="database_url",
                env="DATABASE_URL",
                description="PostgreSQL connection string, postgresql://user:password@host:port/database",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
        ),
        sources=(
            PostgresqlSource(
                name="postgres",
                url="database_url",
                min_connections=2,
                system="tradestream",
                tables=("agent_decisions", "idempotency_keys"),
            ),
        ),
        call=DecisionsCall,
        tools=(
            Tool(
                name="get_recent_decisions",
                request=models.GetRecentDecisionsRequest,
                parameters=schemas.GET_RECENT_DECISIONS_PARAMETERS,
                returns=schemas.GET_RECENT_DECISIONS_RETURNS,
                handler=handlers.get_recent_decisions,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.InvalidAction, When(at=("/action",))),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                cache=CachePolicy(ttl_s=30, bypass="force_refresh"),
                paginated=True,
                version="1.1.3",
                title="Recent decisions",
                description="Get recent agent decisions for a symbol",
                view=ViewFile("generated.tradestream.decisions", "get_recent_decisions.json"),
            ),
            Tool(
                name="save_decision",
                request=models.SaveDecisionRequest,
                parameters=schemas.SAVE_DECISION_PARAMETERS,
                returns=schemas.SAVE_DECISION_RETURNS,
                handler=handlers.save_decision,
                timeout_ms=10000,
                writes=("postgres",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.InvalidAction, When(at=("/action",))),
                    DeclaredError(errors.InvalidConfidence, When(at=("/confidence",))),
                    DeclaredError(errors.ReasoningTooLong, When(at=("/reasoning",), keyword="maxLength")),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                idempotency=Idempotency(key_from=("request",), window_s=86400),
                version="1.3.0",
                title="Save a decision",
                description="Save an agent decision to the database",
                adds=("postgres",),
            ),
        ),
    )
