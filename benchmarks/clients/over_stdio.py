"""The benchmarks' client over pipes: one thread that reads and writes bytes."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass

from benchmarks.clients.messages import INITIALIZED, AnswerError, check_answer, initialize_request, number_lines
from benchmarks.program import Program

_CHUNK = 1 << 20
_ID = re.compile(rb'"id":(\d+)')
_MOST_UNANSWERED = 1 << 15
"""The most bytes of unanswered requests; a pipe holds twice that, so writes never block."""


@dataclass(frozen=True, slots=True)
class Pipes:
    """A connection to a server on its standard input and output."""

    reading: int
    writing: int

    @classmethod
    def to(cls, program: Program) -> Pipes:
        """Return the connection to *program*, before `initialize`."""
        return cls(*program.pipes)

    def initialize(self) -> None:
        """Begin the session."""
        check_answer(self.request(initialize_request()))
        os.write(self.writing, INITIALIZED + b"\n")

    def request(self, message: bytes) -> bytes:
        """Send a request and return its answer; no other request may be unanswered."""
        os.write(self.writing, message + b"\n")
        parts = [self._read()]
        while not parts[-1].endswith(b"\n"):
            parts.append(self._read())
        return b"".join(parts)

    def call_pipelined(self, message: bytes, window: int, seconds: float) -> tuple[int, float]:
        """Keep *window* requests unanswered for *seconds*.

        Returns the number of answers, and the seconds until the last one.
        """
        _check_window(message, window)
        sent = answered = 0
        start = now = time.perf_counter()
        while now < start + seconds or answered < sent:
            if now < start + seconds:
                free = window - (sent - answered)
                os.write(self.writing, number_lines(message, sent + 1, free))
                sent += free
            answered += check_answer(self._read()).count(b"\n")
            now = time.perf_counter()
        return answered, now - start

    def call_concurrently(self, message: bytes, callers: int, seconds: float, first: int = 1) -> list[float]:
        """Let *callers* call for *seconds*, one call after the other; return the seconds of each.

        The calls have the ids from *first* on.
        """
        _check_window(message, callers)
        end = time.perf_counter() + seconds
        durations: list[float] = []
        sent: dict[int, float] = {}
        rest, last, free = b"", first - 1, callers
        while free or sent:
            os.write(self.writing, number_lines(message, last + 1, free))
            sent |= dict.fromkeys(range(last + 1, last + free + 1), time.perf_counter())
            last += free
            *answers, rest = (rest + self._read()).split(b"\n")
            now = time.perf_counter()
            durations += [now - sent.pop(_read_id(check_answer(answer))) for answer in answers]
            free = len(answers) if now < end else 0
        return durations

    def _read(self) -> bytes:
        if part := os.read(self.reading, _CHUNK):
            return part
        raise AnswerError("the server has closed its output")


def _check_window(message: bytes, window: int) -> None:
    if window * (len(message) + 8) > _MOST_UNANSWERED:
        raise ValueError(f"{window} requests of {len(message)} bytes could fill a pipe")


def _read_id(answer: bytes) -> int:
    found = _ID.search(answer)
    assert found, answer
    return int(found[1])
