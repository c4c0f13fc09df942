"""The requests that hold a connection of a pool, counted by their client: httpx2 and aiohttp show no pool."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolpact.sources import PoolState


class RequestCount:
    """Counts the requests in flight to a pool of at most *limit* connections; the pool does not say how many are idle."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_flight = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a request for as long as it lasts."""
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1

    def pool_state(self) -> PoolState:
        """Return the connections in use; requests beyond the limit wait for one."""
        return PoolState(idle=None, in_use=min(self._in_flight, self._limit), limit=self._limit)
