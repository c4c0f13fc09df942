"""Availability of a source: one line of the log when it goes down, and one when it is back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, TypeVar, runtime_checkable

from toolaccord.errors import SourceError
from toolaccord.sources.breaker import Breaker
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, DeadlineTask, end_wait, start_wait
from toolaccord.timing.retry_budget import RetryBudget

_Error = TypeVar("_Error", bound=SourceError)
_LOG = logging.getLogger(__name__)
_SILENCE_S = 1.0
"""Seconds without an answer after which attempts that a deadline cut off show an outage.

Some tools have deadlines of 50 ms, and a busy process reads an answer late.
"""
_LATE_S = 0.1
"""Seconds by which the event loop is too late to tell whether a source answered in time."""


class CutOff(SourceError):
    """The deadline of a call ended before the source answered."""

    summary = "no answer before the deadline of the call; look whether it hangs or is overloaded"


class Availability:
    """State of one source, as attempts to talk to it found it.

    Its circuit breaker rejects requests during an outage, and its budget limits their repetitions.
    """

    def __init__(
        self, kind: str, name: str, place: str, clock: Clock, unavailable: Callable[[str], SourceError] = SourceError
    ) -> None:
        """*unavailable* makes the error for a request that the circuit breaker rejects."""
        self._clock, self._unavailable = clock, unavailable
        self.breaker = Breaker(clock)
        """Circuit breaker of the source."""
        self.retries = RetryBudget(clock)
        """Budget of repeated requests."""
        self.last_failure: str | None = None
        """Reason why the last request failed; None if it was answered."""
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

    @property
    def idle_s(self) -> float:
        """Seconds since the last request ended."""
        return self._clock.monotonic() - self.breaker.last_at

    def admit(self) -> None:
        """Raise the error of the source if its circuit breaker admits no request."""
        if self.breaker.admits():
            return
        error = self.unavailable(f"most requests to it failed lately, so this one was not sent: {self.last_failure}")
        error.is_rejected, error.retry_after_s = True, self.breaker.retry_after_s
        raise error

    def unavailable(self, reason: str) -> SourceError:
        """Return the error of the source for a request that is not sent because of *reason*."""
        error = self.name_failure(self._unavailable(reason), Attempt(self))
        error.reason = reason
        return error

    def request(self) -> Attempt:
        """Return a block that talks to the source. Raises the error of `admit`."""
        self.admit()
        return Attempt(self)

    def attempt(self) -> Attempt:
        """Return a block that talks to the source as a part of a request that was admitted."""
        return Attempt(self)

    def connected(self) -> None:
        """Note a new connection, and log that an outage is over."""
        self.breaker.close()
        self._restore()

    def answered(self, period: int) -> None:
        """Note an answer to an attempt of *period*, and log that an outage is over."""
        if self.breaker.answered(period):
            _LOG.info("the circuit of source %s is closed again", self.name)
        if self.breaker.state == "closed":
            self._restore()

    def missed(self, error: SourceError, period: int) -> None:
        """Note a failure of an attempt of *period*, unless this process is too busy to tell."""
        self.last_failure = error.why
        cause = error.__cause__
        if error.is_busy or (isinstance(cause, DeadlineExceeded) and cause.late_s > _LATE_S):
            return
        outcomes, failures = self.breaker.totals
        if self.breaker.failed(period):
            self.go_down(error.why)
            _LOG.warning(
                "the circuit of source %s is open: %d of the last %d requests failed, and now all but one a second do",
                self.name,
                failures + 1,
                outcomes + 1,
            )

    def _restore(self) -> None:
        self.answers += 1
        self._silent_since = self.last_failure = None
        if self.is_down:
            self.is_down = False
            _LOG.info("source %s is available again", self.name)

    def name_failure(self, error: _Error, attempt: Attempt) -> _Error:
        """Return *error* of *attempt*, with the name of the source."""
        error.service = self.kind
        error.source, error.place, error.attempt = self.name, self.place, attempt
        return error

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

    __slots__ = ("_answers_before", "_cut_off", "_period", "_source", "_tasks")

    def __init__(self, source: Availability) -> None:
        self._source = source
        self._period = source.breaker.period
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
        if isinstance(error, SourceError) and error.service == self._source.kind and not error.is_rejected:
            is_answered = not self.missed(error).is_outage
        if is_answered:
            self._source.answered(self._period)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait in the block for a connection; its success is no answer of the source."""
        tasks = start_wait(self)
        try:
            yield
        finally:
            end_wait(self, tasks)

    def missed(self, error: _Error) -> _Error:
        """Return *error* of this attempt, which counts for the circuit breaker if it is an outage."""
        if self.failed(error).is_outage:
            self._source.missed(error, self._period)
        return error

    def failed(self, error: _Error) -> _Error:
        """Return *error* of this attempt, with the name of the source."""
        self._source.name_failure(error, self)
        self._source.failures += error.is_outage
        return error

    def cut_off(self, since: float, now: float) -> CutOff:
        """Return the failure of this attempt, which a deadline ended; log an outage."""
        if self._cut_off is None:  # several calls may wait for one attempt
            self._cut_off = self.failed(CutOff())
            if self._source.was_silent(since, now):
                self._source.missed(self._cut_off, self._period)
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
