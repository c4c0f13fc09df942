"""Count and pay, for longer than callers stay.

`contracts/demo/jobs.json` declares the server. `python -m tests.toolaccord.demo.jobs` serves it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from tests.toolaccord.generated.demo.errors import Unlucky
from tests.toolaccord.generated.demo.jobs import server as declared
from tests.toolaccord.generated.demo.jobs.models import CountRequest, CountResult, PayRequest, PayResult
from tests.toolaccord.generated.demo.jobs.server import JobsCall
from toolaccord import Accepted
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run


def _open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


@dataclass(slots=True)
class Clerk:
    """The handlers. Both wait at the gate."""

    gate: asyncio.Event = field(default_factory=_open_gate)
    began: asyncio.Queue[int] = field(default_factory=asyncio.Queue)
    """Numbers that were counted to, as the counting began."""
    approved: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a payment was approved."""
    paid: list[int] = field(default_factory=list)

    async def count(self, request: CountRequest, call: JobsCall, /) -> CountResult:
        self.began.put_nowait(request.to)
        await call.progress(0, request.to, "Begins.")
        await self.gate.wait()
        if request.to == 13:
            raise Unlucky("13 brings bad luck.")
        if request.to == 1000:
            raise RuntimeError("the secret of the server")
        for number in range(request.to):
            await call.progress(number + 1, request.to)
        return CountResult(sum=sum(range(request.to + 1)))

    async def pay(self, request: PayRequest, call: JobsCall, /) -> PayResult:
        answer = await call.ask.approval(amount=request.amount)
        if not isinstance(answer, Accepted) or not answer.answer.yes:
            return PayResult(paid=False)
        self.approved.set()
        await self.gate.wait()
        self.paid.append(request.amount)
        return PayResult(paid=True)


def create_server(clerk: Clerk | None = None) -> Server[JobsCall]:
    """Return the server with its handlers."""
    return declared.server(clerk or Clerk())


if __name__ == "__main__":
    raise SystemExit(run(create_server()))
