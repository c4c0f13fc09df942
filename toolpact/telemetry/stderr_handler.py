"""Standard error, where the log goes: written a few milliseconds at a time, and never waited for."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import deque
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import Any, Protocol

from toolpact.telemetry.line_dropping import WholeLines, warning
from toolpact.telemetry.nonblocking_write import Outlet

STANDARD_ERROR = 2
"""Its descriptor."""
_GATHERED_S = 0.005
"""Seconds for which lines are gathered: the next call of whoever got an answer comes sooner, and does not wait for this one's line."""


class Lines(Protocol):
    """What makes lines, without their ends."""

    def line(self, record: logging.LogRecord) -> bytes:
        """Return the line of *record*."""

    def event(self, logger: str, message: str, created: float, facts: Mapping[str, Any]) -> bytes:
        """Return the line of a record at INFO that has no more than *message* and *facts*. Raises nothing."""


class StandardError(logging.Handler):
    """Writes lines to standard error, and leaves them out when nobody reads them: a full pipe would stop the server.

    What is told within a few milliseconds of an event loop is written together after them, or when the process ends; a warning is written at
    once, with what was told before it.
    """

    def __init__(self, lines: Lines) -> None:
        """Write what *lines* makes of a record."""
        super().__init__()
        self._lines = lines
        self._written = WholeLines(STANDARD_ERROR)
        self._writing = False
        self._waiting: deque[bytes] = deque()
        """Lines are put and taken here without a lock; who writes them has it."""
        self._loop: asyncio.AbstractEventLoop | None = None
        """The loop that will write the waiting lines; it may be closed before."""
        os.register_at_fork(after_in_child=self._waiting.clear)  # they are the parent's to write

    def emit(self, record: logging.LogRecord) -> None:
        """Take *record*, and write it if it cannot wait."""
        try:
            self._take(self._lines.line(record))
            if record.levelno > logging.INFO:
                self._write()
        except Exception:
            self.handleError(record)

    def event(self, logger: str, message: str, created: float, facts: Mapping[str, Any]) -> None:
        """Take a record at INFO that has no more than *message* and *facts*: what `emit` does with it, past the library."""
        self._take(self._lines.event(logger, message, created, facts))

    def flush(self) -> None:
        """Write what waits. The library does this, too, when the process ends."""
        with self.lock or nullcontext():
            self._loop = None
            self._write()

    def unwritten(self) -> bytes:
        """Return what is left of a line that has been begun, and the lines that wait, and forget these; needs no lock."""
        return self._written.begun + self._told()

    def _told(self) -> bytes:
        """Return the lines that wait, and forget them; needs no lock."""
        lines: list[bytes] = []
        with suppress(IndexError):  # another thread may take some of them
            while self._waiting:
                lines.append(self._waiting.popleft())
        return b"".join([line + b"\n" for line in lines])

    def _take(self, line: bytes) -> None:
        """Have *line* written soon; at once, where no loop runs."""
        self._waiting.append(line)
        loop = asyncio._get_running_loop()  # noqa: SLF001 - None where none runs: most lines are told within one
        if loop is None:
            self.flush()
        elif loop is not self._loop:
            self._loop = loop
            loop.call_later(_GATHERED_S, self.flush)

    def _write(self) -> None:
        """Write the lines that wait, and those that are told by what happens to run meanwhile: the garbage collector may warn."""
        if self._writing:
            return
        self._writing = True
        try:
            lines = self._told()
            while lines or self._written.begun:
                self._written.write(lines)
                if not (lines := self._told()):
                    break
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
