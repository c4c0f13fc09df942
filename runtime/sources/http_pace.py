"""The pace of requests to a service: never more than it allows, however many callers there are."""

from __future__ import annotations

from collections import deque

from runtime.clock import Clock, sleep, time_left
from runtime.sources.http import HttpRateLimited


class Pace:
    """A limit that all callers share: so many requests may begin in any stretch of time.

    3 a second admits three requests in any second; 0.5 a second admits one in any two seconds. A caller first takes a
    `slot`, which tells one who comes too late for any, and says `begin` when it has a connection: those that
    had to wait for one would else begin together.
    """

    def __init__(self, requests_per_second: float, clock: Clock) -> None:
        burst = max(1, int(requests_per_second))
        self._stretch_s = burst / requests_per_second
        self._clock = clock
        self._slots: deque[float] = deque([float("-inf")] * burst, maxlen=burst)
        """When the newest slots are, oldest first; those to come are taken, too."""
        self._begun: deque[float] = deque([float("-inf")] * burst, maxlen=burst)
        """When the newest requests began, oldest first."""

    async def slot(self) -> None:
        """Take the next free slot and wait for it. Raises HttpRateLimited at once where it lies beyond the deadline."""
        now = self._clock.monotonic()
        due = max(now, self._slots[0] + self._stretch_s)
        left = time_left(self._clock)
        if left is not None and due - now >= left:
            raise HttpRateLimited(f"the next slot is in {due - now:.1f} s, and the call has {left:.1f} s left")
        self._slots.append(due)
        if due > now:
            await sleep(self._clock, due - now)

    async def begin(self) -> None:
        """Wait until one more request may begin."""
        while (wait_s := self._begun[0] + self._stretch_s - self._clock.monotonic()) > 0:
            await sleep(self._clock, wait_s)
        self._begun.append(self._clock.monotonic())
