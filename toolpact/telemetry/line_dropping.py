"""Lines for a reader who may be slow, or gone: each is written whole or not at all, and none is waited for long."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime

import orjson

from toolpact.telemetry.nonblocking_write import Outlet

_PATIENCE_S = 0.2
"""Seconds that lines wait for a reader who has kept up so far; those for a slow reader do not wait."""
_END = b"\n"


class WholeLines:
    """Writes lines to a descriptor and drops those for which there is no room; a later line says how many."""

    def __init__(self, descriptor: int) -> None:
        self._outlet = Outlet(descriptor)
        self._patience_s = _PATIENCE_S
        self.begun = b""
        """The rest of a line that is partly written."""
        self._dropped = 0
        """Lines that are missing and not reported yet."""

    def write(self, lines: bytes) -> None:
        """Write *lines*, each with its end, or as many as are taken in time. Raises nothing."""
        self.begun = self._untaken(self.begun)
        text = b"" if self.begun else self._notice() + lines
        rest = self._untaken(text)
        if len(rest) == len(text):
            self._dropped += lines.count(_END)
        else:
            ends_whole = text.removesuffix(rest).endswith(_END)
            end = 0 if ends_whole else rest.find(_END) + 1
            self.begun = rest[:end]
            self._dropped = rest.count(_END, end)
        self._patience_s = 0 if self.begun or rest else _PATIENCE_S

    def _untaken(self, text: bytes) -> bytes:
        """Write *text*, and return what was not taken in time."""
        until = time.monotonic() + self._patience_s
        taken = 0
        with suppress(OSError):  # nobody reads any more, and there is nobody else to tell
            while taken < len(text):
                patience_s = max(0.0, until - time.monotonic())
                more = self._outlet.write(memoryview(text)[taken:], round(patience_s * 1000))
                if not more:
                    return text[taken:]
                taken += more
        return b""

    def _notice(self) -> bytes:
        """Return the line that reports missing lines; nothing where none is missing."""
        if not self._dropped:
            return b""
        return warning(__name__, f"lines that nobody read in time and that were left out: {self._dropped}")


def warning(logger: str, message: str) -> bytes:
    """Return a line of the log, with its end, past loggers and their locks; *message* holds no secret."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return orjson.dumps({"timestamp": now, "level": "WARNING", "logger": logger, "message": message}) + _END
