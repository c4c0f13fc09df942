"""Work for which several callers wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SharedWork(Generic[T]):
    """Runs a coroutine once for all who wait for it; cancels it when the last of them leaves."""

    def __init__(self, work: Coroutine[Any, Any, T], on_end: Callable[[], None]) -> None:
        """Start *work*; *on_end* is called at its end, and before it is cancelled."""
        self._on_end = on_end
        self._waiters = 0
        self._has_ended = False
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(self._end)

    async def wait(self) -> T:
        """Return what the work returns. Raises what it raises."""
        self._waiters += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self._waiters -= 1
            if not self._waiters and not self._has_ended:
                self._on_end()
                self._task.cancel()

    def _end(self, task: asyncio.Task[T]) -> None:
        self._has_ended = True
        self._on_end()
        del self._task, self._on_end  # the frames of its exception hold this object, and so may *on_end*
        if not task.cancelled():
            task.exception()  # every waiter has raised it; asyncio would log it again
