"""Find books, as an agent of the library, and fail in the ways that a test needs.

`contracts/demo/scout.json` declares the agent. `python -m tests.toolaccord.demo.scout` runs it. Environment variables
replace what a test needs otherwise than the contract says.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

from pydantic import BaseModel, Field

from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS, MISBEHAVE
from tests.toolaccord.generated.demo.library.models import GetBookRequest, ListBooksRequest, MisbehaveRequest
from tests.toolaccord.generated.demo.scout import agent as declared
from tests.toolaccord.generated.demo.scout.agent import ScoutCall
from tests.toolaccord.generated.demo.scout.models import Finding, ScoutRequest
from toolaccord.agent.call import LanguageModel
from toolaccord.agent.declarations import Agent
from toolaccord.agent.main import run
from toolaccord.contract.agents import AgentTasks
from toolaccord.errors import CallFailed, ModelError

HANGS, CRASHES, WAITS, AT_GATE = "13", "666", "11", "12"
"""Books whose search hangs, crashes, calls a tool that hangs, or one that waits at the gate."""


class Title(BaseModel):
    """A title by a model."""

    title: str = Field(min_length=1, max_length=40, description="The title")


class Scout:
    """The handler."""

    async def answer(self, request: ScoutRequest, call: ScoutCall, /) -> Finding:
        if request.book == HANGS:
            await asyncio.Event().wait()
        if request.book == CRASHES:
            raise RuntimeError("the scout fell: s3cr3t")
        try:
            title = (await call.library.get_book(GetBookRequest(id=int(request.book)))).title
        except CallFailed:
            call.missing.add(GET_BOOK)
            title = None
        if call.model is not None:
            title = await self._write_title(title, call.model)
        await self._search_shelf(request.book, call)
        finding = Finding(
            book=request.book,
            kind="NOVEL" if title else "UNKNOWN",
            title=title,
            confidence=1 - call.missing.confidence_penalty,
            is_vague=bool(call.missing.labels) or None,
        )
        await call.found.publish(finding, message_id=f"{request.book} {call.now.isoformat()}")
        return finding

    async def _write_title(self, title: str | None, model: LanguageModel) -> str | None:
        """Return the model's title, or *title* without one."""
        try:
            return (await model.write("Improve the title.", {"title": title}, Title)).output.title
        except ModelError:
            return title

    async def _search_shelf(self, book: str, call: ScoutCall) -> None:
        try:
            await call.library.list_books(ListBooksRequest(shelf=call.settings.shelf, limit=1))
        except CallFailed:
            call.missing.add(LIST_BOOKS)
        if book in {WAITS, AT_GATE}:
            try:
                await call.library.misbehave(MisbehaveRequest(how="wait" if book == WAITS else "gate"))
            except CallFailed:
                call.missing.add(MISBEHAVE)


def agent(*, timeout_ms: int = 10_000) -> Agent[ScoutRequest, ScoutCall, Finding]:
    """Return the agent, which starts the test server; its requests have *timeout_ms*."""
    compiled = declared.agent(Scout())
    (library,) = compiled.uses
    return replace(
        compiled,
        uses=(replace(library, client=LibraryClient),),
        limits=replace(compiled.limits, timeout_ms=timeout_ms),
    )


def main() -> int:
    """Run the agent with the process's arguments."""
    timeout_ms = int(os.environ.get("SCOUT_TIMEOUT_MS", "10000"))
    scout = agent(timeout_ms=timeout_ms)
    if store := os.environ.get("SCOUT_TASK_STORE"):
        scout = replace(scout, tasks=AgentTasks(store=store, redeliver_after_s=1))
    return run(scout, sandbox="tests.toolaccord.demo.library_sandbox", package=None)


if __name__ == "__main__":
    raise SystemExit(main())
