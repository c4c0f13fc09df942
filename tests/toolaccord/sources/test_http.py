import asyncio
import dataclasses
import gzip
import socket
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager

import pytest

from tests.services import endless
from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources import Pooled, PoolState
from toolaccord.sources.http import Http, HttpBadResponse, HttpRateLimited, HttpSource, HttpTimeout, HttpUnavailable
from toolaccord.testing import ManualClock
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import SystemClock

Serve = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
DECLARED = HttpSource(
    name="iss", url="base", max_connections=2, connection_timeout_s=2.0, timeout_s=5.0, client="iss-mcp/1.0.0"
)


@asynccontextmanager
async def service(serve: Serve, clock: SystemClock | ManualClock | None = None, **limits: float) -> AsyncIterator[Http]:
    """Give a client, with *limits* of its own, of a service that answers by *serve*."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            await serve(head, writer)

    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    declared = dataclasses.replace(DECLARED, **limits)  # type: ignore[arg-type]
    async with aclosing(SocketServer(listener, connected)):
        http = declared.open({"base": f"http://127.0.0.1:{port}/iss"}, clock or SystemClock())
        try:
            yield http
        finally:
            await http.close()


def answer(body: bytes, status: str = "200 OK") -> Serve:
    async def serve(_request: bytes, writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)

    return serve


async def test_json_is_read_below_the_base_url() -> None:
    request_lines: list[bytes] = []

    async def serve(request: bytes, writer: asyncio.StreamWriter) -> None:
        request_lines.append(request.split(b"\r\n")[0])
        await answer(b'{"a": [1, 2.5]}')(request, writer)

    async with service(serve) as http:
        await http.start()
        assert await http.get_json("engines/stock.json", {"limit": 5, "on": "a b"}) == {"a": [1, 2.5]}
    assert request_lines == [b"GET /iss/engines/stock.json?limit=5&on=a+b HTTP/1.1"]


@pytest.mark.parametrize("status", ["404 Not Found", "503 Busy", "302 Found"])
async def test_an_error_status_is_reported_in_the_failure(status: str) -> None:
    async with service(answer(b"{}", status)) as http:
        with pytest.raises(HttpUnavailable) as raised:
            await http.get_json("x")
    assert raised.value.status == int(status[:3])


async def test_an_answer_that_is_not_json_is_a_failure() -> None:
    async with service(answer(b"<html>")) as http:
        with pytest.raises(HttpBadResponse):
            await http.get_json("x")


async def test_a_service_that_cannot_be_reached_is_a_failure_without_a_status() -> None:
    http = DECLARED.open({"base": "http://127.0.0.1:1"}, SystemClock())
    with pytest.raises(HttpUnavailable) as raised:
        await http.get_json("x")
    assert raised.value.status is None
    await http.close()


@pytest.mark.parametrize("status", ["200 OK", "404 Not Found", "401 Unauthorized"])
async def test_a_service_that_answers_below_500_passes_its_check(status: str) -> None:
    requests: list[bytes] = []

    async def serve(request: bytes, writer: asyncio.StreamWriter) -> None:
        requests.append(request.split(b"\r\n")[0])
        await answer(b"<html>", status)(request, writer)

    async with service(serve) as http:
        await http.check()
    assert len(requests) == 1


async def test_a_service_that_fails_or_cannot_be_reached_fails_its_check() -> None:
    async with service(answer(b"", "503 Service Unavailable")) as http:
        with pytest.raises(HttpUnavailable):
            await http.check()
    away = DECLARED.open({"base": "http://127.0.0.1:1"}, SystemClock())
    with pytest.raises(HttpUnavailable):
        await away.check()
    await away.close()


async def test_connections_in_use_are_counted() -> None:
    arrived, answered = asyncio.Event(), asyncio.Event()

    async def serve(request: bytes, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await answered.wait()
        await answer(b"1")(request, writer)

    async with service(serve) as http:
        assert isinstance(http, Pooled)
        assert http.pool_state() == PoolState(idle=None, in_use=0, limit=2)
        call = asyncio.create_task(http.get_json("x"))
        await arrived.wait()
        assert http.pool_state() == PoolState(idle=None, in_use=1, limit=2)
        answered.set()
        await call
        assert http.pool_state() == PoolState(idle=None, in_use=0, limit=2)


async def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with service(answer(b"1")) as proxy:
        monkeypatch.setenv("http_proxy", str(proxy._connections._url))  # type: ignore[attr-defined]
        http = DECLARED.open({"base": "http://iss.test"}, SystemClock())
        assert await http.get_json("x") == 1
        await http.close()


async def test_an_answer_that_takes_too_long_is_a_timeout() -> None:
    clock, dripping = ManualClock(), asyncio.Event()

    async def serve(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n1")
        dripping.set()

    async with service(serve, clock) as http:
        call = asyncio.create_task(http.get_json("x"))
        await dripping.wait()
        clock.advance(5)
        with pytest.raises(HttpTimeout):
            await call


async def test_a_broken_connection_is_a_failure_and_the_next_call_works() -> None:
    broken = True

    async def serve(request: bytes, writer: asyncio.StreamWriter) -> None:
        if broken:
            writer.close()
        else:
            await answer(b"1")(request, writer)

    async with service(serve) as http:
        with pytest.raises(HttpUnavailable):
            await http.get_json("x")
        broken = False
        assert await http.get_json("x") == 1


UNUSABLE = [
    "http://[::1",
    "http://127.0.0.1:notaport",
    "http://127.0.0.1:99999",
    f"http://{'a' * 64}.example",
    "http://",
]


@pytest.mark.parametrize("url", UNUSABLE)
async def test_an_invalid_address_is_a_failure_of_the_source(url: str) -> None:
    http = DECLARED.open({"base": url}, SystemClock())
    with pytest.raises(HttpUnavailable):
        await http.get_json("x")
    await http.close()


async def test_a_caller_cancelled_at_any_moment_releases_its_connection() -> None:
    async with service(answer(b"[1]")) as http:
        for ticks in range(1, 24):
            call = asyncio.create_task(http.get_json("x"))
            for _ in range(ticks):
                await asyncio.sleep(0)
            call.cancel()
            await asyncio.wait({call})
            assert await asyncio.gather(*(http.get_json("x") for _ in range(4))) == [[1]] * 4


async def test_requests_name_the_server_as_their_user_agent() -> None:
    heads: list[bytes] = []

    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        heads.append(head)
        await answer(b"1")(head, writer)

    async with service(serve) as http:
        await http.get_json("x")
    assert b"\r\nUser-Agent: iss-mcp/1.0.0 (toolaccord; httpx2/" in heads[0]


async def test_429_is_reported_with_its_retry_after() -> None:
    async def serve(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 429 Slow down\r\nRetry-After: 20\r\nContent-Length: 0\r\n\r\n")

    async with service(serve) as http:
        with pytest.raises(HttpRateLimited) as raised:
            await http.get_json("x")
    assert (raised.value.status, raised.value.retry_after_s) == (429, 20)


async def test_an_answer_that_cannot_be_decoded_is_a_bad_response() -> None:
    async def serve(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope")

    async with service(serve) as http:
        with pytest.raises(HttpBadResponse):
            await http.get_json("x")


@pytest.mark.parametrize(
    "status, failure, message",
    [
        ("200 OK", HttpBadResponse, "exceeds max_response_bytes of the source iss, 1000000 bytes"),
        ("503 Busy", HttpUnavailable, "status 503"),
    ],
)
async def test_an_endless_answer_is_a_failure_and_its_connection_is_closed(
    status: str, failure: type[Exception], message: str
) -> None:
    async with endless.serving(f"HTTP/1.1 {status}\r\n\r\n[".encode(), b"1," * 32_768) as there:
        http = dataclasses.replace(DECLARED, timeout_s=PATIENCE_S, max_response_bytes=1_000_000).open(
            {"base": there.url}, SystemClock()
        )
        with pytest.raises(failure, match=message):
            await http.get_json("x")
        await there.disconnected.wait()
        assert there.sent < 1_000_000 + endless.BUFFERED
        await http.close()


async def test_a_compressed_answer_is_not_decoded_beyond_the_limit() -> None:
    bomb = gzip.compress(bytes(200_000_000), compresslevel=1)

    async def serve(_head: bytes, writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
        writer.write(head.encode() + bomb)

    async with service(serve, max_response_bytes=1_000_000) as http:
        await http.start()
        tracemalloc.start()
        try:
            with pytest.raises(HttpBadResponse, match="exceeds max_response_bytes"):
                await http.get_json("x")
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert most < 20_000_000


async def test_an_answer_as_large_as_the_limit_is_read() -> None:
    body = b"[" + b"1," * 499_998 + b"10]"
    async with service(answer(body), max_response_bytes=1_000_000) as http:
        assert len(body) == 1_000_000
        assert len(await http.get_json("x")) == 499_999
    async with service(answer(body + b" "), max_response_bytes=1_000_000) as http:
        with pytest.raises(HttpBadResponse, match="exceeds max_response_bytes"):
            await http.get_json("x")


async def test_no_redirect_is_followed() -> None:
    requests: list[bytes] = []

    async def record(request: bytes, writer: asyncio.StreamWriter) -> None:
        requests.append(request)
        await answer(b"1")(request, writer)

    async with service(record) as elsewhere:
        location = f"Location: {elsewhere._connections._url}"  # type: ignore[attr-defined]
        for status in ("301 Moved", "307 Temporary Redirect"):
            async with service(answer(b"", f"{status}\r\n{location}")) as http:
                with pytest.raises(HttpUnavailable, match="no redirect is followed"):
                    await http.get_json("x")
    assert not requests


async def test_a_broken_connection_and_a_status_of_5xx_are_retried() -> None:
    faults = iter(["break", "503 Busy"])

    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        match next(faults, None):
            case "break":
                writer.close()
            case None:
                await answer(b"1")(head, writer)
            case status:
                await answer(b"", status)(head, writer)

    async with service(serve, retries=2) as http:
        assert await http.get_json("x") == 1


async def test_thirty_callers_start_three_requests_a_second_on_two_connections() -> None:
    clock, came = ManualClock(), asyncio.Semaphore(0)
    open_now = most_open = 0

    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, most_open
        came.release()
        open_now += 1
        most_open = max(most_open, open_now)
        await asyncio.sleep(0)
        open_now -= 1
        await answer(b"1")(head, writer)

    async with service(serve, clock, requests_per_second=3, connection_timeout_s=60) as http:
        call = asyncio.gather(*(http.get_json(f"x{number}") for number in range(30)))
        for _ in range(10):
            for _ in range(3):
                await came.acquire()
            clock.advance(0.999)
            for _ in range(100):
                await asyncio.sleep(0)
            assert came.locked(), "a fourth request came within the second"
            clock.advance(0.001)
        assert await call == [1] * 30
    assert most_open <= 2


async def test_a_caller_without_a_free_connection_gets_a_timeout() -> None:
    clock, busy = ManualClock(), asyncio.Event()

    async def serve(_head: bytes, _writer: asyncio.StreamWriter) -> None:
        busy.set()

    async with service(serve, clock, max_connections=1) as http:
        first = asyncio.create_task(http.get_json("x"))
        await busy.wait()
        second = asyncio.create_task(http.get_json("x"))
        for _ in range(5):
            await asyncio.sleep(0)
        clock.advance(2)
        with pytest.raises(HttpTimeout, match="busy"):
            await second
        first.cancel()
