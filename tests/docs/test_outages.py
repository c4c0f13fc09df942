"""The page on overload and outages: each row of its table is what a caller gets."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest

from generated.dialects import PLATFORM
from tests.toolaccord.demo import forecast, library
from tests.toolaccord.demo.gate import Porter
from tests.toolaccord.demo.library import Book, GetBookRequest, Librarian, LibraryCall, WoodenShelf
from tests.toolaccord.generated.demo.gate.server import server as gate
from tests.toolaccord.overload import saturate
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.callers.rules import TokenRules
from toolaccord.config.access_rules import AccessRules
from toolaccord.errors import SourceError
from toolaccord.sources.availability import Availability
from toolaccord.sources.breaker import LEAST_OUTCOMES
from toolaccord.sources.http import HttpRateLimited, HttpUnavailable
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, UnreachableRedis, pipeline
from toolaccord.transports.http.app import HttpApp, Pages

PAGE = (Path(__file__).parents[2] / "docs/outages.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip(" `") for cell in line.strip("|").split("|")]
    for line in PAGE.partition("|---|---|---|---:|---:|---|\n")[2].partition("\n\n")[0].splitlines()
]
TIMEOUT_S = 5.0
RETRY_AFTER_S = 7


class Shelf(WoodenShelf):
    """A shelf that is a source over HTTP."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__("shelf")
        self.availability = Availability("http", "shelf", "", clock, HttpUnavailable)


class Desk(Librarian):
    """A library on the platform, whose shelf is a source over HTTP."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.shelf = Shelf(self.clock)
        self.visit: Callable[[], Awaitable[object]] = asyncio.Event().wait
        declared = library.server(self, timeout_ms=int(1000 * TIMEOUT_S))
        tools = tuple(replace(tool, writes=("shelf",)) if tool.name == "get_book" else tool for tool in declared.tools)
        self.metrics = Metrics(declared, {"shelf": self.shelf})
        self.pipeline: Pipeline = pipeline(
            replace(declared, dialect=PLATFORM, tools=tools),
            sources={"shelf": self.shelf},
            settings={"shelf_url": "s3cr3t"},
            clock=self.clock,
        )

    async def get_book(self, request: GetBookRequest, call: LibraryCall, /) -> Book:
        with self.shelf.availability.request():
            await self.visit()
        return await super().get_book(request, call)

    async def call(self, tool: str = "get_book", **arguments: Any) -> Answer:
        return await self.pipeline.call(tool, arguments or {"id": 7})

    def fail(self, error: SourceError | None = None) -> None:
        """Let each request to the shelf fail from now on."""

        async def visit() -> NoReturn:
            raise error or HttpUnavailable("refused", connection_failed=True)

        self.visit = visit

    async def open_circuit(self) -> None:
        self.fail()
        for _ in range(LEAST_OUTCOMES):
            await self.call()
        assert self.shelf.availability.breaker.state == "open"

    async def probe(self, path: str) -> httpx.Response:
        """Return the response to a probe while the circuit is open and each tool is overloaded."""
        await self.open_circuit()
        for tool in self.pipeline.tools:
            saturate(self.pipeline, tool, self.clock, TIMEOUT_S)
        nothing = frozenset[str]()
        access = AccessRules(
            tokens=TokenRules(), hosts=nothing, origins=nothing, open_paths=nothing, max_body_bytes=1, max_connections=1
        )
        app = HttpApp(self.pipeline, {"shelf": self.shelf}, access, Pages(None, self.metrics))
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get(path)


async def calls_ahead(desk: Desk) -> Answer:
    saturate(desk.pipeline, "get_book", desk.clock, TIMEOUT_S)
    return await desk.call()


async def cheaper_reads(desk: Desk) -> Answer:
    running = asyncio.create_task(desk.call())
    await asyncio.sleep(0)
    saturate(desk.pipeline, "list_books", desk.clock, 0.9 * TIMEOUT_S)
    await desk.call("list_books", shelf="A")
    answer = await desk.call()
    running.cancel()
    return answer


async def failed_source(desk: Desk) -> Answer:
    desk.fail()
    return await desk.call()


async def open_circuit(desk: Desk) -> Answer:
    await desk.open_circuit()
    answer = await desk.call()
    assert answer.cause
    assert "not sent" in answer.cause
    return answer


async def limited_source(desk: Desk) -> Answer:
    desk.fail(HttpRateLimited("enough", status=429, retry_after_s=RETRY_AFTER_S))
    return await desk.call()


async def late_source(desk: Desk) -> Answer:
    waiting = asyncio.create_task(desk.call())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    desk.clock.advance(TIMEOUT_S)
    return await waiting


async def many_calls(_desk: Desk) -> Answer:
    limited = pipeline(replace(gate(Porter()), dialect=PLATFORM), sources={"state": UnreachableRedis()})
    calls = [limited.answer(limited.receive("knock", {"name": "Ann"}, identity="")) for _ in range(4)]
    return [await each for each in calls][-1]


async def cached(desk: Desk) -> Answer:
    await desk.call("list_books", shelf="A")
    await desk.open_circuit()
    return await desk.call("list_books", shelf="A")


async def without_redis(_desk: Desk) -> Answer:
    async def load(_request: object) -> int:
        return 1

    replica = pipeline(forecast.server(load), sources={"state": UnreachableRedis()}, clock=ManualClock())
    return await replica.call("forecast", {"place": "Riga"})


SITUATIONS: dict[str, Callable[[Desk], Awaitable[Answer | httpx.Response]]] = {
    "more calls are ahead than the tool finishes in its deadline": calls_ahead,
    "cheaper reads of the source are slow, and a call of the tool runs": cheaper_reads,
    "a source fails": failed_source,
    "most requests to a source failed lately": open_circuit,
    "a source allows no more requests (429)": limited_source,
    "a source has not answered at the tool's deadline": late_source,
    "the caller has made as many calls as the tool's rate limit": many_calls,
    "a source is away, and the result is in the cache": cached,
    "the Redis of caches and rate limits is away": without_redis,
    "a probe of `/health` during all that": lambda desk: desk.probe("/health"),
    "a probe of `/ready` while most requests to a source fail": lambda desk: desk.probe("/ready"),
    "a scrape of `/metrics` during all that": lambda desk: desk.probe("/metrics"),
}


def test_each_situation_of_the_page_is_proved() -> None:
    assert [row[0] for row in ROWS] == list(SITUATIONS)


@pytest.mark.parametrize("situation,occasion,code,status,retry_after", [row[:5] for row in ROWS], ids=lambda each: "")
async def test_a_caller_gets_what_the_row_says(
    situation: str, occasion: str, code: str, status: str, retry_after: str
) -> None:
    found = await SITUATIONS[situation](Desk())
    if isinstance(found, httpx.Response):
        assert (found.status_code, occasion, code, retry_after) == (int(status), "", "", "")
        return
    assert (found.code, found.http) == (None if code == "a result" else code, int(status))
    assert getattr(PLATFORM.occasions, occasion, None) == found.code
    expected: dict[str, set[int | None]] = {
        "": {None},
        "1": {1},
        "that of the source": {RETRY_AFTER_S},
        "seconds": set(range(1, 61)),
    }
    assert found.retry_after_s in expected[retry_after]
