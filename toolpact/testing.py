"""Test doubles and in-memory clients for tests of handlers and servers."""

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
from toolpact.sources.redis import RedisError
from toolpact.telemetry.metrics import Metrics
from toolpact.telemetry.tracing import CallTracer
from toolpact.timing.clock import Clock
from toolpact.transports.mcp.sdk_server import create_mcp_server

Era: TypeAlias = Literal["handshake", "stateless"]
"""The two eras of the protocol: up to version 2025-11-25, and from 2026-07-28 on."""

_MODES: Mapping[Era, str] = {"handshake": "legacy", "stateless": "2026-07-28"}


@dataclass(order=True, slots=True)
class _ManualTimer:
    expires_at: float
    order: int
    callback: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        """Cancel the callback."""
        self.cancelled = True


class ManualClock:
    """A clock that moves only when a test advances it."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = now
        self._elapsed = 0.0
        self._timers: list[_ManualTimer] = []
        self._order = itertools.count()
        self._timer_added = asyncio.Event()

    def now(self) -> datetime:
        """Return the time of day."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds by which the clock was advanced."""
        return self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> _ManualTimer:
        """Call *callback* when the clock has advanced by *seconds*."""
        timer = _ManualTimer(self._elapsed + seconds, next(self._order), callback)
        heapq.heappush(self._timers, timer)
        self._timer_added.set()
        return timer

    async def wait_for_timer(self) -> None:
        """Wait until the code under test has set its first timer.

        From then on, advancing the clock has an effect.
        """
        await self._timer_added.wait()

    def advance(self, seconds: float) -> None:
        """Advance the clock by *seconds*, and call the callbacks of expired timers in order."""
        until = self._elapsed + seconds
        while self._timers and self._timers[0].expires_at <= until:
            timer = heapq.heappop(self._timers)
            self._elapsed = max(self._elapsed, timer.expires_at)
            if not timer.cancelled:
                timer.callback()
        self._elapsed = until


class FakeSource:
    """A source that counts its starts and closings."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.started = 0
        self.closed = 0

    async def start(self) -> None:
        """Count a start."""
        self.started += 1

    async def check(self) -> None:
        """Answer that the source is available."""

    async def close(self) -> None:
        """Count a close."""
        self.closed += 1


class FakePostgresql(FakeSource):
    """A database whose rows come from *answer*.

    *answer* takes a statement and its values, and may raise. Transactions are not isolated. Use a real database to test its faults.
    """

    def __init__(self, answer: Callable[[str, tuple[Any, ...]], list[Row]]) -> None:
        super().__init__("postgresql")
        self._answer = answer

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of *answer*."""
        return self._answer(sql, values)

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of *answer*; None without one."""
        return next(iter(self._answer(sql, values)), None)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Statements]:
        """Run several statements, without isolation."""
        yield self


class FakeHttp(FakeSource):
    """An HTTP service that answers with *pages*, JSON by path.

    An exception among them is raised; every other path is a 404.
    """

    def __init__(self, pages: Mapping[str, Any]) -> None:
        super().__init__("http")
        self._pages = pages
        self.requests: list[tuple[str, dict[str, Any]]] = []
        """Path and parameters of each request, in order."""

    async def get_json(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the page at *path*."""
        self.requests.append((path, dict(params or {})))
        page = self._pages.get(path, HttpUnavailable(f"GET {path}: status 404", status=404))
        if isinstance(page, Exception):
            raise page
        return page


class UnreachableRedis(FakeSource):
    """A Redis that does not answer: limits count in memory, and nothing is shared."""

    def __init__(self) -> None:
        super().__init__("redis")
        self.commands = 0
        """Number of commands that failed."""

    async def get(self, *_: Any, **__: Any) -> Any:
        """Raise RedisError."""
        self.commands += 1
        raise RedisError("nobody answers")

    set = delete = run_script = publish = get


def pipeline(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    metrics: Metrics | None = None,
    tracer: CallTracer | None = None,
) -> Pipeline:
    """Return a pipeline of *server*.

    Sources default to a FakeSource of their kind, for Redis to an UnreachableRedis. Settings default to their declared
    default, the clock to a ManualClock.
    """
    opened = {source.name: _fake(source.kind) for source in server.sources} | dict(sources or {})
    values = {setting.name: setting.default for setting in server.settings} | dict(settings or {})
    return Pipeline(server, opened, values, clock or ManualClock(), metrics=metrics, tracer=tracer)


def _fake(kind: str) -> Source:
    return UnreachableRedis() if kind == "redis" else FakeSource(kind)


@asynccontextmanager
async def connect(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    era: Era = "stateless",
) -> AsyncIterator[Client]:
    """Yield an MCP client connected to *server* in memory; other parameters as for `pipeline`."""
    served = create_mcp_server(server, pipeline(server, sources=sources, settings=settings, clock=clock))
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
    """Return an in-memory connection to *server* for its typed client.

    The other parameters are those of `pipeline`.
    """
    served = create_mcp_server(server, pipeline(server, sources=sources, settings=settings, clock=clock))
    return SdkConnection(server.name, served, era=era)


async def _host(client: Client, ready: asyncio.Future[None], over: asyncio.Event) -> None:
    """Enter and leave *client* in one task, as anyio demands.

    pytest runs the two halves of a fixture in two tasks.
    """
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
        """Append *record*."""
        self.records.append(record)


@contextmanager
def capture_logs(level: int = logging.INFO) -> Iterator[list[logging.LogRecord]]:
    """Yield a list to which every log record at *level* or above is appended."""
    root, collector = logging.getLogger(), _Collector()
    before = root.level
    root.addHandler(collector)
    root.setLevel(level)
    try:
        yield collector.records
    finally:
        root.removeHandler(collector)
        root.setLevel(before)
