"""Circuit breaker: while most requests to a source fail, calls fail at once."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolaccord.timing.clock import Clock
from toolaccord.timing.sliding_window import SlidingWindow

BreakerState: TypeAlias = Literal["closed", "open", "half_open"]
"""State of a circuit: requests are sent, rejected, or rejected while one of them is a probe."""

LEAST_OUTCOMES = 20
"""Number of outcomes that tell anything; as Hystrix's requestVolumeThreshold."""
PAUSE_S = 1.0
"""Seconds between two probes."""
_SHARE = 0.5
"""Share of failures from which on a circuit is open; as Hystrix's errorThresholdPercentage."""


class Breaker:
    """A circuit breaker (Nygard, Release It!, 2007) with the rule of Netflix's Hystrix.

    It opens when half of at least *least_outcomes* outcomes of the last seconds are failures. An open one admits a
    request a second as a probe. The first answer closes it, and a failure keeps it open.
    """

    __slots__ = ("_clock", "_least_outcomes", "_probe_at", "_window", "last_at", "period", "rejections", "state")

    def __init__(self, clock: Clock, *, least_outcomes: int = LEAST_OUTCOMES) -> None:
        self._clock = clock
        self._least_outcomes = least_outcomes
        self._window = SlidingWindow()
        self._probe_at = 0.0
        self.last_at = float("-inf")
        """Time of the last outcome, in seconds of the clock's monotonic time."""
        self.state: BreakerState = "closed"
        """State of the circuit."""
        self.period = 0
        """Number of changes of the state.

        The outcome of a request counts only in the period in which it began.
        """
        self.rejections = 0
        """Number of requests that were rejected."""

    @property
    def retry_after_s(self) -> float:
        """Seconds until the next probe."""
        return max(0.0, self._probe_at - self._clock.monotonic())

    def admits(self) -> bool:
        """Return whether a request may be sent; count a rejection."""
        if self.state == "closed":
            return True
        now = self._clock.monotonic()
        if now < self._probe_at:
            self.rejections += 1
            return False
        self._probe_at = now + PAUSE_S
        self._enter("half_open")
        return True

    def answered(self, period: int) -> bool:
        """Note an answer to a request of *period*; return whether it closed the circuit."""
        self.last_at = now = self._clock.monotonic()
        if period != self.period or self.state == "open":
            return False
        if self.state == "half_open":
            return self.close()
        self._window.add(now)
        return False

    def failed(self, period: int) -> bool:
        """Note a failure of a request of *period*; return whether it opened the circuit."""
        self.last_at = now = self._clock.monotonic()
        if period != self.period or self.state == "open":
            return False
        was_closed = self.state == "closed"
        if was_closed:
            self._window.add(now, marked=1)
            outcomes, failures = self.totals
            if outcomes < self._least_outcomes or failures < _SHARE * outcomes:
                return False
        self._probe_at = now + PAUSE_S
        self._enter("open")
        return was_closed

    def close(self) -> bool:
        """Send requests again; return whether the circuit was not closed."""
        if self.state == "closed":
            return False
        self._window = SlidingWindow()
        self._enter("closed")
        return True

    @property
    def totals(self) -> tuple[int, int]:
        """Return the number of outcomes in the window, and of failures among them."""
        return self._window.totals(self._clock.monotonic())

    def _enter(self, state: BreakerState) -> None:
        if state != self.state:
            self.state = state
            self.period += 1
