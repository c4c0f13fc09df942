"""Non-blocking writing of messages to a descriptor, without threads."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from toolaccord.telemetry.nonblocking_write import NonBlockingWriter

_BATCH_BYTES = 1 << 16


class Writer:
    """Writes messages in order, as *encode* makes one text of several.

    Messages for a slow reader are queued; the event loop never blocks.
    """

    def __init__(self, descriptor: int, encode: Callable[[Sequence[bytes]], bytes]) -> None:
        self._descriptor = descriptor
        self._writer = NonBlockingWriter(descriptor)
        self._encode = encode
        self._queue: deque[bytes] = deque()
        self._unwritten = memoryview(b"")
        """The rest of a partly written batch of messages."""
        self._is_scheduled = False
        self._is_watching = False
        self._empty = asyncio.Event()
        self._empty.set()
        self._is_closed = False
        self.backlog_bytes = 0
        """Number of queued bytes."""
        self.is_broken = False
        """True once the reader has closed its end."""

    def write(self, message: bytes, *, at_once: bool = False) -> None:
        """Queue *message*; ignore it after `close`.

        Messages of one turn of the event loop are written together at its end. A message *at_once* is written
        immediately, unless others are queued.
        """
        if self._is_closed:
            return
        self._queue.append(message)
        self.backlog_bytes += len(message)
        self._empty.clear()
        if self._is_scheduled or self._is_watching:
            return
        if at_once:
            self._flush()
        else:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Write the messages that are queued within at the end of the block, together."""
        self._is_scheduled = True
        try:
            yield
        finally:
            self._flush()

    def close(self) -> None:
        """Accept no more messages; queued ones are still written."""
        self._is_closed = True

    @property
    def backlog(self) -> int:
        """Number of queued messages."""
        return len(self._queue) + bool(self._unwritten)

    async def drain(self) -> None:
        """Wait until every queued message is written, or the reader has closed its end."""
        await self._empty.wait()

    def _flush(self) -> None:
        self._is_scheduled = False
        try:
            while batch := self._unwritten or self._next_batch():
                count = self._writer.write(batch)
                self._unwritten = batch[count:]
                self.backlog_bytes -= count
                if not count:
                    break
        except OSError:
            self.is_broken = True
            self._queue.clear()
            self._unwritten = memoryview(b"")
            self.backlog_bytes = 0
        self._update_watch()

    def _next_batch(self) -> memoryview:
        """Remove and return the next queued messages, encoded."""
        messages: list[bytes] = []
        size = 0
        while self._queue and size < _BATCH_BYTES:
            messages.append(self._queue.popleft())
            size += len(messages[-1])
        batch = self._encode(messages) if messages else b""
        self.backlog_bytes += len(batch) - size
        return memoryview(batch)

    def _update_watch(self) -> None:
        """Have `_flush` called when the descriptor is writable again, while messages are queued."""
        has_backlog = bool(self._unwritten or self._queue)
        if has_backlog != self._is_watching:
            loop = asyncio.get_running_loop()
            if has_backlog:
                loop.add_writer(self._descriptor, self._flush)
            else:
                loop.remove_writer(self._descriptor)
            self._is_watching = has_backlog
        if not has_backlog:
            self._empty.set()
