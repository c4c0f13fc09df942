"""Results on standard output, one JSON text a line."""

from __future__ import annotations

import asyncio
import sys

from toolaccord.server.startup import StartError
from toolaccord.telemetry.nonblocking_write import NonBlockingWriter
from toolaccord.timing.clock import Clock, sleep

_PAUSE_S = 0.05
"""Seconds between looks whether a slow reader has made room."""


class ResultLines:
    """Writes results to standard output; `print` in handlers and in the sandbox goes elsewhere.

    A reader that does not read delays who writes, and nothing else in the process.
    """

    def __init__(self, clock: Clock) -> None:
        assert sys.__stdout__ is not None
        self._writer = NonBlockingWriter(sys.__stdout__.fileno())
        self._clock = clock
        self._turn = asyncio.Lock()

    async def write(self, result: bytes) -> None:
        """Write *result* as a line. Raises StartError if standard output does not take it."""
        async with self._turn:
            rest = memoryview(result + b"\n")
            while rest:
                try:
                    written = self._writer.write(rest)
                except OSError as error:
                    raise StartError(f"standard output does not take results: {error.strerror}") from error
                if not written:
                    await sleep(self._clock, _PAUSE_S)
                rest = rest[written:]
