"""Lines on standard input and output, read and written as bytes without threads and without blocking."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from toolpact.telemetry.nonblocking_write import NonBlockingWriter

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


class Taker(Protocol):
    """What lines are read for."""

    @property
    def is_full(self) -> bool:
        """Whether no more should be read for a while."""

    def take(self, lines: Sequence[bytes]) -> int:
        """Take *lines* as far as there is room and time for them in this turn, and return how many."""

    async def room(self) -> None:
        """Wait until more may be read."""


class LineReader:
    """Reads the lines of a descriptor, of whatever length, and has them taken without their ends, in the turn in which they come."""

    def __init__(self, reading: int, taker: Taker) -> None:
        self._reading = reading
        self._taker = taker
        self._loop = asyncio.get_running_loop()
        self._parts: list[bytes] = []
        """What came of a line whose end is to come."""
        self._left: Sequence[bytes] = ()
        """Lines that are not taken yet."""
        self._ended = False
        self._fault: Exception | None = None
        self._wake = asyncio.Event()
        """Set when there is more to do than to read on."""
        self._watched = False

    async def read(self) -> None:
        """Have all lines taken, and last what follows the last end. Raises what taking raises, and OSError."""
        try:
            while not self._ended:
                if self._watched or self._watch():
                    await self._wake.wait()
                    self._wake.clear()
                else:
                    await asyncio.sleep(0)
                    self._ready()
                await self._catch_up()
        finally:
            self._leave()

    async def _catch_up(self) -> None:
        """Have taken what is left, as there is room, and others have their turns."""
        if self._fault:
            raise self._fault
        while self._left or self._taker.is_full:
            await (self._taker.room() if self._taker.is_full else asyncio.sleep(0))
            self._take(self._left)

    def _watch(self) -> bool:
        """Watch the descriptor; return whether that can be done: a regular file is always ready."""
        try:
            self._loop.add_reader(self._reading, self._ready)
        except PermissionError:
            return False
        self._watched = True
        return True

    def _leave(self) -> None:
        """Watch no more."""
        if self._watched:
            self._loop.remove_reader(self._reading)
            self._watched = False

    def _ready(self) -> None:
        """Read on, in the turn in which there is something."""
        try:
            self._came(os.read(self._reading, _CHUNK))
        except BlockingIOError:  # somebody else who reads there was faster
            return
        except ConnectionError:  # a socket whose other end is gone
            self._came(b"")
        except Exception as error:
            self._fault = error
        if self._left or self._ended or self._fault or self._taker.is_full:
            self._leave()
            self._wake.set()

    def _came(self, chunk: bytes) -> None:
        """Have the lines taken that end in *chunk*, which is empty at the end of input."""
        first, *others = chunk.split(b"\n")
        self._parts.append(first)
        if others:
            lines = [b"".join(self._parts), *others[:-1]]
            self._parts = others[-1:]
            self._take(lines)
        elif not chunk:
            self._ended = True
            self._take([last] if (last := b"".join(self._parts)) else [])

    def _take(self, lines: Sequence[bytes]) -> None:
        self._left = lines[self._taker.take(lines) :]


class LineWriter:
    """Writes lines in order; a reader that is slow keeps lines waiting, never the event loop."""

    def __init__(self, writing: int) -> None:
        self._writing = writing
        self._outlet = NonBlockingWriter(writing)
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
