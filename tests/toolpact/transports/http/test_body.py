"""Bodies that arrive slowly, at a server with short timeouts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.toolpact.library import Librarian, WoodenShelf, server
from tests.toolpact.process import PATIENCE_S
from toolpact.call.pipeline import Pipeline
from toolpact.config.process_settings import AccessRules, StopTimeouts
from toolpact.shutdown import StopSignal
from toolpact.sources import Source
from toolpact.transports.http.app import HttpApp, Pages
from toolpact.transports.http.server import listen, serve

HEAD = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
ACCESS = AccessRules(
    tokens=(), hosts=frozenset({"localhost"}), origins=frozenset(), open_paths=frozenset(), max_body_bytes=100
)

TIMEOUT_S = 2
"""Enough for what does arrive, on a busy machine."""


@asynccontextmanager
async def running(body_timeout_s: float) -> AsyncIterator[int]:
    """Yield the port of a server; a head may take twice as long as a body."""
    sources: dict[str, Source] = {"shelf": WoodenShelf("")}
    pipeline = Pipeline(server(Librarian()), sources, {"longest_title": 80, "shelf_url": ""})
    listening = listen("127.0.0.1", 0)
    stop = StopSignal(StopTimeouts(0, 0))
    app = HttpApp(pipeline, sources, ACCESS, Pages(None, None), body_timeout_s=body_timeout_s)
    serving = asyncio.create_task(serve(app, listening, stop))
    try:
        yield listening.getsockname()[1]
    finally:
        stop.requested.set()
        await serving


async def exchange(port: int, *parts: bytes) -> bytes:
    """Send *parts*, and return the bytes received until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await writer.drain()
    response = await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    return response


@pytest.mark.parametrize("path", [b"/mcp", b"/mcp/tools/list", b"/mcp/tools/call", b"/mcp/tools/get_book"])
@pytest.mark.parametrize("rest", [b"Content-Length: 50\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"])
async def test_a_body_that_does_not_arrive_in_time_is_answered_408(path: bytes, rest: bytes) -> None:
    async with running(TIMEOUT_S) as port:
        response = await exchange(port, HEAD % path, rest)
    assert response.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in response.lower()


@pytest.mark.parametrize("parts", [(), (b"GET /health HT",), (b"GET /health HTTP/1.1\r\n", b"X-A: 1\r\n")])
async def test_a_connection_whose_head_does_not_arrive_in_time_is_closed(parts: tuple[bytes, ...]) -> None:
    async with running(0.1) as port:
        assert await exchange(port, *parts) == b""


async def test_the_rest_of_a_rejected_body_is_read_for_a_limited_time() -> None:
    async with running(TIMEOUT_S) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD % b"/mcp/tools/call" + b"Content-Length: 999999999\r\n\r\n")
        assert b" 413 " in await reader.readline()
        with pytest.raises(ConnectionError):
            await asyncio.wait_for(_send_forever(writer), PATIENCE_S)
        writer.close()


async def _send_forever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 1000)
        await writer.drain()
        await asyncio.sleep(0)
