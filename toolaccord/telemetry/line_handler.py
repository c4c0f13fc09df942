"""Log handler that batches lines and never blocks on a slow reader."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from contextlib import suppress

from toolaccord.telemetry.line_dropping import LineDroppingWriter, format_warning

_BATCH_DELAY_S = 0.005
"""Seconds for which lines are collected.

A caller's next request comes sooner, and need not wait for a line.
"""


class LineHandler(logging.Handler):
    """Writes lines by a writer that drops those without room.

    In an event loop, lines are collected for 5 ms and written together, at the latest when the process ends. A warning
    is written at once, after the lines before it.
    """

    def __init__(self, writer: LineDroppingWriter) -> None:
        super().__init__()
        self._writer = writer
        self._is_writing = False
        self._queue: deque[bytes] = deque()
        """Lines to write.

        Threads add and remove them without a lock; the writing thread holds the handler's lock.
        """
        self._loop: asyncio.AbstractEventLoop | None = None
        """Event loop that is scheduled to flush the queue; it may be closed before."""
        os.register_at_fork(after_in_child=self._queue.clear)  # the parent process writes them

    def emit(self, record: logging.LogRecord) -> None:
        """Enqueue the line of *record*, and write it at once if it is a warning or worse."""
        try:
            self.enqueue(self.format(record).encode())
            if record.levelno > logging.INFO:
                self._write()
        except Exception:
            self.handleError(record)

    def enqueue(self, line: bytes) -> None:
        """Write *line* soon; at once outside an event loop."""
        self._queue.append(line)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.flush()
            return
        if loop is not self._loop:
            self._loop = loop
            loop.call_later(_BATCH_DELAY_S, self.flush)

    def flush(self) -> None:
        """Write the queued lines. `logging` calls this at the end of the process, too."""
        self.acquire()
        try:
            self._loop = None
            self._write()
        finally:
            self.release()

    def write_last(self, line: bytes) -> None:
        """Write the rest of a partly written line, the queued lines and *line*; needs no lock."""
        self._writer.write_last(self._drain_queue() + line)

    def _drain_queue(self) -> bytes:
        """Remove and return the queued lines; needs no lock."""
        lines: list[bytes] = []
        with suppress(IndexError):  # another thread may take some of them
            while self._queue:
                lines.append(self._queue.popleft())
        return b"".join([line + b"\n" for line in lines])

    def _write(self) -> None:
        """Write the queued lines, and those added meanwhile, e.g. by the garbage collector."""
        if self._is_writing:
            return
        self._is_writing = True
        try:
            self._writer.write(self._drain_queue())
            while self._queue:
                self._writer.write(self._drain_queue())
        finally:
            self._is_writing = False


def write_last_line(message: str) -> None:
    """Write the queued lines and one warning, without locks or waiting.

    The process ends afterwards; text that is not taken at once is lost.
    """
    for handler in logging.getLogger().handlers:
        if isinstance(handler, LineHandler):
            handler.write_last(format_warning(__name__, message))
