"""Lines for a reader who may be slow, or gone: each is written whole or not at all, and none is waited for long."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import orjson

from toolpact.telemetry.nonblocking_write import Outlet

_PATIENCE_S = 0.2
"""Seconds that lines wait for a reader who has kept up so far; for one who has not, none."""
_END = b"\n"


class WholeLines:
    """Writes lines to a descriptor, and leaves out those for which there is no room. How many, a line says when there is room again."""

    def __init__(self, descriptor: int) -> None:
        self._outlet = Outlet(descriptor)
        self._patience_s = _PATIENCE_S
        self.begun = b""
        """The rest of a line of which some is written."""
        self._left_out = 0
        """How many lines nobody was told of."""

    def write(self, lines: bytes) -> None:
        """Write *lines*, each with its end, or as many as are taken in time. Raises nothing."""
        notice = self._notice()
        said = self.begun + notice + lines
        try:
            taken = self._taken(said)
        except OSError:  # nobody reads any more, and there is nobody else to tell
            taken = len(said)
        left = said[taken:]
        if not notice or taken > len(self.begun):
            self._left_out = 0
        else:
            self._left_out -= 1  # the notice is counted below
        is_begun = said[taken - 1 : taken] != _END if taken else bool(self.begun)
        self.begun = left[: left.find(_END) + 1] if is_begun else b""
        self._left_out += left.count(_END, len(self.begun))
        self._patience_s = 0 if left else _PATIENCE_S

    def _taken(self, said: bytes) -> int:
        """Write *said*, and return how much was taken in time. Raises OSError."""
        until = time.monotonic() + self._patience_s
        taken = 0
        while taken < len(said):
            patience_s = max(0.0, until - time.monotonic())
            more = self._outlet.write(memoryview(said)[taken:], round(patience_s * 1000))
            if not more:
                break
            taken += more
        return taken

    def _notice(self) -> bytes:
        """Return the line that says what was left out."""
        if not self._left_out:
            return b""
        return warning(__name__, f"lines that nobody read in time and that were left out: {self._left_out}")


def warning(logger: str, message: str) -> bytes:
    """Return a line of the log, with its end, past loggers and their locks; *message* holds no secret."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return orjson.dumps({"timestamp": now, "level": "WARNING", "logger": logger, "message": message}) + _END
