"""Messages between a supervisor and a worker: lines of JSON on a pair of sockets."""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeAlias

import orjson

_MAX_LINE_BYTES = 1 << 26
"""Size of the largest message, which holds all metrics of a process."""
_MAX_UNREAD_BYTES = 1 << 22
"""Bytes that a process may leave unread; beyond them it counts as gone."""
Answer: TypeAlias = Callable[[str, Any], Awaitable[Any]]
"""Takes a topic and its content, and returns the answer."""


class ChannelClosed(TimeoutError):
    """The other process is gone, and answers nothing any more."""


class Channel:
    """One end of a channel; both may tell, and ask each other."""

    def __init__(self, connection: socket.socket, answer: Answer) -> None:
        self._connection = connection
        self._answer = answer
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Make the channel ready for messages."""
        self._reader, self._writer = await asyncio.open_connection(sock=self._connection, limit=_MAX_LINE_BYTES)

    async def run(self) -> None:
        """Take messages until the other process closes its end, or is gone."""
        try:
            with suppress(ConnectionError):  # it was killed
                while line := await self._reader.readline():
                    self._take(*orjson.loads(line))
        finally:
            if self._writer:
                self._writer.close()
            self._writer = None
            for each in self._asked.values():
                if not each.done():
                    each.set_exception(ChannelClosed())

    def tell(self, topic: str, content: Any = None) -> None:
        """Send a message that needs no answer."""
        self._send(0, topic, content)

    async def ask(self, topic: str, timeout_s: float) -> Any:
        """Return the answer of the other process. Raises TimeoutError, also if it is gone."""
        number = next(self._numbers)
        self._asked[number] = asyncio.get_running_loop().create_future()
        self._send(number, topic, None)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._asked[number]
        finally:
            del self._asked[number]

    async def flush(self) -> None:
        """Wait until the system has taken what was sent."""
        if self._writer:
            with suppress(ConnectionError):
                await self._writer.drain()

    def _take(self, number: int, topic: str | None, content: Any) -> None:
        """Take one message, which is an answer if it has no topic."""
        if topic is not None:
            task = asyncio.create_task(self._answer_one(number, topic, content))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif (asked := self._asked.get(number)) and not asked.done():
            asked.set_result(content)

    async def _answer_one(self, number: int, topic: str, content: Any) -> None:
        answer = await self._answer(topic, content)
        if number:
            self._send(number, None, answer)

    def _send(self, number: int, topic: str | None, content: Any) -> None:
        """Send a message, unless the other process is gone."""
        if self._writer is None:
            if number in self._asked:
                self._asked[number].set_exception(ChannelClosed())
            return
        self._writer.write(orjson.dumps([number, topic, content]) + b"\n")
        if self._writer.transport.get_write_buffer_size() > _MAX_UNREAD_BYTES:
            self._writer.transport.abort()
