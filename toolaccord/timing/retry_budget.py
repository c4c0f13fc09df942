"""Budget for retries, which all callers of a source or a server share."""

from __future__ import annotations

from toolaccord.timing.clock import Clock
from toolaccord.timing.sliding_window import SlidingWindow

_SHARE = 0.2
"""Retries as a share of the requests, as in Finagle and Linkerd."""
_FREE = 100
"""Further retries in ten seconds, for clients with few requests, as there."""


class RetryBudget:
    """Retries of all callers: a fifth of the requests of the last seconds, and ten a second.

    Otherwise each layer that repeats what failed multiplies the load of a server in trouble (Google, Site Reliability
    Engineering, 2016, chapter 21).
    """

    __slots__ = ("_clock", "_window", "refused")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._window = SlidingWindow()
        self.refused = 0
        """Number of retries for which no budget was left."""

    def count_request(self) -> None:
        """Count a request, which is no retry."""
        self._window.add(self._clock.monotonic())

    def take(self) -> bool:
        """Return whether a retry is left in the budget, and take it."""
        now = self._clock.monotonic()
        requests, retries = self._window.totals(now)
        if retries >= _FREE + _SHARE * requests:
            self.refused += 1
            return False
        self._window.add(now, 0, marked=1)
        return True
