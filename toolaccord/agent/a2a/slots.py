"""Places for requests to an agent: some run, some wait, and others are rejected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

_MAX_WAITING = 100
"""Plain requests that wait for others to end."""


class Busy(Exception):
    """As many requests wait as may."""

    code = "BUSY"
    """The code for callers."""

    def __init__(self) -> None:
        super().__init__("The agent has as many requests as it allows; try again later.")


class RequestSlots:
    """The places of one process, which plain requests and the runs of tasks share."""

    def __init__(
        self, max_concurrent: int, max_waiting: int = _MAX_WAITING, on_rejection: Callable[[], None] = lambda: None
    ) -> None:
        """*on_rejection* is called for each request without a place."""
        self.running = asyncio.Semaphore(max_concurrent)
        """The places themselves. A task waits for one with its lease, and before in its queue."""
        self.count_rejection = on_rejection
        """Counts a request without a place."""
        self._max_waiting = max_waiting
        self._waiting = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Hold a place for a plain request; wait for one if necessary. Raises Busy."""
        if self.running.locked() and self._waiting >= self._max_waiting:
            self.count_rejection()
            raise Busy
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._wait()
            try:
                yield
            finally:
                self.running.release()
        finally:
            self._tasks.discard(task)

    def stop(self) -> None:
        """Cancel all plain requests, those that wait included."""
        for task in self._tasks:
            task.cancel()

    async def _wait(self) -> None:
        self._waiting += 1
        try:
            await self.running.acquire()
        finally:
            self._waiting -= 1
