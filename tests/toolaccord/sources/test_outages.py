"""Outages of sources other than PostgreSQL: a line per change of state, not per call."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import grpc.aio
import httpx
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from tests.services.valkey import Valkey
from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian, LibraryCall, MisbehaveRequest, MisbehaveResult, ShelfGone
from tests.toolaccord.process import PATIENCE_S
from toolaccord import shutdown
from toolaccord.call.response import Answer
from toolaccord.errors import SourceError
from toolaccord.shutdown import connect_sources
from toolaccord.sources import Source
from toolaccord.sources.availability import Availability, report_deadline
from toolaccord.sources.grpc import GrpcSource
from toolaccord.sources.http import HttpSource
from toolaccord.sources.influxdb import InfluxdbSource
from toolaccord.sources.redis import RedisSource
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, capture_logs, pipeline
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import SystemClock
from toolaccord.timing.deadline import DeadlineExceeded
from toolaccord.transports.http.readiness import Readiness
from toolaccord.transports.http.traffic import Traffic

SECRET = "s3cr3t"
HTTP = HttpSource(
    name="news", url="url", max_connections=4, connection_timeout_s=20, timeout_s=20, retries=0, client="news/1"
)
INFLUXDB = InfluxdbSource(
    name="news",
    url="url",
    token="token",
    org="org",
    bucket="bucket",
    query_language="language",
    max_connections=4,
    idle_timeout_s=60,
    connection_timeout_s=20,
)
GRPC = GrpcSource(
    name="news", target="url", max_connections=2, keepalive_interval_s=30, keepalive_timeout_s=10, max_in_flight=4
)
REDIS = RedisSource(name="news", url="url", max_connections=4, connection_timeout_s=20, timeout_s=20, retries=1)

Reply = Callable[[bytes], Awaitable[bytes]]


@dataclass(frozen=True)
class Kind:
    """A kind of source, its server on a port of 127.0.0.1, and one request to it."""

    source: Any
    url: str
    serving: Callable[[int], Any]
    """Serves on a port, or on a free one for 0, and gives the port."""
    request: Callable[[Any], Awaitable[object]]

    def open(self, port: int) -> Any:
        settings = {"token": "", "org": "", "bucket": "b", "language": "influxql"}
        return self.source.open({"url": self.url.format(port=port)} | settings, SystemClock())


async def _reply(_head: bytes) -> bytes:
    return b"200 OK"


async def _fail(_head: bytes) -> bytes:
    return b"404 Not Found"


@asynccontextmanager
async def serving_http(port: int, reply: Reply = _reply) -> AsyncIterator[int]:
    """Serve an empty result over HTTP, with the status that *reply* gives."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            body = b'{"results":[]}'
            writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (await reply(head), len(body), body))

    listener = socket.create_server(("127.0.0.1", port))
    async with aclosing(SocketServer(listener, connected)):
        yield listener.getsockname()[1]


