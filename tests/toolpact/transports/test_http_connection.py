"""Connections that send too much, or not enough, and what clients see of answers that come early."""

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
TINY = b"1\r\n \r\n" * 10_000


async def answer(send: Send, status: int, body: bytes = b"") -> None:
    length = str(len(body)).encode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": body})


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - reads nothing
    """Answer without reading the body."""
    await answer(send, 401)


async def count(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the path and the length of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message["body"])
        more = message["more_body"]
    await answer(send, 200, json.dumps([scope["path"], size]).encode())


@asynccontextmanager
async def served(app: ASGIApp, *, head_s: float = HOUR_S, body_s: float = HOUR_S) -> AsyncIterator[int]:
    """Give the port of a server with these limits of time."""
    reporter = RequestReporter(app, body_s)
    config = uvicorn.Config(reporter, ws="none", lifespan="off", log_config=None, access_log=False, interface="asgi3")
    connection: Callable[[], asyncio.BaseProtocol] = partial(
        LimitedConnection, head_s, config=config, server_state=ServerState(), app_state={}
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


async def sends_for_ever(writer: asyncio.StreamWriter, part: bytes) -> None:
    """Send *part* again and again. Raises ConnectionError once the server has closed the connection."""
    while True:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0)


async def told(reader: asyncio.StreamReader) -> Any:
    """Return the JSON of the next answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return json.loads(await reader.readexactly(length))


@pytest.mark.parametrize(
    "begun, part",
    [
        (b"GET /", b"a" * 10_000),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X-A: 1\r\n" * 1000),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"a" * 10_000),
    ],
)
async def test_a_head_without_end_ends_the_connection(begun: bytes, part: bytes) -> None:
    async with served(count) as port, connected(port) as (_, writer):
        writer.write(begun)
        with pytest.raises(ConnectionError):
            await sends_for_ever(writer, part)


@pytest.mark.parametrize("app", [refuse, count])
async def test_a_body_that_is_nearly_all_framing_ends_the_connection(app: ASGIApp) -> None:
    async with served(app) as port, connected(port) as (_, writer):
        writer.write(HEAD % b"/" + CHUNKED)
        with pytest.raises(ConnectionError):
            await sends_for_ever(writer, TINY)


async def test_trailers_without_end_end_the_connection() -> None:
    async with served(count) as port, connected(port) as (_, writer):
        writer.write(HEAD % b"/" + CHUNKED + b"1\r\n \r\n0\r\n")
        with pytest.raises(ConnectionError):
            await sends_for_ever(writer, b"X-A: 1\r\n" * 1000)


@pytest.mark.parametrize("size", [16, 1000, 60_000])
async def test_a_body_in_chunks_of_usual_sizes_is_read(size: int) -> None:
    times = 3_000_000 // size
    async with served(count) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + CHUNKED)
        for _ in range(times):
            writer.write(b"%x\r\n%b\r\n" % (size, b"x" * size))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        assert await told(reader) == ["/", times * size]


async def test_many_requests_on_one_connection_use_nothing_up() -> None:
    request = HEAD % b"/" + b"X-A: %b\r\nContent-Length: 2\r\n\r\n{}" % (b"a" * 30_000)
    async with served(count) as port, connected(port) as (reader, writer):
        for _ in range(40):
            writer.write(request)
            assert await told(reader) == ["/", 2]


async def test_requests_that_come_before_the_answer_are_answered_in_turn() -> None:
    opened, order = asyncio.Event(), []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        order.append(scope["path"])
        await opened.wait()
        await count(scope, receive, send)

    async with served(slow) as port, connected(port) as (reader, writer):
        writer.write(b"".join(HEAD % b"/%d" % number + b"Content-Length: 2\r\n\r\n{}" for number in range(3)))
        await writer.drain()
        opened.set()
        assert [await told(reader) for _ in range(3)] == [["/0", 2], ["/1", 2], ["/2", 2]]
        assert order == ["/0", "/1", "/2"]


async def test_requests_without_end_that_wait_for_no_answer_end_the_connection() -> None:
    async with served(count) as port, connected(port) as (reader, writer):
        answers = asyncio.create_task(reader.read())
        with pytest.raises(ConnectionError):
            await sends_for_ever(writer, (HEAD % b"/" + b"\r\n") * 1000)
        await asyncio.wait({answers})


async def test_the_head_of_a_second_request_is_not_waited_for_either() -> None:
    async with served(count, head_s=0.1) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 2\r\n\r\n{}GET /sec")
        await told(reader)
        writer.write(b"o")
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readexactly(1)


async def test_after_an_early_answer_the_rest_of_the_body_is_read_and_the_connection_kept() -> None:
    async def half(scope: Scope, receive: Receive, send: Send) -> None:
        await (refuse if scope["path"] == "/refused" else count)(scope, receive, send)

    async with served(half) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/refused" + b"Content-Length: 5000000\r\n\r\n")
        assert b" 401 " in await reader.readuntil(b"\r\n\r\n")
        for _ in range(50):
            writer.write(b"x" * 100_000)
            await writer.drain()
        writer.write(HEAD % b"/next" + b"Content-Length: 2\r\n\r\n{}")
        assert await told(reader) == ["/next", 2]


async def test_a_body_that_is_not_wanted_is_not_read_for_ever() -> None:
    async with served(refuse, body_s=0.1) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 999999999\r\n\r\n")
        assert b" 401 " in await reader.readuntil(b"\r\n\r\n")
        with pytest.raises(ConnectionError):
            await sends_for_ever(writer, b"x" * 1000)


async def test_an_early_answer_whose_request_is_cancelled_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    tasks: list[asyncio.Task[Any] | None] = []

    async def remembered(scope: Scope, receive: Receive, send: Send) -> None:
        tasks.append(asyncio.current_task())
        await refuse(scope, receive, send)

    async with served(remembered) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 9\r\n\r\n{")
        assert b" 401 " in await reader.readuntil(b"\r\n\r\n")
        (task,) = tasks
        assert task
        task.cancel()
        assert await reader.read() == b""
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("body", [b"Content-Length: 2\r\n\r\n{}", CHUNKED + b"2\r\n{}\r\n0\r\n\r\n"])
async def test_a_request_that_offers_another_protocol_is_read_whole_and_so_is_the_next(body: bytes) -> None:
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
    async with served(count) as port, connected(port) as (reader, writer):
        for path in (b"/1", b"/2"):
            writer.write(HEAD % path + offer + body)
            assert await told(reader) == [path.decode(), 2]
            writer.write(HEAD % path + b"Content-Length: 26\r\n\r\n\r\nUpgrade: within a body\r\n")
            assert await told(reader) == [path.decode(), 26]


@pytest.mark.parametrize("sent", [b"Content-Length: 2\r\n\r\n{}", b"Content-Length: 2\r\n\r\n{"])
async def test_a_caller_that_leaves_is_told_of_to_the_application(sent: bytes) -> None:
    received: asyncio.Queue[str] = asyncio.Queue()

    async def waiting(_: Scope, receive: Receive, __: Send) -> None:
        while (message := await receive())["type"] != "http.disconnect":
            received.put_nowait(message["type"])
        received.put_nowait(message["type"])

    async with served(waiting) as port:
        async with connected(port) as (_, writer):
            writer.write(HEAD % b"/" + sent)
            assert await received.get() == "http.request"
        assert await asyncio.wait_for(received.get(), PATIENCE_S) == "http.disconnect"


async def test_an_answer_that_asks_for_it_ends_the_connection_after_the_body() -> None:
    async def last(_: Scope, __: Receive, send: Send) -> None:
        headers = [(b"content-length", b"4"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": b"last"})

    async with served(last) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 3000000\r\n\r\n")
        for _ in range(30):
            writer.write(b"x" * 100_000)
            await writer.drain()
        assert (await reader.read()).endswith(b"\r\n\r\nlast")


async def test_an_application_that_is_called_in_process_has_no_limits_of_a_connection() -> None:
    transport = httpx.ASGITransport(RequestReporter(count, HOUR_S))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.post("/in", content=b"{}")).json() == ["/in", 2]
