"""Availability of a source: one line of the log when it goes down, and one when it is back."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, TypeVar, runtime_checkable

from toolaccord.errors import SourceError
from toolaccord.timing.deadline import DeadlineExceeded, DeadlineTask, end_wait, start_wait

_Error = TypeVar("_Error", bound=SourceError)
_LOG = logging.getLogger(__name__)
_SILENCE_S = 1.0
"""Seconds without an answer after which attempts that a deadline cut off show an outage.

Some tools have deadlines of 50 ms, and a busy process reads an answer late.
"""


class CutOff(SourceError):
    """The deadline of a call ended before the source answered."""

    summary = "no answer before the deadline of the call; look whether it hangs or is overloaded"


class Availability:
    """State of one source, as attempts to talk to it found it."""

    def __init__(self, kind: str, name: str, place: str) -> None:
        self.kind = kind
        """Kind of the source."""
        self.name = name
        """Name of the source."""
        self.place = place
        """Address of the source, without credentials."""
        self._silent_since: float | None = None
        """Time of the first attempt since the last answer that a deadline cut off."""
        self.answers = 0
        """Number of answers of the source, errors of its own among them."""
        self.failures = 0
        """Number of attempts that it did not answer."""
        self.is_down = False
        """True from the line that reports an outage to the line that ends it."""

    def attempt(self) -> Attempt:
        """Return a block that talks to the source, which starts now."""
        return Attempt(self)

    def answered(self) -> None:
        """Note an answer, and log that an outage is over."""
        self.answers += 1
        self._silent_since = None
        if self.is_down:
            self.is_down = False
            _LOG.info("source %s is available again", self.name)

    def go_down(self, reason: str) -> None:
        """Log an outage, unless it is known."""
        if not self.is_down:
            self.is_down = True
            _LOG.warning("source %s is unavailable: %s", self.name, reason)

    def was_silent(self, since: float, now: float) -> bool:
        """Note silence from *since* to *now*; return whether the source is in an outage."""
        self._silent_since = since if self._silent_since is None else min(self._silent_since, since)
        return now - self._silent_since >= _SILENCE_S


@runtime_checkable
class Observed(Protocol):
    """A source whose state is known."""

    availability: Availability


class Attempt:
    """A block that talks to a source.

    A failure in it is logged where a call fails of it, with `report_failure`: who goes on without the source, such as a
    cache, logs that. It is no outage if the source has answered other attempts since this one started.
    """

    __slots__ = ("_answers_before", "_cut_off", "_source", "_tasks")

    def __init__(self, source: Availability) -> None:
        self._source = source
        self._answers_before = source.answers
        self._cut_off: CutOff | None = None
        self._tasks: list[DeadlineTask[Any]] = []

    def __enter__(self) -> None:
        """Start to talk to the source."""
        self._tasks = start_wait(self)

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: TracebackType | None) -> None:
        """Note whether the source answered, also with an error of its own."""
        end_wait(self, self._tasks)
        is_answered = error is None
        if isinstance(error, SourceError) and error.service == self._source.kind:
            is_answered = not self.failed(error).is_outage
        if is_answered:
            self._source.answered()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait in the block for a connection; its success is no answer of the source."""
        tasks = start_wait(self)
        try:
            yield
        finally:
            end_wait(self, tasks)

    def failed(self, error: _Error) -> _Error:
        """Return *error* of this attempt, with the name of the source."""
        error.source, error.place, error.attempt = self._source.name, self._source.place, self
        self._source.failures += error.is_outage
        return error

    def cut_off(self, since: float, now: float) -> CutOff:
        """Return the failure of this attempt, which a deadline ended; log an outage."""
        if self._cut_off is None:  # several calls may wait for one attempt
            self._cut_off = self.failed(CutOff())
            if self._source.was_silent(since, now):
                self.report(self._cut_off)
        return self._cut_off

    def report(self, error: SourceError) -> None:
        """Log the outage that *error* of this attempt shows, if it shows one."""
        if error.is_outage and self._source.answers == self._answers_before:
            self._source.go_down(error.why)


def report_deadline(error: DeadlineExceeded) -> Sequence[CutOff]:
    """Return the failures of sources that had not answered at a deadline; log outages once."""
    return [wait.cut_off(since, error.at) for wait, since in error.waits.items() if isinstance(wait, Attempt)]


def report_failure(error: SourceError) -> None:
    """Log that a source failed a call: its outage once, and else at level DEBUG."""
    if isinstance(error.attempt, Attempt):
        error.attempt.report(error)
    _LOG.debug("a source failed", exc_info=error)