@asynccontextmanager
async def serving_grpc(port: int) -> AsyncIterator[int]:
    async def echo(request: bytes, _context: Any) -> bytes:
        return request

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    methods = {"Echo": grpc.unary_unary_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Service", methods),))
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    yield port
    await server.stop(None)


@asynccontextmanager
async def serving_redis(port: int, *, valkey: Valkey) -> AsyncIterator[int]:
    valkey.port = port or valkey.port
    with valkey.running():
        yield valkey.port


@pytest.fixture(params=["http", "influxdb", "grpc", "redis"])
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    kinds = {
        "http": Kind(HTTP, "http://127.0.0.1:{port}", serving_http, lambda http: http.get_json(f"a/{SECRET}")),
        "influxdb": Kind(INFLUXDB, "http://127.0.0.1:{port}", serving_http, lambda bucket: bucket.query(SECRET)),
        "grpc": Kind(GRPC, "127.0.0.1:{port}", serving_grpc, _echo),
        "redis": Kind(
            REDIS,
            "redis://127.0.0.1:{port}/0",
            partial(serving_redis, valkey=Valkey(tmp_path)),
            lambda redis: redis.get(SECRET),
        ),
    }
    return kinds[request.param]


def _echo(service: Any) -> Awaitable[object]:
    return service.call("/test.Service/Echo", StringValue(value=SECRET), StringValue, PATIENCE_S)  # type: ignore[no-any-return]


class Asking(Librarian):
    """Handlers of which one sends a request to a source."""

    def __init__(self, request: Callable[[], Awaitable[object]]) -> None:
        self._request = request

    async def misbehave(self, _request: MisbehaveRequest, _call: LibraryCall, /) -> MisbehaveResult:
        await self._request()
        return MisbehaveResult.model_construct(done=1, ratio=None)


async def ask(request: Callable[[], Awaitable[object]]) -> Answer:
    """Call a tool whose handler sends *request*."""
    shelf = library.WoodenShelf("wood")
    calls = pipeline(library.server(Asking(request)), sources={"shelf": shelf}, settings={"shelf_url": "wood"})
    async with asyncio.timeout(PATIENCE_S):
        return await calls.call("misbehave", {"how": "crash"})


async def codes(kind: Kind, source: Any, calls: int) -> set[str | None]:
    """Return the codes of answers to *calls* calls, half of them at the same time."""
    request = partial(kind.request, source)
    found = await asyncio.gather(*(ask(request) for _ in range(calls // 2)))
    return {answer.code for answer in [*found, *[await ask(request) for _ in range(calls // 2)]]}


async def ready(source: Source) -> str:
    """Return the state of *source* for an orchestrator."""
    readiness = Readiness({"news": source}, Traffic(), ManualClock())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(readiness), base_url="http://localhost") as client:
        state: str = (await client.get("/ready")).json()["sources"]["news"]
    return state


def observed(metrics: Metrics) -> list[float]:
    """Return the state of the source for Prometheus, and its failures."""
    names = ("mcp_source_up", "mcp_source_failures_total")
    return [metrics.registry.get_sample_value(name, {"source": "news"}) or 0 for name in names]


def lines(records: list[logging.LogRecord]) -> list[tuple[str, str]]:
    """Return level and text of each record that a server would write, except those of calls."""
    written = [record for record in records if not record.name.startswith("httpx")]
    assert all(record.exc_info is None for record in written)
    assert SECRET not in str([vars(record) for record in written])
    return [(record.levelname, record.getMessage()) for record in written if record.getMessage() != "call"]


async def test_an_outage_is_one_line_when_it_begins_and_one_when_it_ends(kind: Kind) -> None:
    async with kind.serving(0) as port:
        source = kind.open(port)
        assert await codes(kind, source, 2) == {None}
    try:
        with capture_logs() as records:
            assert await codes(kind, source, 8) == {"SHELF_GONE"}
            ((level, text),) = lines(records)
            assert await ready(source) == "unavailable"
        assert len(lines(records)) == 1
        assert (level, text.partition(":")[0]) == ("WARNING", "source news is unavailable")
        metrics = Metrics(library.server(Librarian()), {"news": source})
        assert observed(metrics)[0] == 0
        assert observed(metrics)[1] >= 8
        assert all(vars(record)["fields"]["cause"] for record in records if record.getMessage() == "call")
        async with kind.serving(port):
            with capture_logs() as records:
                assert await codes(kind, source, 4) == {None}
                assert len(lines(records)) == 1
                assert await ready(source) == "ok"
            assert lines(records) == [("INFO", "source news is available again")]
            assert observed(metrics)[0] == 1
            await source.close()
    finally:
        await source.close()


async def test_an_outage_that_only_the_probe_or_the_start_sees_is_one_line(kind: Kind) -> None:
    async with kind.serving(0) as port:
        pass
    source = kind.open(port)
    with capture_logs() as records:
        await connect_sources({"news": source})
        assert [await ready(source) for _ in range(3)] == ["unavailable"] * 3
        await connect_sources({"news": source})
    await source.close()
    assert [level for level, _ in lines(records)] == ["WARNING"]


async def test_a_source_that_hangs_keeps_no_server_from_its_other_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(_head: bytes) -> bytes:
        await asyncio.Event().wait()
        return b""

    monkeypatch.setattr(shutdown, "_CONNECT_S", 0.5)
    async with serving_http(0, hang) as silent, serving_http(0) as port:
        kind = Kind(INFLUXDB, "http://127.0.0.1:{port}", serving_http, lambda bucket: bucket.check())
        hanging, other = kind.open(silent), kind.open(port)
        with capture_logs() as records:
            await connect_sources({"hanging": hanging, "other": other})
        await asyncio.gather(hanging.close(), other.close())
    assert other.availability.answers == 1
    assert lines(records) == [("WARNING", "source hanging is not there yet: it did not answer within 0.5 s")]


async def test_an_error_that_a_source_answers_with_is_no_outage_and_ends_one() -> None:
    kind = Kind(HTTP, "http://127.0.0.1:{port}", serving_http, lambda http: http.get_json("a"))
    async with serving_http(0) as port:
        source = kind.open(port)
    with capture_logs() as records:
        assert await codes(kind, source, 2) == {"SHELF_GONE"}
        async with serving_http(port, _fail):
            assert await codes(kind, source, 4) == {"SHELF_GONE"}
            await source.close()
    assert [level for level, _ in lines(records)] == ["WARNING", "INFO"]


async def test_a_request_that_is_slow_alone_is_no_outage() -> None:
    slow = asyncio.Event()

    async def reply(head: bytes) -> bytes:
        if b"slow" in head:
            slow.set()
            await asyncio.Event().wait()
        return b"200 OK"

    clock = ManualClock()
    async with serving_http(0, reply) as port:
        source = HTTP.open({"url": f"http://127.0.0.1:{port}"}, clock)
        with capture_logs() as records:
            for _ in range(3):
                slow.clear()
                waiting = asyncio.create_task(ask(lambda: source.get_json("slow")))
                async with asyncio.timeout(PATIENCE_S):
                    await slow.wait()
                assert (await ask(lambda: source.get_json("quick"))).code is None
                clock.advance(HTTP.timeout_s)
                assert (await waiting).code == "SHELF_GONE"
        await source.close()
    assert lines(records) == []


@pytest.mark.parametrize("has_cause", [True, False])
async def test_a_declared_error_from_an_outage_is_that_error_and_logs_the_outage_once(*, has_cause: bool) -> None:
    source = HTTP.open({"url": "http://127.0.0.1:1"}, SystemClock())

    async def request() -> None:
        try:
            await source.get_json(SECRET)
        except SourceError as error:
            declared = ShelfGone("The shelf is away.")
            raise declared from (error if has_cause else None)

    with capture_logs() as records:
        answers = [await ask(request) for _ in range(3)]
    await source.close()
    assert {answer.body["error"]["message"] for answer in answers} == {"The shelf is away."}
    assert [level for level, _ in lines(records)] == ["WARNING"]


@pytest.mark.parametrize("kind", ["http", "influxdb", "redis"], indirect=True)
async def test_the_log_says_why_a_connection_failed(kind: Kind) -> None:
    async with kind.serving(0) as port:
        pass
    source = kind.open(port)
    with capture_logs() as records:
        await ask(partial(kind.request, source))
    await source.close()
    assert "Connection refused; start it" in lines(records)[0][1]


async def test_the_caller_reads_which_source_is_unavailable_and_no_address() -> None:
    source = HTTP.open({"url": "http://127.0.0.1:1"}, SystemClock())
    answer = await ask(lambda: source.get_json(SECRET))
    await source.close()
    assert answer.body["error"]["message"] == "The data source news is unavailable; call again later."
    assert SECRET not in answer.text


async def test_the_caller_reads_that_a_source_rejected_the_request() -> None:
    async with serving_http(0, _fail) as port:
        source = HTTP.open({"url": f"http://127.0.0.1:{port}"}, SystemClock())
        answer = await ask(lambda: source.get_json(SECRET))
        await source.close()
    message = "The data source news cannot serve this call; the server's log has the reason."
    assert answer.body["error"]["message"] == message


@asynccontextmanager
async def silent(port: int = 0) -> AsyncIterator[int]:
    """Accept connections, and never answer."""

    async def connected(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        while await reader.read(65536):
            pass

    listener = socket.create_server(("127.0.0.1", port))
    async with aclosing(SocketServer(listener, connected)):
        yield listener.getsockname()[1]


async def ask_until_deadline(request: Callable[[], Awaitable[object]], clock: ManualClock) -> Answer:
    """Call a tool whose handler sends *request*, which does not return before the deadline."""
    sources = {"shelf": library.WoodenShelf("wood")}
    calls = pipeline(library.server(Asking(request)), sources=sources, settings={"shelf_url": "wood"}, clock=clock)
    waiting = asyncio.create_task(calls.call("misbehave", {"how": "crash"}))
    for _ in range(20):  # the attempt begins
        await asyncio.sleep(0)
    clock.advance(60)
    async with asyncio.timeout(PATIENCE_S):
        return await waiting


async def test_a_source_that_hangs_beyond_the_deadline_is_as_visible_as_one_that_refuses(kind: Kind) -> None:
    clock = ManualClock()
    async with silent() as port:
        source = kind.open(port)
        metrics = Metrics(library.server(Librarian()), {"news": source})
        with capture_logs() as records:
            answers = [await ask_until_deadline(partial(kind.request, source), clock) for _ in range(3)]
            await asyncio.sleep(0)
        assert {answer.code for answer in answers} == {"TIMEOUT"}
        why = "no answer before the deadline of the call; look whether it hangs or is overloaded"
        assert lines(records) == [("WARNING", f"source news is unavailable: {why}")]
        calls = [vars(record)["fields"]["cause"] for record in records if record.getMessage() == "call"]
        assert calls == [f"news at 127.0.0.1:{port}: {why}"] * 3
        assert observed(metrics) == [0, 3]
    async with kind.serving(port):
        with capture_logs() as records:
            assert None in await codes(kind, source, 8)
        assert lines(records) == [("INFO", "source news is available again")]
        assert observed(metrics)[0] == 1
        await source.close()


async def test_a_short_deadline_shows_an_outage_only_after_a_second_of_silence() -> None:
    source = Availability("http", "news", "", ManualClock())
    for at, is_down in ((0.05, False), (0.5, False), (1.2, True)):
        attempt = source.attempt()
        report_deadline(DeadlineExceeded(at=at, waits={attempt: at - 0.05}))
        assert source.is_down == is_down
    source.connected()
    report_deadline(DeadlineExceeded(at=2.0, waits={source.attempt(): 1.9}))
    assert not source.is_down
