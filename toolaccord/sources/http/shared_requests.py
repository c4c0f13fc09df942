"""Equal requests that wait for a slot of a rate limit, sent once for all callers."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

from toolaccord.sources.http.api import HttpRateLimited, HttpResponse
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import time_left

_Send: TypeAlias = Callable[[Callable[[], None]], Awaitable[HttpResponse]]
"""Sends a request, calls its argument when that has a slot, and returns the response."""


@dataclass(slots=True, eq=False)
class _Request:
    """A request of one or more callers."""

    deadline: float
    """Deadline of its first caller on the clock's monotonic time; infinity without one."""
    task: asyncio.Task[HttpResponse] = field(init=False)
    """Deleted at its end, since its exception has frames that hold this record."""
    callers: int = 0
    is_done: bool = False


class SharedRequests:
    """Joins equal requests until the first of them gets its slot.

    An answer is thus never older than the call that it serves. A request is cancelled when its last caller leaves.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[Hashable, _Request] = {}
        """Requests that wait for a slot."""

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a slot, or are about to."""
        return len(self._waiting)

    async def get(self, key: Hashable, send: _Send) -> HttpResponse:
        """Return the response to the request *key*; *send* it unless an equal one waits.

        A caller joins no request that may wait beyond its deadline. It starts another if the one that it joined gets
        no slot before an earlier deadline. Raises what *send* raises.
        """
        left = time_left(self._clock)
        deadline = math.inf if left is None else self._clock.monotonic() + left
        while True:
            request = self._waiting.get(key)
            is_joined = request is not None and request.deadline <= deadline
            if request is None or not is_joined:
                request = self._start(key, deadline, send)
            try:
                return await self._wait_for(key, request)
            except HttpRateLimited as error:
                if not is_joined or error.status is not None:
                    raise

    def _start(self, key: Hashable, deadline: float, send: _Send) -> _Request:
        request = self._waiting[key] = _Request(deadline)

        async def run() -> HttpResponse:
            return await send(lambda: self._close(key, request))

        request.task = asyncio.create_task(run())
        request.task.add_done_callback(lambda task: self._on_done(key, request, task))
        return request

    async def _wait_for(self, key: Hashable, request: _Request) -> HttpResponse:
        request.callers += 1
        try:
            return await asyncio.shield(request.task)
        finally:
            request.callers -= 1
            if not request.callers and not request.is_done:
                self._close(key, request)
                request.task.cancel()

    def _on_done(self, key: Hashable, request: _Request, task: asyncio.Task[HttpResponse]) -> None:
        request.is_done = True
        del request.task
        self._close(key, request)
        if not task.cancelled():
            task.exception()  # every caller has raised it; asyncio would log it again

    def _close(self, key: Hashable, request: _Request) -> None:
        """Let no further caller join *request*."""
        if self._waiting.get(key) is request:
            del self._waiting[key]
