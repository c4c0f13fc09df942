"""Waiting for a task, in one process."""

from __future__ import annotations

import asyncio

from toolaccord.timing.clock import Clock


class Bell:
    """Wakes all who wait for it at that moment."""

    def __init__(self, clock: Clock) -> None:
        self.rings = 0
        """Number of times that it rang."""
        self._clock = clock
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        """Wake all who wait."""
        self.rings += 1
        for woken in self._waiting:
            _wake(woken)

    async def wait(self, seconds: float) -> None:
        """Wait for a ring, or until *seconds* have passed on the clock."""
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        timer = self._clock.call_later(seconds, lambda: _wake(woken))
        self._waiting.add(woken)
        try:
            await woken
        finally:
            timer.cancel()
            self._waiting.discard(woken)


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
