"""Standard error, where the log goes: written a few milliseconds at a time, and never waited for."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import deque
from contextlib import suppress

from toolpact.telemetry.line_dropping import WholeLines, warning
from toolpact.telemetry.nonblocking_write import Outlet

STANDARD_ERROR = 2
"""Its descriptor."""
_GATHERED_S = 0.005
"""Seconds for which lines are gathered: the next call of whoever got an answer comes sooner, and does not wait for this one's line."""


class StandardError(logging.Handler):
    """Writes lines to standard error, and drops those that nobody reads in time: a full pipe would stop the server.

    Within an event loop, lines are gathered for a few milliseconds and written together, at the latest when the process ends. A warning is
    written at once, after the lines before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines = WholeLines(STANDARD_ERROR)
        self._writing = False
        self._waiting: deque[bytes] = deque()
        """Threads add and take lines without a lock; the thread that writes them holds the handler's."""
        self._loop: asyncio.AbstractEventLoop | None = None
        """The loop that will write the waiting lines; it may be closed before."""
        os.register_at_fork(after_in_child=self._waiting.clear)  # the parent writes them

    def emit(self, record: logging.LogRecord) -> None:
        """Take the line of *record*, and write it if it cannot wait."""
        try:
            self.take(self.format(record).encode())
            if record.levelno > logging.INFO:
                self._write()
        except Exception:
            self.handleError(record)

    def take(self, line: bytes) -> None:
        """Have *line* written soon; at once outside of an event loop."""
        self._waiting.append(line)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.flush()
            return
        if loop is not self._loop:
            self._loop = loop
            loop.call_later(_GATHERED_S, self.flush)

    def flush(self) -> None:
        """Write the waiting lines. `logging` calls this, too, when the process ends."""
        self.acquire()
        try:
            self._loop = None
            self._write()
        finally:
            self.release()

    def unwritten(self) -> bytes:
        """Return and forget the waiting lines, after the rest of a line that is partly written; needs no lock."""
        return self._lines.begun + self._taken()

    def _taken(self) -> bytes:
        """Return and forget the waiting lines; needs no lock."""
        lines: list[bytes] = []
        with suppress(IndexError):  # another thread may take some of them
            while self._waiting:
                lines.append(self._waiting.popleft())
        return b"".join([line + b"\n" for line in lines])

    def _write(self) -> None:
        """Write the waiting lines, and those that come meanwhile: the garbage collector may warn."""
        if self._writing:
            return
        self._writing = True
        try:
            self._lines.write(self._taken())
            while self._waiting:
                self._lines.write(self._taken())
        finally:
            self._writing = False


def secured() -> None:
    """Have standard error lead nowhere where it was closed when the process began: what is opened next would get the log."""
    if sys.__stderr__ is not None:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STANDARD_ERROR)
    if nowhere != STANDARD_ERROR:
        os.close(nowhere)
    sys.stderr = open(STANDARD_ERROR, "w", closefd=False)  # noqa: SIM115 - for as long as the process lives


def last_words(message: str) -> None:
    """Write one line to standard error after those that wait, past loggers and their locks, as far as it is taken at once."""
    waiting = [handler.unwritten() for handler in logging.getLogger().handlers if isinstance(handler, StandardError)]
    rest = b"".join([*waiting, warning(__name__, message)])
    outlet = Outlet(STANDARD_ERROR)
    with suppress(OSError):
        while taken := outlet.write(rest):
            rest = rest[taken:]
