"""A whole server on its real source: the generated server, the handlers, the pipeline, MCP around it, and a clock moved by hand."""

import asyncio
import importlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from jsonschema import Draft202012Validator
from mcp import Client

from tests.contracts.reading import tool
from tests.servers.answers import body, code
from tests.servers.seen import Seen
from toolpact.testing import ManualClock, connect

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TO_ANSWER_S = 60
"""Seconds of real time, after which a test has waited for a clock that nobody moves."""
_QUESTIONS = {"call", "fetch", "fetch_one", "transaction", "get_json", "query"}


class Watched:
    """A real source, and how often it was asked."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        self.asked += name in _QUESTIONS
        return getattr(self._source, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call was answered."""

    body: dict[str, Any]
    """The envelope."""
    code: str | None
    """The code of the error; None for a success."""
    message: str
    """What the error says; empty for a success."""
    details: Any
    """The details of the error; None for a success."""
    metadata: dict[str, Any]
    """What stands beside data or error in the dialect of TradeStream."""


class Station:
    """One server, asked by a client, and watched."""

    def __init__(self, room: str, client: Client, sources: Mapping[str, Watched], seen: Seen) -> None:
        self._room = room
        self._client = client
        self._sources = sources
        self._seen = seen

    @property
    def asked(self) -> int:
        """How often the server has asked its sources."""
        return sum(source.asked for source in self._sources.values())

    async def until_asked(self, count: int) -> None:
        """Let other tasks go on until the server has asked its sources *count* times; their timers are then set."""
        async with asyncio.timeout(TO_ANSWER_S):
            while self.asked < count:  # noqa: ASYNC110 - nobody could set an event: the source is the real one
                await asyncio.sleep(0)

    async def check(self) -> None:
        """Ask each source whether it answers, as `/ready` does."""
        for source in self._sources.values():
            await source.check()

    async def ask(self, name: str, /, _key: str | None = None, **arguments: Any) -> Answer:
        """Call a tool, under the idempotency key *_key* if there is one."""
        before, meta = self.asked, cast("Any", None if _key is None else {"idempotency_key": _key})
        async with asyncio.timeout(TO_ANSWER_S):
            result = await self._client.call_tool(name, arguments, meta=meta)
        said = body(result)
        error = said.get("error") or {}
        assert result.is_error == (code(said) is not None)
        if result.structured_content is not None:
            assert result.structured_content == said
        if result.is_error:
            self._seen.answers.add((name, str(code(said))))
        else:
            self._note(name, said, hit=self.asked == before)
        return Answer(
            body=said,
            code=code(said),
            message=error.get("message", ""),
            details=error.get("details"),
            metadata=said.get("_metadata", {}),
        )

    def _note(self, name: str, said: dict[str, Any], *, hit: bool) -> None:
        data = said["data"] if "_metadata" in said else said
        Draft202012Validator(tool(self._room, name)["returns"]).validate(data)
        if hit:
            self._seen.cached.add((name,))
        if data.get("items") and data.get("pagination", {}).get("offset"):
            self._seen.paginated.add((name,))


@asynccontextmanager
async def station(
    room: str, settings: Mapping[str, Any], seen: Seen, clock: ManualClock | None = None
) -> AsyncIterator[Station]:
    """Give the server of *room* with its own handlers, its sources opened from *settings*."""
    clock = clock or ManualClock(NOW)
    served = importlib.import_module(f"generated.{room}.server").server(importlib.import_module(f"handlers.{room}"))
    values = {setting.name: setting.default for setting in served.settings} | dict(settings)
    async with AsyncExitStack() as stack:
        sources = {}
        for declared in served.sources:
            source = declared.open(values, clock)
            stack.push_async_callback(source.close)
            sources[declared.name] = Watched(source)
        given: Any = sources
        client = await stack.enter_async_context(connect(served, sources=given, settings=values, clock=clock))
        yield Station(room, client, sources, seen)
