"""Lines on standard input and output, read and written as bytes without threads and without blocking."""

from __future__ import annotations

import asyncio
import os
import select
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Wire:
    """The two file descriptors that carry the protocol, kept where no stray print or child process finds them."""

    reading: int
    """Where requests come from."""
    writing: int
    """Where answers go."""

    @classmethod
    def claim(cls) -> Wire:
        """Take standard input and output: from now on the first is empty and the second is standard error."""
        wire = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        return wire


async def lines(reading: int) -> AsyncGenerator[bytes, None]:
    """Yield each line of *reading* without its end, of whatever length, and last what follows the last end."""
    parts: list[bytes] = []
    while chunk := await _read(reading):
        head, *rest = chunk.split(b"\n")
        parts.append(head)
        for part in rest:
            yield b"".join(parts)
            parts = [part]
    if any(parts):
        yield b"".join(parts)


async def _read(reading: int) -> bytes:
    """Return what there is to read, at least a byte; nothing at the end of input."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    try:
        loop.add_reader(reading, lambda: None if ready.done() else ready.set_result(None))
    except PermissionError:  # a regular file, which is always ready
        await asyncio.sleep(0)
        return os.read(reading, _CHUNK)
    try:
        await ready
        return os.read(reading, _CHUNK)
    except ConnectionError:  # a socket whose other end is gone
        return b""
    finally:
        loop.remove_reader(reading)


class LineWriter:
    """Writes lines in order; a reader that is slow keeps lines waiting, never the event loop.

    The descriptor stays in blocking mode, since it may be shared with standard error: a write is only begun where
    the system promises to take `PIPE_BUF` bytes.
    """

    def __init__(self, writing: int) -> None:
        self._writing = writing
        self._poll = select.poll()
        self._poll.register(writing, select.POLLOUT)
        self._waiting: deque[memoryview] = deque()
        self._watched = False
        self._empty = asyncio.Event()
        self._empty.set()
        self.broken = False
        """Whether nobody reads any more."""

    def write(self, line: bytes) -> None:
        """Take *line*, which holds no end of line, to be written when its turn comes."""
        self._waiting.append(memoryview(line + b"\n"))
        self._empty.clear()
        if not self._watched:
            self._flush()

    @property
    def backlog(self) -> int:
        """How many lines wait."""
        return len(self._waiting)

    async def written(self) -> None:
        """Wait until every line taken so far is written, or nobody reads any more."""
        await self._empty.wait()

    def _flush(self) -> None:
        try:
            while self._waiting and self._poll.poll(0):
                rest = self._waiting[0]
                rest = rest[os.write(self._writing, rest[: select.PIPE_BUF]) :]
                if rest:
                    self._waiting[0] = rest
                else:
                    self._waiting.popleft()
        except OSError:
            self.broken = True
            self._waiting.clear()
        self._watch()

    def _watch(self) -> None:
        """Be called when there is room again, as long as lines wait."""
        if bool(self._waiting) != self._watched:
            loop = asyncio.get_running_loop()
            if self._waiting:
                loop.add_writer(self._writing, self._flush)
            else:
                loop.remove_writer(self._writing)
            self._watched = bool(self._waiting)
        if not self._waiting:
            self._empty.set()
