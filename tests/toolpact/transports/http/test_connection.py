"""Limits of a connection, and responses that end before their request."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from tests.toolpact.process import PATIENCE_S
from toolpact.transports.http.connection import LimitedConnection, RequestReporter

HOUR_S = 3600.0
HEAD = b"POST %b HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
TINY_CHUNKS = b"1\r\n \r\n" * 10_000
OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"


async def respond(send: Send, status: int, body: bytes = b"") -> None:
    length = str(len(body)).encode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": body})


async def reject(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - reads nothing
    """Respond without reading the body."""
    await respond(send, 401)


async def count(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with the path and the length of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message["body"])
        more = message["more_body"]
    await respond(send, 200, json.dumps([scope["path"], size]).encode())


@asynccontextmanager
async def running(
    app: ASGIApp, *, head_timeout_s: float = HOUR_S, body_timeout_s: float = HOUR_S, read_bytes: int = 16_384
) -> AsyncIterator[int]:
    """Yield the port of a server of *app*, which reads *read_bytes* at a time."""
    reporter = RequestReporter(app, body_timeout_s)
    config = uvicorn.Config(reporter, ws="none", lifespan="off", log_config=None, access_log=False, interface="asgi3")
    connection: Callable[[], asyncio.BaseProtocol] = partial(
        LimitedConnection,
        head_timeout_s,
        read_bytes=read_bytes,
        config=config,
        server_state=ServerState(),
        app_state={},
    )
    async with await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield reader, writer
    finally:
        writer.close()


async def send_forever(writer: asyncio.StreamWriter, part: bytes) -> None:
    """Send *part* repeatedly. Raises ConnectionError once the server has closed the connection."""
    while True:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0)


async def read_response(reader: asyncio.StreamReader) -> Any:
    """Return the JSON of the next response."""
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return json.loads(await reader.readexactly(length))


@pytest.mark.parametrize(
    "start, part",
    [
        (b"GET /", b"a" * 10_000),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X-A: 1\r\n" * 1000),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"a" * 10_000),
    ],
)
async def test_a_head_without_end_closes_the_connection(start: bytes, part: bytes) -> None:
    async with running(count) as port, connected(port) as (_, writer):
        writer.write(start)
        with pytest.raises(ConnectionError):
            await send_forever(writer, part)


@pytest.mark.parametrize("app", [reject, count])
async def test_a_body_that_is_nearly_all_framing_closes_the_connection(app: ASGIApp) -> None:
    async with running(app) as port, connected(port) as (_, writer):
        writer.write(HEAD % b"/" + CHUNKED)
        with pytest.raises(ConnectionError):
            await send_forever(writer, TINY_CHUNKS)


async def test_trailers_without_end_close_the_connection() -> None:
    async with running(count) as port, connected(port) as (_, writer):
        writer.write(HEAD % b"/" + CHUNKED + b"1\r\n \r\n0\r\n")
        with pytest.raises(ConnectionError):
            await send_forever(writer, b"X-A: 1\r\n" * 1000)


@pytest.mark.parametrize("size", [16, 1000, 60_000])
async def test_a_body_in_chunks_of_usual_sizes_is_read(size: int) -> None:
    times = 600_000 // size
    async with running(count) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + CHUNKED)
        for _ in range(times):
            writer.write(b"%x\r\n%b\r\n" % (size, b"x" * size))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        assert await read_response(reader) == ["/", times * size]


async def test_many_requests_on_one_connection_do_not_exhaust_its_credit() -> None:
    request = HEAD % b"/" + b"X-A: %b\r\nContent-Length: 2\r\n\r\n{}" % (b"a" * 30_000)
    async with running(count) as port, connected(port) as (reader, writer):
        for _ in range(40):
            writer.write(request)
            assert await read_response(reader) == ["/", 2]


async def test_white_space_around_a_header_value_is_no_part_of_it() -> None:
    async def respond_with_values(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - no body
        await respond(send, 200, json.dumps([value.decode() for _, value in scope["headers"]]).encode())

    async with running(respond_with_values) as port, connected(port) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: \t localhost \t\r\nMcp-Name:echo  \r\n\r\n")
        assert await read_response(reader) == ["localhost", "echo"]


async def test_pipelined_requests_are_answered_in_order() -> None:
    opened, order = asyncio.Event(), []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        order.append(scope["path"])
        await opened.wait()
        await count(scope, receive, send)

    async with running(slow) as port, connected(port) as (reader, writer):
        writer.write(b"".join(HEAD % b"/%d" % number + b"Content-Length: 2\r\n\r\n{}" for number in range(3)))
        await writer.drain()
        opened.set()
        assert [await read_response(reader) for _ in range(3)] == [["/0", 2], ["/1", 2], ["/2", 2]]
        assert order == ["/0", "/1", "/2"]


async def test_pipelined_requests_without_end_close_the_connection() -> None:
    async with running(count) as port, connected(port) as (reader, writer):
        responses = asyncio.create_task(reader.read())
        with pytest.raises(ConnectionError):
            await send_forever(writer, (HEAD % b"/" + b"\r\n") * 1000)
        await asyncio.wait({responses})


async def test_the_time_limit_also_holds_for_the_head_of_a_second_request() -> None:
    async with running(count, head_timeout_s=0.5) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 2\r\n\r\n{}GET /sec")
        await read_response(reader)
        writer.write(b"o")
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readexactly(1)


async def test_the_time_limit_of_a_head_does_not_hold_for_its_response() -> None:
    async def respond_after_the_time_limit(scope: Scope, receive: Receive, send: Send) -> None:
        time_limit_passed = asyncio.Event()
        asyncio.get_running_loop().call_later(1, time_limit_passed.set)
        await time_limit_passed.wait()
        await count(scope, receive, send)

    async with (
        running(respond_after_the_time_limit, head_timeout_s=1) as port,
        connected(port) as (reader, writer),
    ):
        writer.write(HEAD % b"/" + b"Content-Length: 2\r\n\r\n{}")
        assert await read_response(reader) == ["/", 2]


async def test_after_an_early_response_the_rest_of_the_body_is_read_and_the_connection_stays_open() -> None:
    async def reject_first(scope: Scope, receive: Receive, send: Send) -> None:
        await (reject if scope["path"] == "/rejected" else count)(scope, receive, send)

    async with running(reject_first) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/rejected" + b"Content-Length: 5000000\r\n\r\n")
        assert b" 401 " in await reader.readuntil(b"\r\n\r\n")
        for _ in range(50):
            writer.write(b"x" * 100_000)
            await writer.drain()
        writer.write(HEAD % b"/next" + b"Content-Length: 2\r\n\r\n{}")
        assert await read_response(reader) == ["/next", 2]


async def test_a_body_that_the_application_does_not_read_is_discarded_for_a_limited_time() -> None:
    async with running(reject, body_timeout_s=0.1) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 999999999\r\n\r\n")
        assert b" 401 " in await reader.readuntil(b"\r\n\r\n")
        with pytest.raises(ConnectionError):
            await send_forever(writer, b"x" * 1000)


async def test_cancelling_a_request_after_an_early_response_logs_no_error(caplog: pytest.LogCaptureFixture) -> None:
    tasks: list[asyncio.Task[Any] | None] = []

    async def record_task(scope: Scope, receive: Receive, send: Send) -> None:
        tasks.append(asyncio.current_task())
        await reject(scope, receive, send)

    async with running(record_task) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 9\r\n\r\n{")
        assert b" 401 " in await reader.readuntil(b"\r\n\r\n")
        (task,) = tasks
        assert task
        task.cancel()
        assert await reader.read() == b""
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("read_bytes", [1, 7, 16_384])
@pytest.mark.parametrize("body", [b"Content-Length: 2\r\n\r\n{}", CHUNKED + b"2\r\n{}\r\n0\r\n\r\n"])
async def test_offers_of_another_protocol_are_ignored_wherever_the_head_is_split(body: bytes, read_bytes: int) -> None:
    async with running(count, read_bytes=read_bytes) as port, connected(port) as (reader, writer):
        for path in (b"/1", b"/2"):
            writer.write(HEAD % path + OFFER + body)
            assert await read_response(reader) == [path.decode(), 2]
            writer.write(HEAD % path + b"Content-Length: 26\r\n\r\n\r\nUpgrade: within a body\r\n")
            assert await read_response(reader) == [path.decode(), 26]


async def test_an_offer_is_ignored_while_the_application_still_runs_after_its_response() -> None:
    closed = asyncio.Event()

    async def linger(scope: Scope, receive: Receive, send: Send) -> None:
        await count(scope, receive, send)
        await closed.wait()

    async with running(linger) as port, connected(port) as (reader, writer):
        for path in (b"/1", b"/2"):
            writer.write(HEAD % path + OFFER + b"Content-Length: 2\r\n\r\n{}")
            assert await read_response(reader) == [path.decode(), 2]
        closed.set()


@pytest.mark.parametrize("line", [b"\x16\x03\x01 a TLS client\r", b"BREW /pot HTTP/1.1\r"])
async def test_an_invalid_request_line_is_rejected_before_the_head_is_whole(line: bytes) -> None:
    async with running(count) as port, connected(port) as (reader, writer):
        writer.write(line)
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("sent", [b"Content-Length: 2\r\n\r\n{}", b"Content-Length: 2\r\n\r\n{"])
async def test_the_application_receives_the_disconnect_of_its_client(sent: bytes) -> None:
    received: asyncio.Queue[str] = asyncio.Queue()

    async def record_messages(_: Scope, receive: Receive, __: Send) -> None:
        while (message := await receive())["type"] != "http.disconnect":
            received.put_nowait(message["type"])
        received.put_nowait(message["type"])

    async with running(record_messages) as port:
        async with connected(port) as (_, writer):
            writer.write(HEAD % b"/" + sent)
            assert await received.get() == "http.request"
        assert await asyncio.wait_for(received.get(), PATIENCE_S) == "http.disconnect"


async def test_a_response_with_connection_close_closes_the_connection_after_the_body() -> None:
    async def respond_last(_: Scope, __: Receive, send: Send) -> None:
        headers = [(b"content-length", b"4"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": b"last"})

    async with running(respond_last) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 3000000\r\n\r\n")
        for _ in range(30):
            writer.write(b"x" * 100_000)
            await writer.drain()
        assert (await reader.read()).endswith(b"\r\n\r\nlast")


async def test_an_application_called_in_process_has_no_connection_limits() -> None:
    transport = httpx.ASGITransport(RequestReporter(count, HOUR_S))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.post("/in", content=b"{}")).json() == ["/in", 2]
