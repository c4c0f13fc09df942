"""Non-blocking reading of lines of bounded length, without threads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Protocol

_CHUNK_BYTES = 1 << 20


class LineConsumer(Protocol):
    """Consumer of the lines that a LineReader reads."""

    @property
    def is_full(self) -> bool:
        """True while no more should be read."""

    def consume(self, lines: Sequence[bytes]) -> int:
        """Consume *lines*, as far as there is room and time in this turn; return their number."""

    def reject_long_line(self) -> None:
        """Reject a line that is longer than the limit; it is not kept."""

    async def wait_for_room(self) -> None:
        """Wait until more may be read."""


class LineReader:
    """Reads lines of up to *max_bytes*, and passes them to a consumer without their newlines.

    A longer line is reported as soon as it is too long, and its rest is discarded as it arrives.
    """

    def __init__(self, descriptor: int, consumer: LineConsumer, max_bytes: int) -> None:
        self._descriptor = descriptor
        self._consumer = consumer
        self._loop = asyncio.get_running_loop()
        self._partial_line: list[bytes] = []
        """Chunks of a line without its end; none once it is too long."""
        self._partial_bytes = 0
        self._max_bytes = max_bytes
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
        self._extend_line(first)
        if others:
            lines = [*self._end_line(), *self._without_long_lines(others[:-1])]
            self._extend_line(others[-1])
            self._consume(lines)
        elif not chunk:
            self._at_end = True
            self._consume([last for last in self._end_line() if last])

    def _extend_line(self, part: bytes) -> None:
        """Add *part* to the line without its end, or discard both if they are too long together."""
        was_short = self._partial_bytes <= self._max_bytes
        self._partial_bytes += len(part)
        if self._partial_bytes <= self._max_bytes:
            self._partial_line.append(part)
        elif was_short:
            self._partial_line = []
            self._consumer.reject_long_line()

    def _end_line(self) -> list[bytes]:
        """Return the line that ends here; none if it was too long."""
        lines = [b"".join(self._partial_line)] if self._partial_bytes <= self._max_bytes else []
        self._partial_line, self._partial_bytes = [], 0
        return lines

    def _without_long_lines(self, lines: list[bytes]) -> list[bytes]:
        """Return *lines* of one chunk without those that are too long, which are rejected."""
        if self._max_bytes >= _CHUNK_BYTES:
            return lines
        short = [line for line in lines if len(line) <= self._max_bytes]
        for _ in range(len(lines) - len(short)):
            self._consumer.reject_long_line()
        return short

    def _consume(self, lines: Sequence[bytes]) -> None:
        self._pending = lines[self._consumer.consume(lines) :]
