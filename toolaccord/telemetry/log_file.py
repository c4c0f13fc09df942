"""File that the log is appended to, which may be rotated and whose disk may be full."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from toolaccord.telemetry.line_dropping import format_warning
from toolaccord.telemetry.nonblocking_write import NonBlockingWriter
from toolaccord.telemetry.stderr import STDERR

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY
_MODE = 0o600
_LOOK_INTERVAL_S = 1.0
"""Seconds between looks whether the path still names the open file."""
_NOTICE_INTERVAL_S = 60.0
"""Seconds between notices on standard error."""
_NEWLINE = b"\n"


class LogFile:
    """Appends to the file at *path*, and creates it with mode 600.

    After a rotation, which moves or removes the file, a new one is created within a second. A fault is reported on
    standard error at most once a minute; writing resumes by itself when the fault is gone.
    """

    def __init__(self, path: Path, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Open the file. Raises OSError."""
        self._path = path
        self._monotonic = monotonic
        self._descriptor = os.open(path, _FLAGS, _MODE)
        self._stderr = NonBlockingWriter(STDERR)
        self._next_look = self._next_notice = -math.inf
        self._is_within_line = False

    def write(self, data: bytes | memoryview, timeout_ms: int = 0) -> int:  # noqa: ARG002 - a disk has no reader
        """Write as much of *data* as there is room for, and return the number of bytes.

        Returns 0 if nothing can be written. Raises nothing.
        """
        try:
            if lost := self._follow_rotation(data):
                return lost
            count = os.write(self._descriptor, data)
        except OSError as error:
            self._give_notice(error)
            return 0
        self._is_within_line = bytes(data[count - 1 : count]) != _NEWLINE
        return count

    def _follow_rotation(self, data: bytes | memoryview) -> int:
        """Open the file anew if the path names another one, or none. Raises OSError.

        Returns the size of the rest of a line in *data* whose beginning is in the former file.
        """
        now = self._monotonic()
        if now < self._next_look:
            return 0
        lost = 0
        if not self._is_current():
            descriptor = os.open(self._path, _FLAGS, _MODE)
            os.close(self._descriptor)
            self._descriptor = descriptor
            lost = bytes(data).find(_NEWLINE) + 1 if self._is_within_line else 0
            self._is_within_line = False
        self._next_look = now + _LOOK_INTERVAL_S
        return lost

    def _is_current(self) -> bool:
        """Return whether the path names the open file. Raises OSError."""
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def _give_notice(self, error: OSError) -> None:
        now = self._monotonic()
        if now < self._next_notice:
            return
        self._next_notice = now + _NOTICE_INTERVAL_S
        problem = f"the log file {self._path} cannot be written, and lines are dropped: {error.strerror}"
        with suppress(OSError):  # there is no other place to report it
            self._stderr.write(format_warning(__name__, problem))
