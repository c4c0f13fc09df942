"""Non-blocking reading and writing of lines on standard input and output, without threads."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from toolpact.telemetry.nonblocking_write import NonBlockingWriter

_CHUNK_BYTES = 1 << 20
_BATCH_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class StdioDescriptors:
    """File descriptors that carry the protocol, out of reach of `print` and child processes."""

    input: int
    """Descriptor of requests."""
    output: int
    """Descriptor of responses."""

    @classmethod
    def claim(cls) -> StdioDescriptors:
        """Take over standard input and output.

        Afterwards descriptor 0 is empty, and 1 is standard error.
        """
        claimed = cls(os.dup(0), os.dup(1))
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        return claimed


class LineConsumer(Protocol):
    """Consumer of the lines that a LineReader reads."""

    @property
    def is_full(self) -> bool:
        """True while no more should be read."""

    def consume(self, lines: Sequence[bytes]) -> int:
        """Consume *lines*, as far as there is room and time in this turn; return their number."""

    async def wait_for_room(self) -> None:
        """Wait until more may be read."""


class LineReader:
    """Reads lines of any length, and passes them to a consumer without their newlines."""

    def __init__(self, descriptor: int, consumer: LineConsumer) -> None:
        self._descriptor = descriptor
        self._consumer = consumer
        self._loop = asyncio.get_running_loop()
        self._partial_line: list[bytes] = []
        """Chunks of a line without its end."""
        self._pending: Sequence[bytes] = ()
        """Lines that the consumer has not consumed yet."""
        self._at_end = False
        self._error: Exception | None = None
        self._wake = asyncio.Event()
        """Set when `read` has more to do than to wait for input."""
        self._is_watching = False

    async def read(self) -> None:
        """Read until the end of input. Raises OSError, and the exceptions of the consumer.

        Text after the last newline is the last line.
        """
        try:
            while not self._at_end:
                if self._is_watching or self._start_watching():
                    await self._wake.wait()
                    self._wake.clear()
                else:
                    await asyncio.sleep(0)
                    self._on_readable()
                await self._consume_pending()
        finally:
            self._stop_watching()

    async def _consume_pending(self) -> None:
        """Have the pending lines consumed, as there is room; other tasks run in between."""
        if self._error:
            raise self._error
        while self._pending or self._consumer.is_full:
            await (self._consumer.wait_for_room() if self._consumer.is_full else asyncio.sleep(0))
            self._consume(self._pending)

    def _start_watching(self) -> bool:
        """Watch the descriptor; return False for a regular file, which is always readable."""
        try:
            self._loop.add_reader(self._descriptor, self._on_readable)
        except PermissionError:
            return False
        self._is_watching = True
        return True

    def _stop_watching(self) -> None:
        if self._is_watching:
            self._loop.remove_reader(self._descriptor)
            self._is_watching = False

    def _on_readable(self) -> None:
        """Read one chunk, and have its lines consumed at once."""
        try:
            self._split(os.read(self._descriptor, _CHUNK_BYTES))
        except BlockingIOError:  # another reader of the descriptor was faster
            return
        except ConnectionError:  # a socket whose other end is closed
            self._split(b"")
        except Exception as error:
            self._error = error
        if self._pending or self._at_end or self._error or self._consumer.is_full:
            self._stop_watching()
            self._wake.set()

    def _split(self, chunk: bytes) -> None:
        """Have the lines consumed that end in *chunk*, which is empty at the end of input."""
        first, *others = chunk.split(b"\n")
        self._partial_line.append(first)
        if others:
            lines = [b"".join(self._partial_line), *others[:-1]]
            self._partial_line = others[-1:]
            self._consume(lines)
        elif not chunk:
            self._at_end = True
            self._consume([last] if (last := b"".join(self._partial_line)) else [])

    def _consume(self, lines: Sequence[bytes]) -> None:
        self._pending = lines[self._consumer.consume(lines) :]


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
