"""Requests in flight, and the stages of a shutdown."""

from __future__ import annotations

import asyncio
from typing import Any


class Traffic:
    """The requests in flight; each is served within this context manager."""

    def __init__(self) -> None:
        self.is_draining = False
        """True once the process stops: it is not ready, and each response closes its connection."""
        self.is_closed = False
        """True once no more requests are accepted."""
        self._tasks: set[asyncio.Task[Any] | None] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    def __enter__(self) -> None:
        self._tasks.add(asyncio.current_task())
        self._idle.clear()

    def __exit__(self, *_: object) -> None:
        self._tasks.discard(asyncio.current_task())
        if not self._tasks:
            self._idle.set()

    async def wait_until_idle(self) -> None:
        """Wait until no request is in flight."""
        await self._idle.wait()

    def cancel_all(self) -> None:
        """Cancel the requests in flight."""
        for task in self._tasks:
            if task is not None:
                task.cancel()
