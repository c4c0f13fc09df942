"""What tests of handlers and servers need: a clock moved by hand, sources that say what they are told, a client."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from mcp import Client

from toolpact.call.pipeline import Pipeline
from toolpact.client.connection import Connection
from toolpact.client.sdk import SdkConnection
from toolpact.declarations.settings import SettingValue
from toolpact.declarations.tool import Server
from toolpact.sources import Source
from toolpact.sources.http import HttpUnavailable
from toolpact.sources.postgresql import Row, Statements
from toolpact.telemetry.metrics import Metrics
from toolpact.telemetry.tracing import CallTracer
from toolpact.timing.clock import Clock
from toolpact.transports.mcp.sdk_server import mcp_server

Era: TypeAlias = Literal["handshake", "stateless"]
"""The two eras of the protocol: through 2025-11-25, and from 2026-07-28."""

_MODES: Mapping[Era, str] = {"handshake": "legacy", "stateless": "2026-07-28"}


@dataclass(order=True, slots=True)
class _Waiting:
    due: float
    order: int
    callback: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        """Forget the callback."""
        self.cancelled = True


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = now
        self._elapsed = 0.0
        self._waiting: list[_Waiting] = []
        self._order = itertools.count()
        self._asked = asyncio.Event()

    def now(self) -> datetime:
        """Return the time of day."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds that the clock was moved."""
        return self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> _Waiting:
        """Call *callback* once the clock has moved on by *seconds*."""
        waiting = _Waiting(self._elapsed + seconds, next(self._order), callback)
        heapq.heappush(self._waiting, waiting)
        self._asked.set()
        return waiting

    async def asked(self) -> None:
        """Wait until somebody has asked to be called later: from then on moving the clock means something."""
        await self._asked.wait()

    def advance(self, seconds: float) -> None:
        """Move the clock on, calling what falls due on the way, in order."""
        until = self._elapsed + seconds
        while self._waiting and self._waiting[0].due <= until:
            waiting = heapq.heappop(self._waiting)
            self._elapsed = max(self._elapsed, waiting.due)
            if not waiting.cancelled:
                waiting.callback()
        self._elapsed = until


class FakeSource:
    """A source that only counts: how often it was started and closed."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.started = 0
        self.closed = 0

    async def start(self) -> None:
        """Count a start."""
        self.started += 1

    async def check(self) -> None:
        """Answer."""

    async def close(self) -> None:
        """Count a close."""
        self.closed += 1


class FakePostgresql(FakeSource):
    """A database that answers what *answer* says; it is given the statement and its values, and may raise.

    A transaction is not kept apart from the rest. For the faults of a database use a real one.
    """

    def __init__(self, answer: Callable[[str, tuple[Any, ...]], list[Row]]) -> None:
        super().__init__("postgresql")
        self._answer = answer

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement."""
        return self._answer(sql, values)

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or None."""
        return next(iter(self._answer(sql, values)), None)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Statements]:
        """Do several statements, one after the other."""
        yield self


class FakeHttp(FakeSource):
    """A service that answers the JSON of *pages* by path; an exception there is raised, any other path is a 404."""

    def __init__(self, pages: Mapping[str, Any]) -> None:
        super().__init__("http")
        self._pages = pages
        self.asked: list[tuple[str, dict[str, Any]]] = []
        """Path and parameters of each request so far."""

    async def get_json(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON at *path*."""
        self.asked.append((path, dict(params or {})))
        page = self._pages.get(path, HttpUnavailable(f"GET {path}: status 404", status=404))
        if isinstance(page, Exception):
            raise page
        return page


def pipeline(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    metrics: Metrics | None = None,
    tracer: CallTracer | None = None,
) -> Pipeline:
    """Return the pipeline of *server*.

    A source that is not given is a FakeSource of its kind; a setting that is not given has its default.
    """
    opened = {source.name: FakeSource(source.kind) for source in server.sources} | dict(sources or {})
    values = {setting.name: setting.default for setting in server.settings} | dict(settings or {})
    return Pipeline(server, opened, values, clock or ManualClock(), metrics=metrics, tracer=tracer)


@asynccontextmanager
async def connect(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    era: Era = "stateless",
) -> AsyncIterator[Client]:
    """Give an MCP client that talks to *server* in memory; the rest is as for `pipeline`."""
    served = mcp_server(server, pipeline(server, sources=sources, settings=settings, clock=clock))
    client = Client(served, mode=_MODES[era])
    ready, over = asyncio.get_running_loop().create_future(), asyncio.Event()
    hosting = asyncio.create_task(_host(client, ready, over))
    await ready
    try:
        yield client
    finally:
        over.set()
        await hosting


def connection(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    era: Era = "stateless",
) -> Connection:
    """Return the way to *server* in memory, for a typed client of it; the rest is as for `pipeline`."""
    served = mcp_server(server, pipeline(server, sources=sources, settings=settings, clock=clock))
    return SdkConnection(server.name, served, era=era)


async def _host(client: Client, ready: asyncio.Future[None], over: asyncio.Event) -> None:
    """Enter and leave *client* in one task, as it must be; a fixture's two halves run in two."""
    try:
        async with client:
            ready.set_result(None)
            await over.wait()
    except Exception as error:
        if ready.done():
            raise
        ready.set_exception(error)


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep *record*."""
        self.records.append(record)


@contextmanager
def captured_logs(level: int = logging.INFO) -> Iterator[list[logging.LogRecord]]:
    """Give a list that grows with everything logged meanwhile at *level* or above."""
    root, collector = logging.getLogger(), _Collector()
    before = root.level
    root.addHandler(collector)
    root.setLevel(level)
    try:
        yield collector.records
    finally:
        root.removeHandler(collector)
        root.setLevel(before)
