"""Availability of a source: one line of the log when it goes down, and one when it is back."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Protocol, TypeVar, runtime_checkable

from toolpact.errors import SourceError

_Error = TypeVar("_Error", bound=SourceError)
_LOG = logging.getLogger(__name__)


class Availability:
    """State of one source, as attempts to talk to it found it."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        """Kind of the source."""
        self.name = name
        """Name of the source."""
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
        if self.is_down:
            self.is_down = False
            _LOG.info("source %s is available again", self.name)

    def go_down(self, error: SourceError) -> None:
        """Log an outage, unless it is known."""
        if not self.is_down:
            self.is_down = True
            _LOG.warning("source %s is unavailable: %s", self.name, error.cause)


@runtime_checkable
class Observed(Protocol):
    """A source whose state is known."""

    availability: Availability


class Attempt:
    """A block that talks to a source.

    A failure in it is logged where a call fails of it, with `report_failure`: who goes on without the source, such as a
    cache, logs that. It is no outage if the source has answered other attempts since this one started.
    """

    __slots__ = ("_answers_before", "_source")

    def __init__(self, source: Availability) -> None:
        self._source = source
        self._answers_before = source.answers

    def __enter__(self) -> None:
        """Start to talk to the source."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: TracebackType | None) -> None:
        """Note whether the source answered, also with an error of its own."""
        is_answered = error is None
        if isinstance(error, SourceError) and error.service == self._source.kind:
            is_answered = not self.failed(error).is_outage
        if is_answered:
            self._source.answered()

    def failed(self, error: _Error) -> _Error:
        """Return *error* of this attempt, with the name of the source."""
        error.source, error.attempt = self._source.name, self
        self._source.failures += error.is_outage
        return error

    def report(self, error: SourceError) -> None:
        """Log the outage that *error* of this attempt shows, if it shows one."""
        if error.is_outage and self._source.answers == self._answers_before:
            self._source.go_down(error)


def report_failure(error: SourceError) -> None:
    """Log that a source failed a call: its outage once, and else at level DEBUG."""
    if isinstance(error.attempt, Attempt):
        error.attempt.report(error)
    _LOG.debug("a source failed", exc_info=error)
