"""Time as an argument: the clock a server lives by, so that tests can move it by hand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class Timer(Protocol):
    """A callback that waits for its time."""

    def cancel(self) -> None:
        """Forget the callback; cancelling one that ran is no error."""


class Clock(Protocol):
    """The time of day, a time that only grows, and a way to be called later."""

    def now(self) -> datetime:
        """Return the time of day, aware and in UTC."""

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start; never goes back."""

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* in the running event loop once *seconds* have passed."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the time of day, aware and in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start."""
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* in the running event loop once *seconds* have passed."""
        return asyncio.get_running_loop().call_later(seconds, callback)


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait until *seconds* have passed on *clock*."""
    over = asyncio.get_running_loop().create_future()
    timer = clock.call_later(seconds, lambda: None if over.done() else over.set_result(None))
    try:
        await over
    finally:
        timer.cancel()
