"""Lines on standard input and output, read and written as bytes without threads and without blocking."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from runtime.outlet import Outlet

_CHUNK = 1 << 20
_BATCH = 1 << 16


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


async def lines(reading: int) -> AsyncGenerator[list[bytes], None]:
    """Yield the lines of *reading* as they come, without their ends, of whatever length, and last what follows the last end."""
    incoming = _Incoming(reading)
    try:
        parts: list[bytes] = []
        while chunk := await incoming.read():
            first, *others = chunk.split(b"\n")
            parts.append(first)
            if others:
                yield [b"".join(parts), *others[:-1]]
                parts = others[-1:]
        if any(parts):
            yield [b"".join(parts)]
    finally:
        incoming.leave()


class _Incoming:
    """What comes on a descriptor, watched for as long as somebody waits for it between two turns of the event loop."""

    def __init__(self, reading: int) -> None:
        self._reading = reading
        self._loop = asyncio.get_running_loop()
        self._came: asyncio.Future[bytes] | None = None
        self._watched = False

    async def read(self) -> bytes:
        """Return what there is to read, at least a byte; nothing at the end of input."""
        if not self._watched and not self._watch():
            await asyncio.sleep(0)
            return os.read(self._reading, _CHUNK)
        self._came = self._loop.create_future()
        return await self._came

    def leave(self) -> None:
        """Watch no more."""
        if self._watched:
            self._loop.remove_reader(self._reading)
            self._watched = False

    def _watch(self) -> bool:
        """Watch the descriptor; return whether that can be done: a regular file is always ready."""
        try:
            self._loop.add_reader(self._reading, self._ready)
        except PermissionError:
            return False
        self._watched = True
        return True

    def _ready(self) -> None:
        if self._came is None or self._came.done():
            self.leave()  # nobody waits now, and this would be called in every turn
            return
        try:  # here, and not when the future is awaited: by then this may have been called for the same bytes again
            self._came.set_result(os.read(self._reading, _CHUNK))
        except BlockingIOError:  # somebody else who reads there was faster
            return
        except ConnectionError:  # a socket whose other end is gone
            self._came.set_result(b"")
        except OSError as error:
            self._came.set_exception(error)


class LineWriter:
    """Writes lines in order; a reader that is slow keeps lines waiting, never the event loop."""

    def __init__(self, writing: int) -> None:
        self._writing = writing
        self._outlet = Outlet(writing)
        self._waiting: deque[bytes] = deque()
        self._begun = memoryview(b"")
        self._expected = False
        self._watched = False
        self._empty = asyncio.Event()
        self._empty.set()
        self._ended = False
        self.backlog_bytes = 0
        """How many bytes wait."""
        self.broken = False
        """Whether nobody reads any more."""

    def write(self, line: bytes, *, at_once: bool = False) -> None:
        """Take *line*, which holds no end of line, to be written when its turn comes; after the end, leave it.

        Those that come in one turn of the event loop are written together, when it is over. One that comes alone may be written *at_once*.
        """
        if self._ended:
            return
        self._waiting.append(line)
        self.backlog_bytes += len(line) + 1
        self._empty.clear()
        if self._expected or self._watched:
            return
        if at_once:
            self._flush()
        else:
            self._expected = True
            asyncio.get_running_loop().call_soon(self._flush)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write the lines that are taken within together, at the end of it: no others come in this turn."""
        self._expected = True
        try:
            yield
        finally:
            self._flush()

    def end(self) -> None:
        """Take no more lines."""
        self._ended = True

    @property
    def backlog(self) -> int:
        """How many lines wait."""
        return len(self._waiting) + bool(self._begun)

    async def written(self) -> None:
        """Wait until every line taken so far is written, or nobody reads any more."""
        await self._empty.wait()

    def _flush(self) -> None:
        self._expected = False
        try:
            while begun := self._begun or self._joined():
                taken = self._outlet.write(begun)
                self._begun = begun[taken:]
                self.backlog_bytes -= taken
                if not taken:
                    break
        except OSError:
            self.broken = True
            self._waiting.clear()
            self._begun = memoryview(b"")
            self.backlog_bytes = 0
        self._watch()

    def _joined(self) -> memoryview:
        """Return the lines that come next, with their ends."""
        parts: list[bytes] = []
        size = 0
        while self._waiting and size < _BATCH:
            parts.append(self._waiting.popleft())
            size += len(parts[-1])
        return memoryview(b"\n".join([*parts, b""]) if parts else b"")

    def _watch(self) -> None:
        """Be called when there is room again, as long as lines wait."""
        waiting = bool(self._begun or self._waiting)
        if waiting != self._watched:
            loop = asyncio.get_running_loop()
            if waiting:
                loop.add_writer(self._writing, self._flush)
            else:
                loop.remove_writer(self._writing)
            self._watched = waiting
        if not waiting:
            self._empty.set()
