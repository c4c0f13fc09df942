"""Availability of a source: one line of the log when it goes down, and one when it is back."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import TypeVar

from toolpact.errors import SourceError

_Error = TypeVar("_Error", bound=SourceError)
_LOG = logging.getLogger(__name__)


class Availability:
    """A block that talks to one source, and what calls found of its state.

    A failure in the block is logged where a call fails of it, with `report_failure`: who goes on without the source,
    such as a cache, logs that.
    """

    def __init__(self, kind: str, name: str) -> None:
        self._kind = kind
        self._name = name
        self._is_down = False

    def __enter__(self) -> None:
        """Begin to talk to the source."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: TracebackType | None) -> None:
        """Note that the source answered, also with an error of its own, or that it did not."""
        if isinstance(error, SourceError) and error.service == self._kind and error.is_outage:
            self.lost(error)
        elif self._is_down and (error is None or getattr(error, "service", None) == self._kind):
            self._is_down = False
            _LOG.info("source %s answers again", self._name)

    def lost(self, error: _Error) -> _Error:
        """Return *error* of an attempt to connect, which nothing but a failure says anything about."""
        if error.is_outage:
            error.availability = self
        return error

    def go_down(self, error: SourceError) -> None:
        """Log that the source does not answer, unless that is known."""
        if not self._is_down:
            self._is_down = True
            _LOG.warning("source %s does not answer: %s", self._name, error.cause)


def report_failure(error: SourceError) -> None:
    """Log that a source failed a call: its outage once, and else at level DEBUG."""
    if isinstance(error.availability, Availability):
        error.availability.go_down(error)
    _LOG.debug("a source failed", exc_info=error)
