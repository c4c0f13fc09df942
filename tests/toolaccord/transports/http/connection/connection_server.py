"""A server of one ASGI application behind `LimitedConnection`, and raw clients of it."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from tests.toolaccord.process import PATIENCE_S
from toolaccord.testing import ManualClock
from toolaccord.timing.clock import Clock
from toolaccord.transports.http.connection.certificate import Certificate
from toolaccord.transports.http.connection.limited_connection import LimitedConnection
from toolaccord.transports.http.connection.open_connections import ConnectionLimits, Connections

T = TypeVar("T")

HEAD = b"POST %b HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
SMALL = b"Content-Length: 2\r\n\r\n{}"
LIMITS = ConnectionLimits(max_connections=100, max_probes=10, max_chunks=20_000)


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
    app: ASGIApp,
    *,
    limits: ConnectionLimits = LIMITS,
    clock: Clock | None = None,
    protocol: Callable[..., asyncio.BaseProtocol] = LimitedConnection,
    certificate: Certificate | None = None,
) -> AsyncIterator[int]:
    """Yield the port of a server of *app*; its clock stands still unless *clock* moves."""
    config = uvicorn.Config(app, ws="none", lifespan="off", log_config=None, access_log=False, interface="asgi3")
    connections = Connections(limits, clock or ManualClock(), certificate)
    connection: Callable[[], asyncio.BaseProtocol] = partial(
        protocol, connections, config=config, server_state=ServerState(), app_state={}
    )
    async with await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        connections.abort_all()


@asynccontextmanager
async def connected(
    port: int, trust: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust)
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


async def advance_until(clock: ManualClock, seconds: float, awaitable: Awaitable[T]) -> T:
    """Advance *clock* by *seconds* repeatedly until *awaitable* is done; return its result."""
    task = asyncio.ensure_future(awaitable)
    async with asyncio.timeout(PATIENCE_S):
        while not task.done():
            clock.advance(seconds)
            await asyncio.sleep(0)
    return await task


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Return what the client receives until the server closes or resets the connection."""
    received = bytearray()
    try:
        while part := await reader.read(65_536):
            received += part
    except ConnectionError:
        pass
    return bytes(received)


async def read_response(reader: asyncio.StreamReader) -> Any:
    """Return the JSON of the next response."""
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return json.loads(await reader.readexactly(length))
