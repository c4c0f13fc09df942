"""Connections to a socket that listens, each met by a coroutine; at the end none of them is left open."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

LONGEST_LINE = 1 << 16
"""Bytes that a reader holds, where nothing else is said."""

Converse = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
"""Says and hears what there is to say and hear; where it returns, or the caller hangs up, the connection ends."""


class Conversations:
    """Takes up the connections to *listener*, which it closes at its end, from the running event loop.

    asyncio's own server loses a connection that is made while it is closed, and a connection whose task is cancelled
    before its first step: the socket stays open until somebody collects garbage.
    """

    def __init__(self, listener: socket.socket, converse: Converse, *, limit: int = LONGEST_LINE) -> None:
        self._listener, self._converse, self._limit = listener, converse, limit
        self._loop = asyncio.get_running_loop()
        self._under_way: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        self._loop.add_reader(listener, self._accept)

    async def aclose(self) -> None:
        """Refuse connections from now on, and cut those there are."""
        self._loop.remove_reader(self._listener)
        self._listener.close()
        for conversation in self._under_way:
            conversation.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _accept(self) -> None:
        with suppress(BlockingIOError, ConnectionAbortedError):  # the caller has thought better of it
            connection, _ = self._listener.accept()
            conversation = self._loop.create_task(self._meet(connection))
            self._under_way.add(conversation)
            conversation.add_done_callback(self._under_way.discard)
            conversation.add_done_callback(lambda _: connection.close())

    async def _meet(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connection, limit=self._limit)
        try:
            await self._converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the caller hung up: there is nobody to tell
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()
