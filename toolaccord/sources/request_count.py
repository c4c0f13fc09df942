"""Count of requests in flight, since httpx2 does not report the state of a pool."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolaccord.sources import PoolState


class RequestCount:
    """Counts the requests in flight to a pool of at most *limit* connections."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_flight = 0

    @contextmanager
    def track(self) -> Iterator[None]:
        """Count one request until the block ends."""
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1

    def pool_state(self) -> PoolState:
        """Return the connections in use. Requests beyond the limit wait for a connection."""
        return PoolState(idle=None, in_use=min(self._in_flight, self._limit), limit=self._limit)
