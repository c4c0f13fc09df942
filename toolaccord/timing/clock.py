"""Clocks as arguments: tests replace the system clock by one that they move themselves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class Timer(Protocol):
    """A scheduled callback."""

    def cancel(self) -> None:
        """Cancel the callback; do nothing if it has run."""


class Clock(Protocol):
    """Time of day, monotonic time and timers."""

    def now(self) -> datetime:
        """Return the time of day, timezone-aware and in UTC."""

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start; the value never decreases."""

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* in the running event loop after *seconds*."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the time of day, timezone-aware and in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start."""
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* in the running event loop after *seconds*."""
        return asyncio.get_running_loop().call_later(seconds, callback)


class SingleTimer:
    """At most one scheduled callback, which another one replaces."""

    __slots__ = ("_clock", "_timer")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._timer: Timer | None = None

    @property
    def is_running(self) -> bool:
        """True while a callback is scheduled."""
        return self._timer is not None

    def start(self, seconds: float, callback: Callable[[], None]) -> None:
        """Call *callback* after *seconds*, instead of any callback before."""
        self.stop()

        def call() -> None:
            self._timer = None
            callback()

        self._timer = self._clock.call_later(seconds, call)

    def stop(self) -> None:
        """Call no callback."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait until *seconds* have passed on *clock*."""
    elapsed = asyncio.get_running_loop().create_future()
    timer = clock.call_later(seconds, lambda: None if elapsed.done() else elapsed.set_result(None))
    try:
        await elapsed
    finally:
        timer.cancel()
