"""A clock that tests move by hand."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass(order=True, slots=True)
class _ManualTimer:
    expires_at: float
    order: int
    callback: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        """Cancel the callback."""
        self.cancelled = True


class ManualClock:
    """A clock that moves only when a test advances it."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = now
        self._elapsed = 0.0
        self._timers: list[_ManualTimer] = []
        self._order = itertools.count()
        self._timer_added = asyncio.Event()

    def now(self) -> datetime:
        """Return the time of day."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds by which the clock was advanced."""
        return self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> _ManualTimer:
        """Call *callback* when the clock has advanced by *seconds*."""
        timer = _ManualTimer(self._elapsed + seconds, next(self._order), callback)
        heapq.heappush(self._timers, timer)
        self._timer_added.set()
        return timer

    async def wait_for_timer(self) -> None:
        """Wait until the code under test has set its first timer.

        From then on, advancing the clock has an effect.
        """
        await self._timer_added.wait()

    def block(self, seconds: float) -> None:
        """Let *seconds* pass in which no timer runs, as while a handler blocks the event loop."""
        self._elapsed += seconds
        asyncio.get_running_loop().call_soon(self.advance, 0)

    def advance(self, seconds: float) -> None:
        """Advance the clock by *seconds*, and call the callbacks of expired timers in order."""
        until = self._elapsed + seconds
        while self._timers and self._timers[0].expires_at <= until:
            timer = heapq.heappop(self._timers)
            self._elapsed = max(self._elapsed, timer.expires_at)
            if not timer.cancelled:
                timer.callback()
        self._elapsed = until
