"""Bodies that come slowly, at a server with less patience than usual."""

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
from toolpact.transports.http import server as http_serving
from toolpact.transports.http.app import HttpApp, Pages

HEAD = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
NOBODY = AccessRules(
    tokens=(), hosts=frozenset({"localhost"}), origins=frozenset(), open_paths=frozenset(), max_body_bytes=100
)

ENOUGH_S = 2
"""For what does come, on a machine that has a lot to do."""


@asynccontextmanager
async def impatient(slowest_s: float) -> AsyncIterator[int]:
    """Give the port of a server that waits *slowest_s* for the head of a request, and as long for its body."""
    sources: dict[str, Source] = {"shelf": WoodenShelf("")}
    pipeline = Pipeline(server(Librarian()), sources, {"longest_title": 80, "shelf_url": ""})
    listening = http_serving.listen("127.0.0.1", 0)
    stop = StopSignal(StopTimeouts(0, 0))
    app = HttpApp(pipeline, sources, NOBODY, Pages(None, None), slowest_s=slowest_s)
    serving = asyncio.create_task(http_serving.serve(app, listening, stop))
    try:
        yield listening.getsockname()[1]
    finally:
        stop.requested.set()
        await serving


async def answered(port: int, *parts: bytes) -> bytes:
    """Send bytes, and return what comes back until the connection is closed, which is the server's doing."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await writer.drain()
    answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    return answer


@pytest.mark.parametrize("path", [b"/mcp", b"/mcp/tools/list", b"/mcp/tools/call", b"/mcp/tools/get_book"])
@pytest.mark.parametrize("rest", [b"Content-Length: 50\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"])
async def test_a_body_that_does_not_come_is_not_waited_for(path: bytes, rest: bytes) -> None:
    async with impatient(ENOUGH_S) as port:
        answer = await answered(port, HEAD % path, rest)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize("parts", [(), (b"GET /health HT",), (b"GET /health HTTP/1.1\r\n", b"X-A: 1\r\n")])
async def test_a_head_that_does_not_come_is_not_waited_for(parts: tuple[bytes, ...]) -> None:
    async with impatient(0.1) as port:
        assert await answered(port, *parts) == b""


async def test_what_is_sent_on_after_a_refusal_is_not_read_for_ever() -> None:
    async with impatient(ENOUGH_S) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD % b"/mcp/tools/call" + b"Content-Length: 999999999\r\n\r\n")
        assert b" 413 " in await reader.readline()
        with pytest.raises(ConnectionError):
            await asyncio.wait_for(_send_for_ever(writer), PATIENCE_S)
        writer.close()


async def _send_for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 1000)
        await writer.drain()
        await asyncio.sleep(0)
