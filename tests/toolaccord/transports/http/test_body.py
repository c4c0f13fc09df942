"""Bodies that arrive slowly, and idle connections, at a server with short timeouts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from tests.toolaccord.demo.library import Librarian, WoodenShelf, server
from tests.toolaccord.process import PATIENCE_S
from toolaccord.call.pipeline import Pipeline
from toolaccord.callers.rules import TokenRules
from toolaccord.config.access_rules import AccessRules
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.shutdown import StopSignal
from toolaccord.sources import Source
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.app import HttpApp, Pages
from toolaccord.transports.http.connection.open_connections import Connections, fit_limits
from toolaccord.transports.http.listening import listen
from toolaccord.transports.http.server import serve

HEAD = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
ACCESS = AccessRules(
    tokens=TokenRules(),
    hosts=frozenset({"localhost"}),
    origins=frozenset(),
    open_paths=frozenset(),
    max_body_bytes=100,
    max_connections=100,
)

TIMEOUT_S = 2
"""Enough for what does arrive, on a busy machine."""


@asynccontextmanager
async def running(body_timeout_s: float) -> AsyncIterator[int]:
    """Yield the port of a server."""
    sources: dict[str, Source] = {"shelf": WoodenShelf("")}
    pipeline = Pipeline(server(Librarian()), sources, {"longest_title": 80, "shelf_url": ""})
    listening = listen("127.0.0.1", 0)
    stop = StopSignal(StopTimeouts(0, 0))
    app = HttpApp(pipeline, sources, ACCESS, Pages(None, None), body_timeout_s=body_timeout_s)
    connections = Connections(replace(fit_limits(ACCESS, 1024), keep_alive_timeout_s=1), SystemClock())
    serving = asyncio.create_task(serve(app, listening, stop, connections))
    try:
        yield listening[0].getsockname()[1]
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


async def test_an_idle_connection_is_closed() -> None:
    async with running(TIMEOUT_S) as port:
        response = await exchange(port, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" not in response.lower()
