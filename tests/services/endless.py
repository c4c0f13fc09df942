"""A service whose answer does not end before its client disconnects, on loopback."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from toolaccord.testing.socket_server import SocketServer

BUFFERED = 32 * 1024 * 1024
"""More bytes than the system's buffers of a connection hold."""


@dataclass
class Endless:
    """The service, and how much it could send."""

    url: str
    sent: int = 0
    """Bytes that the system took."""
    requests: int = 0
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client has closed its connection."""


@asynccontextmanager
async def serving(head: bytes, piece: bytes) -> AsyncIterator[Endless]:
    """Answer every request with *head*, and then with *piece* until the client disconnects."""
    listener = socket.create_server(("127.0.0.1", 0))
    endless = Endless(f"http://127.0.0.1:{listener.getsockname()[1]}")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        endless.requests += 1
        writer.write(head)
        try:
            while endless.sent < 4 * BUFFERED:  # a client without a limit fails, too
                writer.write(piece)
                await writer.drain()
                endless.sent += len(piece)
        finally:
            endless.disconnected.set()

    async with aclosing(SocketServer(listener, answer)):
        yield endless
