"""A server on a listening socket that leaves no connection open when it is closed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

READ_LIMIT = 1 << 16
"""Bytes that a reader buffers by default."""

ConnectionHandler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
"""Serves a connection, which is closed when the coroutine returns or the client disconnects."""


class SocketServer:
    """Accepts the connections to *listener*, and closes it at the end.

    asyncio's own server can lose a connection: one that it accepts while it closes, and one whose task is cancelled
    before its first step. Such a socket stays open until the next garbage collection.
    """

    def __init__(self, listener: socket.socket, handle: ConnectionHandler, *, limit: int = READ_LIMIT) -> None:
        self._listener, self._handle, self._limit = listener, handle, limit
        self._loop = asyncio.get_running_loop()
        self._connections: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        self._loop.add_reader(listener, self._accept)

    async def aclose(self) -> None:
        """Stop listening, and abort the open connections."""
        self._loop.remove_reader(self._listener)
        self._listener.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self) -> None:
        with suppress(BlockingIOError, ConnectionAbortedError):  # the client disconnected before it was accepted
            connection, _ = self._listener.accept()
            serving = self._loop.create_task(self._serve(connection))
            self._connections.add(serving)
            serving.add_done_callback(self._connections.discard)
            serving.add_done_callback(lambda _: connection.close())

    async def _serve(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connection, limit=self._limit)
        try:
            await self._handle(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client disconnected, so there is no one to answer
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()
