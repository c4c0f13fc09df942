"""The benchmarks' client on pipes: one thread that reads and writes bytes, so that it costs little and the same for all."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from benchmarks.messages import INITIALIZED, Failed, hello, judged, numbered
from benchmarks.program import Program

_CHUNK = 1 << 20
_MOST_UNREAD = 1 << 15
"""Bytes of requests that may be on the way: a pipe takes twice that, so that writing never waits."""


@dataclass(frozen=True, slots=True)
class Pipes:
    """A connection to a server on its standard input and output."""

    reading: int
    writing: int

    @classmethod
    def to(cls, program: Program) -> Pipes:
        """The connection to *program*, before it is greeted."""
        return cls(*program.pipes)

    def greet(self) -> None:
        """Open the connection."""
        judged(self.ask(hello()))
        os.write(self.writing, INITIALIZED + b"\n")

    def ask(self, message: bytes) -> bytes:
        """Send a request and return its answer, with nothing else on the way."""
        os.write(self.writing, message + b"\n")
        parts = [self._read()]
        while not parts[-1].endswith(b"\n"):
            parts.append(self._read())
        return b"".join(parts)

    def pipelined(self, message: bytes, window: int, seconds: float) -> tuple[int, float]:
        """Keep *window* requests on the way for *seconds*; return how many were answered, and the seconds until the last."""
        if window * (len(message) + 8) > _MOST_UNREAD:
            raise ValueError(f"{window} requests of {len(message)} bytes could fill a pipe")
        sent = answered = 0
        begun = now = time.perf_counter()
        while now < begun + seconds or answered < sent:
            if now < begun + seconds:
                free = window - (sent - answered)
                os.write(self.writing, numbered(message, sent + 1, free))
                sent += free
            answered += judged(self._read()).count(b"\n")
            now = time.perf_counter()
        return answered, now - begun

    def _read(self) -> bytes:
        if part := os.read(self.reading, _CHUNK):
            return part
        raise Failed("the server has closed its output")
