"""TLS in front of a server that has none, as stunnel does it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
"""A connection."""


@asynccontextmanager
async def tls_front(
    context: ssl.SSLContext, connect: Callable[[], Awaitable[Stream]], *, is_postgresql: bool = False
) -> AsyncIterator[str]:
    """Give the address of a server with TLS, whose connections go to what *connect* opens.

    A client of PostgreSQL asks for TLS before its handshake.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):  # the client rejects the certificate, or is rejected
            if is_postgresql:
                await reader.readexactly(8)
                writer.write(b"S")
                await writer.start_tls(context)
            behind = await connect()
            await asyncio.gather(_pass_on(reader, behind[1]), _pass_on(behind[0], writer))
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=None if is_postgresql else context)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.transport.abort()
