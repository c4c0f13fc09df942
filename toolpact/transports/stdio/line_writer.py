"""Non-blocking writing of lines, without threads."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from toolpact.telemetry.nonblocking_write import NonBlockingWriter

_BATCH_BYTES = 1 << 16


class LineWriter:
    """Writes lines in order. Lines for a slow reader are queued; the event loop never blocks."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._writer = NonBlockingWriter(descriptor)
        self._queue: deque[bytes] = deque()
        self._unwritten = memoryview(b"")
        """The rest of a partly written batch of lines."""
        self._is_scheduled = False
        self._is_watching = False
        self._empty = asyncio.Event()
        self._empty.set()
        self._is_closed = False
        self.backlog_bytes = 0
        """Number of queued bytes."""
        self.is_broken = False
        """True once the reader has closed its end."""

    def write(self, line: bytes, *, at_once: bool = False) -> None:
        """Queue *line*, which holds no newline; ignore it after `close`.

        Lines of one turn of the event loop are written together at its end. A line *at_once* is written immediately,
        unless others are queued.
        """
        if self._is_closed:
            return
        self._queue.append(line)
        self.backlog_bytes += len(line) + 1
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
        """Write the lines that are queued within at the end of the block, together."""
        self._is_scheduled = True
        try:
            yield
        finally:
            self._flush()

    def close(self) -> None:
        """Accept no more lines; queued ones are still written."""
        self._is_closed = True

    @property
    def backlog(self) -> int:
        """Number of queued lines."""
        return len(self._queue) + bool(self._unwritten)

    async def drain(self) -> None:
        """Wait until every queued line is written, or the reader has closed its end."""
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
        """Remove and return the next queued lines, with their newlines."""
        lines: list[bytes] = []
        size = 0
        while self._queue and size < _BATCH_BYTES:
            lines.append(self._queue.popleft())
            size += len(lines[-1])
        return memoryview(b"\n".join([*lines, b""]) if lines else b"")

    def _update_watch(self) -> None:
        """Have `_flush` called when the descriptor is writable again, as long as lines are queued."""
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
