"""Rate limit of requests to a service, shared by all callers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from toolaccord.sources.http.api import HttpRateLimited
from toolaccord.timing.clock import Clock, sleep
from toolaccord.timing.deadline import time_left

_SHORTEST_RETRY_S = 1.0
"""Shortest time after which a rejected call is told to come again, in seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    """A caller in the queue."""

    deadline: float
    """Deadline on the clock's monotonic time; infinity without one."""
    admission: asyncio.Future[bool] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """Done when the caller is first in the queue (True), or is rejected (False)."""


class RateLimiter:
    """Limits how many requests start in any window of time.

    3 a second admits three requests in any second; 0.5 a second admits one in any two seconds. Callers wait in one
    queue. The first caller takes a slot when it has all else that it needs, and leaves the queue. A caller that gives
    up leaves without a slot, and those behind it move up.
    """

    def __init__(self, requests_per_second: float, clock: Clock) -> None:
        self.burst = max(1, int(requests_per_second))
        """Requests that may start in a window."""
        self.window_s = self.burst / requests_per_second
        """Length of a window in seconds."""
        self._clock = clock
        self._take_shared: Callable[[], Awaitable[float]] | None = None
        self._queue: deque[_Waiter] = deque()
        self._starts: deque[float] = deque([float("-inf")] * self.burst, maxlen=self.burst)
        """Start times of the newest requests, oldest first."""
        self._paused_until = float("-inf")

    def share(self, take_slot: Callable[[], Awaitable[float]]) -> None:
        """Take each slot from all replicas, too.

        *take_slot* takes one and returns 0, or the seconds until one may be free.
        """
        self._take_shared = take_slot

    def has_free_slot(self, ahead: int = 0) -> bool:
        """Return whether a request may start at once behind the queue, or *ahead* others if more."""
        return self._slot_time(max(ahead, len(self._queue))) <= self._clock.monotonic()

    @asynccontextmanager
    async def queued(self) -> AsyncIterator[None]:
        """Wait until the caller is first in the queue; leaving the block admits the next caller.

        Raises HttpRateLimited as soon as no slot can come before the caller's deadline.
        """
        left = time_left(self._clock)
        waiter = _Waiter(float("inf") if left is None else self._clock.monotonic() + left)
        if self._is_late(waiter, len(self._queue)):
            raise self._rejection(waiter, len(self._queue))
        self._queue.append(waiter)
        try:
            self._admit_first()
            if not await waiter.admission:
                raise self._rejection(waiter, 0)
            yield
        finally:
            if waiter in self._queue:
                self._queue.remove(waiter)
            self._admit_first()

    async def take_slot(self) -> None:
        """Wait for the next slot and take it; call this only inside `queued`.

        Raises HttpRateLimited if a pause moves the slot beyond the caller's deadline.
        """
        await self._wait_for_slot()
        while self._take_shared and (wait_s := await self._take_shared()):
            self.pause_until(self._clock.monotonic() + wait_s)
            await self._wait_for_slot()
        self._starts.append(self._clock.monotonic())

    async def _wait_for_slot(self) -> None:
        """Wait for the next slot of this process. Raises HttpRateLimited."""
        while (wait_s := self._slot_time(0) - self._clock.monotonic()) > 0:
            if self._is_late(self._queue[0], 0):
                raise self._rejection(self._queue[0], 0)
            await sleep(self._clock, wait_s)

    def pause_until(self, time: float) -> None:
        """Start no request before *time*, on the clock's monotonic time.

        Waiters whose deadline is earlier are rejected at once.
        """
        self._paused_until = max(self._paused_until, time)
        waiters, self._queue = self._queue, deque[_Waiter]()
        for waiter in waiters:
            # `take_slot` rejects the waiter that is already admitted.
            if not waiter.admission.done() and self._is_late(waiter, len(self._queue)):
                waiter.admission.set_result(False)
            else:
                self._queue.append(waiter)

    def _slot_time(self, ahead: int) -> float:
        """Return the earliest start of a request with *ahead* requests before it."""
        rounds, position = divmod(ahead, self.burst)
        earliest = max(self._clock.monotonic(), self._paused_until)
        return max(earliest + rounds * self.window_s, self._starts[position] + (rounds + 1) * self.window_s)

    def _is_late(self, waiter: _Waiter, ahead: int) -> bool:
        """Return whether *waiter*, with *ahead* requests before it, gets no slot in time."""
        slot_time = self._slot_time(ahead)
        return slot_time > self._clock.monotonic() and slot_time >= waiter.deadline

    def _rejection(self, waiter: _Waiter, ahead: int) -> HttpRateLimited:
        """Return the error of a late *waiter*.

        A call with as much time gets a slot after `retry_after_s`.
        """
        now, slot_time = self._clock.monotonic(), self._slot_time(ahead)
        left_s = max(0.0, waiter.deadline - now)
        retry_after_s = max(_SHORTEST_RETRY_S, slot_time - now - left_s)
        message = f"the next slot is in {slot_time - now:.1f} s, and the call has {left_s:.1f} s left"
        return HttpRateLimited(message, retry_after_s=retry_after_s)

    def _admit_first(self) -> None:
        if self._queue and not self._queue[0].admission.done():
            self._queue[0].admission.set_result(True)
