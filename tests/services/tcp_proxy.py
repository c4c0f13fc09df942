"""A TCP proxy whose faults lie between a client and a real server."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from tests.services.socket_server import SocketServer


class TcpProxy:
    """Forwards connections from a free port of 127.0.0.1 to *port*."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.delay_s = 0.0
        """Seconds by which each answer is late."""
        self.connections = 0
        """Number of connections so far."""
        self.is_delaying = asyncio.Event()
        """Set when an answer waits for its delay."""
        self._clients: set[asyncio.StreamWriter] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["TcpProxy"]:
        """Forward meanwhile."""
        async with aclosing(SocketServer(self._listener, self._forward)):
            yield self

    def cut(self) -> None:
        """Break every connection; new ones are accepted."""
        for client in self._clients:
            client.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        self._clients.add(writer)
        try:
            requests = asyncio.create_task(_copy(reader, to_server))
            answers = asyncio.create_task(self._copy_late(from_server, writer))
            done, pending = await asyncio.wait({requests, answers}, return_when=asyncio.FIRST_COMPLETED)
            for task in pending:
                task.cancel()
            await asyncio.gather(*done, *pending, return_exceptions=True)
        finally:
            self._clients.discard(writer)
            to_server.transport.abort()

    async def _copy_late(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            if self.delay_s:
                self.is_delaying.set()
            await asyncio.sleep(self.delay_s)
            writer.write(data)
            await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
