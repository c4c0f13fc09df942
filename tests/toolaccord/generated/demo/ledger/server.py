"""Declaration of ledger-mcp.

Entries in a table.

Generated from tests/toolaccord/contracts/demo/ledger.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.ledger import models, schemas
from tests.toolaccord.generated.dialects import LEDGER
from toolaccord import IdempotencyKey
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import Server, Tool
from toolaccord.semantics.policies import CachePolicy, Idempotency
from toolaccord.semantics.settings import Setting
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    """Sources, settings and time that a handler of ledger-mcp gets with a request."""

    postgres: Postgresql
    now: datetime
    """Time of the call, in UTC."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.ledger`."""

    async def enter(self, request: models.EnterRequest, call: LedgerCall, /) -> models.EnterResult:
        """Make an entry."""

    async def correct(self, request: models.CorrectRequest, call: LedgerCall, /) -> models.CorrectResult:
        """Make an entry."""

    async def count_entries(
        self, request: models.CountEntriesRequest, call: LedgerCall, /
    ) -> models.CountEntriesResult:
        """Count the entries."""


def server(handlers: Handlers) -> Server[LedgerCall]:
    """Bind the tools of ledger-mcp to *handlers*."""
    return Server(
        name="ledger-mcp",
        title="Ledger",
        version="1.0.0",
        description="Entries in a table.",
        instructions=None,
        dialect=LEDGER,
        settings=(
            Setting(
                name="database_url",
                env="DATABASE_URL",
                description="where the entries are",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
        ),
        sources=(
            PostgresqlSource(
                name="postgres",
                url="database_url",
                system="demo",
                min_connections=1,
                max_connections=3,
                idle_timeout_s=300,
                connection_timeout_s=5,
            ),
        ),
        call=LedgerCall,
        handler_settings=None,
        tools=(
            Tool(
                name="enter",
                title=None,
                version="1.0.0",
                description="Make an entry",
                reads=(),
                writes=("postgres",),
                adds=("postgres",),
                request=models.EnterRequest,
                parameters=schemas.ENTER_PARAMETERS,
                returns=schemas.ENTER_RETURNS,
                output=schemas.ENTER_OUTPUT,
                errors=(DeclaredError(errors.Overdrawn),),
                conditions=(),
                cache=None,
                idempotency=Idempotency(key_from=("request",), window_s=60),
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.enter,
            ),
            Tool(
                name="correct",
                title=None,
                version="1.0.0",
                description="Make an entry",
                reads=(),
                writes=("postgres",),
                request=models.CorrectRequest,
                parameters=schemas.CORRECT_PARAMETERS,
                returns=schemas.CORRECT_RETURNS,
                output=schemas.CORRECT_OUTPUT,
                errors=(DeclaredError(errors.Overdrawn),),
                conditions=(),
                cache=None,
                idempotency=Idempotency(key_from=("request",), window_s=60),
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.correct,
            ),
            Tool(
                name="count_entries",
                title=None,
                version="1.0.0",
                description="Count the entries",
                reads=("postgres",),
                writes=(),
                request=models.CountEntriesRequest,
                parameters=schemas.COUNT_ENTRIES_PARAMETERS,
                returns=schemas.COUNT_ENTRIES_RETURNS,
                output=schemas.COUNT_ENTRIES_OUTPUT,
                errors=(),
                conditions=(),
                cache=CachePolicy(ttl_s=30, bypass=None),
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.count_entries,
            ),
        ),
    )
