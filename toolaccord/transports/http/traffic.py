"""Requests in flight, and the stages of a shutdown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Traffic:
    """The requests in flight; each is served within this context manager."""

    def __init__(self) -> None:
        self.is_draining = False
        """True once the process stops: it is not ready, and each response closes its connection."""
        self.is_closed = False
        """True once no more requests are accepted."""
        self._tasks: set[asyncio.Task[Any] | None] = set()
        self._streams: set[asyncio.Task[Any] | None] = set()
        """Requests that only their client ends."""
        self._enders: list[Callable[[], None]] = []
        self._idle = asyncio.Event()
        self._idle.set()

    def __enter__(self) -> None:
        self._tasks.add(asyncio.current_task())
        self._idle.clear()

    def __exit__(self, *_: object) -> None:
        self._discard(asyncio.current_task())
        self._streams.discard(asyncio.current_task())

    def note_stream(self) -> None:
        """Note that only its client ends the current request: nothing waits for it to finish."""
        self._streams.add(asyncio.current_task())
        self._discard(asyncio.current_task())

    async def wait_until_idle(self) -> None:
        """Wait until no request is in flight, streams aside."""
        await self._idle.wait()

    def on_end_of_streams(self, end: Callable[[], None]) -> None:
        """Call *end* when the process stops, to finish requests that wait for events."""
        self._enders.append(end)

    def end_streams(self) -> None:
        """Finish the requests that wait for events, and cancel those that only their clients end."""
        for end in self._enders:
            end()
        self._cancel_streams()

    def _cancel_streams(self) -> None:
        for task in self._streams:
            if task is not None:
                task.cancel()

    def cancel_all(self) -> None:
        """Cancel the requests in flight."""
        self._cancel_streams()
        for task in self._tasks:
            if task is not None:
                task.cancel()

    def _discard(self, task: asyncio.Task[Any] | None) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self._idle.set()
