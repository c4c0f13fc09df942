"""The connections of an HTTP client by httpx, which shows none of them itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpact.sources import PoolState

if TYPE_CHECKING:
    import httpx


def pool_state(client: httpx.AsyncClient | None, limit: int) -> PoolState:
    """Return how the connections of *client* stand; None is a client that was not needed yet."""
    transports = [client._transport, *client._mounts.values()] if client else []  # noqa: SLF001 - with those of proxies
    pools = [getattr(transport, "_pool", None) for transport in transports]
    idle = [connection.is_idle() for pool in pools if pool for connection in pool.connections]
    return PoolState(idle=idle.count(True), in_use=idle.count(False), limit=limit)
