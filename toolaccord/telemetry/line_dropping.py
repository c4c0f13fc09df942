"""Writer for a target that may lack room: lines are written whole, or dropped and counted."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

import orjson

_WRITE_TIMEOUT_S = 0.2
"""Seconds that lines wait for a reader that has kept up so far.

Lines for a slow reader do not wait.
"""
_NEWLINE = b"\n"


class Target(Protocol):
    """Place that lines are written to."""

    def write(self, data: bytes | memoryview, timeout_ms: int = 0) -> int:
        """Write as much of *data* as there is room for, and return the number of bytes.

        Returns 0 if there is no room within *timeout_ms* milliseconds. Raises OSError if there never will be.
        """


class LineDroppingWriter:
    """Writes lines to *target*, and drops those without room.

    A later line reports the number of dropped ones, and their *cause*.
    """

    def __init__(self, target: Target, cause: str) -> None:
        self._target = target
        self._cause = cause
        self._timeout_s = _WRITE_TIMEOUT_S
        self._partial_line = b""
        """The rest of a partly written line."""
        self._dropped = 0
        """Number of dropped lines that no line has reported yet."""

    def write(self, lines: bytes) -> None:
        """Write *lines*, each with its newline, or as many as the reader takes in time.

        Raises nothing.
        """
        self._partial_line = self._write_in_time(self._partial_line)
        text = b"" if self._partial_line else self._drop_report() + lines
        rest = self._write_in_time(text)
        if len(rest) == len(text):
            self._dropped += lines.count(_NEWLINE)
        else:
            has_whole_lines = text.removesuffix(rest).endswith(_NEWLINE)
            end = 0 if has_whole_lines else rest.find(_NEWLINE) + 1
            self._partial_line = rest[:end]
            self._dropped = rest.count(_NEWLINE, end)
        self._timeout_s = 0 if self._partial_line or rest else _WRITE_TIMEOUT_S

    def write_last(self, lines: bytes) -> None:
        """Write the rest of a partly written line and *lines*, as far as there is room at once."""
        rest = self._partial_line + lines
        with suppress(OSError):  # the reader is closed, and there is no other place to report it
            while count := self._target.write(rest):
                rest = rest[count:]

    def _write_in_time(self, text: bytes) -> bytes:
        """Write *text*, and return the rest that was not written in time."""
        deadline = time.monotonic() + self._timeout_s
        written = 0
        with suppress(OSError):  # the reader is closed, and there is no other place to report it
            while written < len(text):
                timeout_s = max(0.0, deadline - time.monotonic())
                count = self._target.write(memoryview(text)[written:], round(timeout_s * 1000))
                if not count:
                    return text[written:]
                written += count
        return b""

    def _drop_report(self) -> bytes:
        """Return the line that reports dropped lines; empty without any."""
        if not self._dropped:
            return b""
        return format_warning(__name__, f"log lines dropped because {self._cause}: {self._dropped}")


def format_warning(logger: str, message: str) -> bytes:
    """Return a warning as a line of the log, with its newline, without loggers and their locks.

    *message* must hold no secret. It may hold the name of a file, which need not be UTF-8.
    """
    message = message.encode("utf-8", "backslashreplace").decode()
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return orjson.dumps({"timestamp": now, "level": "WARNING", "logger": logger, "message": message}) + _NEWLINE
