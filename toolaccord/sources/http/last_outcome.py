"""Outcome of the last request to a service, which checks use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy

from toolaccord.errors import SourceError
from toolaccord.timing.clock import Clock


class LastOutcome:
    """Outcome of the last request."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.failure: SourceError | None = None
        """Failure of the last request, if it shows that the service is unavailable."""
        self._at = float("-inf")

    @property
    def age_s(self) -> float:
        """Seconds since the last request ended."""
        return self._clock.monotonic() - self._at

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Store the outcome of the request in the block."""
        try:
            yield
        except SourceError as failure:
            self.set(failure)
            raise
        self.set(None)

    def set(self, failure: SourceError | None) -> None:
        """Store the outcome of a request."""
        self.failure = None
        if failure and failure.is_outage:
            # A copy has no traceback, whose frames would live as long, and no cause, which has the reason.
            self.failure = copy(failure)
            self.failure.reason = failure.why
        self._at = self._clock.monotonic()
