"""Write entries to a table, each once, also when a call is repeated.

`contracts/demo/ledger.json` declares the server. `python -m tests.toolaccord.demo.ledger` serves it on standard input
and output. LEDGER_DIES=after kills the process between commit and answer, LEDGER_DIES=before just before the commit.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.toolaccord.generated.demo.errors import Overdrawn
from tests.toolaccord.generated.demo.ledger import server as declared
from tests.toolaccord.generated.demo.ledger.models import (
    CorrectRequest,
    CorrectResult,
    CountEntriesRequest,
    CountEntriesResult,
    EnterRequest,
    EnterResult,
)
from tests.toolaccord.generated.demo.ledger.schemas import ENTER_RETURNS
from tests.toolaccord.generated.demo.ledger.server import Handlers, LedgerCall
from tests.toolaccord.generated.dialects import LEDGER
from toolaccord.declarations.tool import Server
from toolaccord.json_values import JsonObject
from toolaccord.server.main import run
from toolaccord.sources.postgresql.idempotency import once

__all__ = ["ENTER_RETURNS", "LEDGER", "EnterRequest", "EnterResult", "LedgerCall"]

TABLE = "CREATE TABLE IF NOT EXISTS entries (number serial, text text NOT NULL, amount double precision NOT NULL)"


def _open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


def _nothing() -> None:
    """Do nothing."""


@dataclass(slots=True)
class Clerk:
    """The handlers. A write waits at the gate, inside its transaction."""

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

    async def correct(self, request: CorrectRequest, call: LedgerCall, /) -> CorrectResult:
        """Make an entry under another tool."""
        entry = await self.enter(EnterRequest(text=request.text, amount=request.amount), call)
        return CorrectResult.model_validate(entry.model_dump())

    async def count_entries(self, _request: CountEntriesRequest, call: LedgerCall, /) -> CountEntriesResult:
        row = await call.postgres.fetch_one("SELECT count(*) AS count FROM entries")
        assert row is not None
        return CountEntriesResult(count=row["count"])


def server(handlers: Handlers) -> Server[LedgerCall]:
    """Bind the tools of the ledger to *handlers*."""
    return declared.server(handlers)


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
