"""Equal requests that wait for a slot of a rate limit, sent once for all callers."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple, TypeAlias

from toolaccord.sources.http.api import HttpRateLimited, HttpResponse
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import time_left
from toolaccord.timing.shared_work import SharedWork

_Send: TypeAlias = Callable[[Callable[[], None]], Awaitable[HttpResponse]]
"""Sends a request, calls its argument when that has a slot, and returns the response."""


class _Request(NamedTuple):
    """A request of one or more callers."""

    deadline: float
    """Deadline of its first caller on the clock's monotonic time; infinity without one."""
    work: SharedWork[HttpResponse]


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
                return await request.work.wait()
            except HttpRateLimited as error:
                if not is_joined or error.status is not None:
                    raise

    def _start(self, key: Hashable, deadline: float, send: _Send) -> _Request:
        def close() -> None:
            """Let no further caller join the request."""
            if self._waiting.get(key) is request:
                del self._waiting[key]

        async def run() -> HttpResponse:
            return await send(close)

        request = self._waiting[key] = _Request(deadline, SharedWork(run(), close))
        return request
