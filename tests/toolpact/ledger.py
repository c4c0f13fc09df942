"""A server that writes, in the shape that the compiler gives one: entries in a table, each once however often it is sent.

`python -m tests.toolpact.ledger` serves it on standard input and output. With LEDGER_DIES=after it is killed between
commit and answer, with LEDGER_DIES=before just before the commit.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from toolpact import IdempotencyKey
from toolpact.declarations.dialects import Dialect, Occasions, StandardCode
from toolpact.declarations.settings import Setting
from toolpact.declarations.tool import CachePolicy, DeclaredError, Idempotency, Server, Tool
from toolpact.errors import ToolError
from toolpact.json_values import JsonObject
from toolpact.server.main import run
from toolpact.sources.postgresql import Postgresql, PostgresqlSource
from toolpact.sources.postgresql.idempotency import once

TABLE = "CREATE TABLE IF NOT EXISTS entries (number serial, text text NOT NULL, amount double precision NOT NULL)"

LEDGER = Dialect(
    name="ledger",
    success={"data": {"$": "result"}},
    failure={"error": {"code": {"$": "code"}, "message": {"$": "message"}, "details": {"$": "details"}}},
    errors_in_output_schema=True,
    occasions=Occasions(
        access="UNAUTHORIZED",
        unknown_tool="UNKNOWN_TOOL",
        version="UNKNOWN_VERSION",
        sunset="VERSION_SUNSET",
        arguments="INVALID_PARAMETER",
        source="DATABASE_ERROR",
        deadline="TIMEOUT",
        internal="INTERNAL_ERROR",
        conflict="KEY_CONFLICT",
    ),
    codes={
        "UNKNOWN_VERSION": StandardCode(http=404, description="No such version"),
        "VERSION_SUNSET": StandardCode(http=410, description="No such version any more"),
        "UNAUTHORIZED": StandardCode(http=401, description="No token"),
        "UNKNOWN_TOOL": StandardCode(http=404, description="No such tool"),
        "INVALID_PARAMETER": StandardCode(http=400, description="An argument breaks the contract"),
        "DATABASE_ERROR": StandardCode(http=500, description="The database did not answer"),
        "TIMEOUT": StandardCode(http=504, description="Too late"),
        "INTERNAL_ERROR": StandardCode(http=500, description="The server is at fault"),
        "KEY_CONFLICT": StandardCode(http=409, description="The key came with other arguments"),
    },
)


class Overdrawn(ToolError):
    """The amount is too large; found out after the entry was made."""

    code = "OVERDRAWN"
    http = 422


class Record(BaseModel):
    """What all records have in common."""

    model_config = ConfigDict(frozen=True)


class EnterRequest(Record):
    """Arguments of enter and of correct."""

    text: str
    amount: float = 1.0


class EnterResult(Record):
    """Result of enter and of correct."""

    number: int
    text: str
    amount: float


class CountRequest(Record):
    """Arguments of count_entries."""


class CountResult(Record):
    """Result of count_entries."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    """What a handler is given beside the request."""

    postgres: Postgresql
    now: datetime
    idempotency: IdempotencyKey | None


class Handlers(Protocol):
    """One coroutine for each tool."""

    async def enter(self, request: EnterRequest, call: LedgerCall, /) -> EnterResult: ...
    async def count_entries(self, request: CountRequest, call: LedgerCall, /) -> CountResult: ...


def _open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


def _nothing() -> None:
    """Let the process live."""


@dataclass(slots=True)
class Clerk:
    """The handlers; a write waits at the gate, inside its transaction."""

    gate: asyncio.Event = field(default_factory=_open_gate)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    before_commit: Callable[[], None] = _nothing
    after_commit: Callable[[], None] = _nothing

    async def enter(self, request: EnterRequest, call: LedgerCall, /) -> EnterResult:
        async with call.postgres.transaction() as statements:

            async def write() -> JsonObject:
                sql = "INSERT INTO entries (text, amount) VALUES ($1, $2) RETURNING number, text, amount"
                row = await statements.fetch_one(sql, request.text, request.amount)
                assert row is not None
                self.arrived.set()
                await self.gate.wait()
                if request.amount > 1000:
                    raise Overdrawn("The amount is too large.")
                return row

            answer = await once(statements, call.idempotency, call.now, write)
            self.before_commit()
        self.after_commit()
        return EnterResult.model_validate(answer)

    async def count_entries(self, _request: CountRequest, call: LedgerCall, /) -> CountResult:
        row = await call.postgres.fetch_one("SELECT count(*) AS count FROM entries")
        assert row is not None
        return CountResult(count=row["count"])


def _object(properties: JsonObject, *required: str) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


ENTER_PARAMETERS = _object(
    {"text": {"type": "string", "maxLength": 100}, "amount": {"type": "number", "default": 1.0}}, "text"
)
ENTER_RETURNS = _object(
    {"number": {"type": "integer"}, "text": {"type": "string"}, "amount": {"type": "number"}},
    "number",
    "text",
    "amount",
)
COUNT_RETURNS = _object({"count": {"type": "integer"}}, "count")


def server(handlers: Handlers) -> Server[LedgerCall]:
    """Bind the tools of the ledger to *handlers*."""
    enter: Tool[Any, LedgerCall, Any] = Tool(
        name="enter",
        title=None,
        version="1.0.0",
        description="Make an entry",
        reads=(),
        writes=("postgres",),
        request=EnterRequest,
        parameters=ENTER_PARAMETERS,
        returns=ENTER_RETURNS,
        output={"type": "object"},
        errors=(DeclaredError(Overdrawn),),
        conditions=(),
        cache=None,
        idempotency=Idempotency(window_s=60),
        paginated=False,
        timeout_ms=20_000,
        nullable_results=False,
        handler=handlers.enter,
    )
    count: Tool[Any, LedgerCall, Any] = Tool(
        name="count_entries",
        title=None,
        version="1.0.0",
        description="Count the entries",
        reads=("postgres",),
        writes=(),
        request=CountRequest,
        parameters=_object({}),
        returns=COUNT_RETURNS,
        output={"type": "object"},
        errors=(),
        conditions=(),
        cache=CachePolicy(ttl_s=30, bypass=None),
        paginated=False,
        timeout_ms=20_000,
        nullable_results=False,
        handler=handlers.count_entries,
    )
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
                default=None,
                required=True,
                secret=True,
            ),
        ),
        sources=(
            PostgresqlSource(
                name="postgres",
                url="database_url",
                min_connections=1,
                max_connections=3,
                idle_timeout_s=300.0,
                connection_timeout_s=5.0,
            ),
        ),
        call=LedgerCall,
        handler_settings=None,
        tools=(enter, replace(enter, name="correct"), count),
    )


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    """Serve the ledger on standard input and output."""
    dies = os.environ.get("LEDGER_DIES")
    clerk = Clerk(
        before_commit=_die if dies == "before" else _nothing, after_commit=_die if dies == "after" else _nothing
    )
    return run(server(clerk))


if __name__ == "__main__":
    raise SystemExit(main())
