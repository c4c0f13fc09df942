"""The open connections of a server, and the limits that they share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from toolaccord.config.access_rules import AccessRules
from toolaccord.timing.clock import Clock
from toolaccord.transports.http.connection.certificate import Certificate

_LOG = logging.getLogger(__name__)
_OTHER_DESCRIPTORS = 224
"""Descriptors for sources, logs and files, and for connections that end or begin."""
_BUFFER_BYTES = 262_144
_BODY_BYTES_A_CHUNK = 256
_MIN_CHUNKS = 1024
_MAX_PROBES = 128
_MAX_DISCARDING = 64
_DISCARD_INTERVAL_S = 0.008
"""Seconds between two reads of data to discard: 32 MB a second for all connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Limits of the connections of one server."""

    max_connections: int
    """Connections that may request everything."""
    max_probes: int
    """Connections beside these, which may only request `/health`, `/ready` and `/metrics`."""
    max_chunks: int
    """Chunks of one body."""
    first_byte_timeout_s: float = 10.0
    """Seconds between the start of a connection and its first byte."""
    head_timeout_s: float = 30.0
    """Seconds between the first byte of a head and its end."""
    keep_alive_timeout_s: int = 5
    """Seconds between a response and the next request."""
    output_timeout_s: float = 30.0
    """Seconds in which a client must take 64 KiB of what is buffered for it, or all of it."""
    discard_timeout_s: float = 5.0
    """Seconds for which the rest of a rejected request is discarded."""
    max_output_bytes: int = 67_108_864
    """Bytes of responses that are buffered for all clients together."""


def fit_limits(access: AccessRules, descriptors: int) -> ConnectionLimits:
    """Return the limits of a process that may open *descriptors* files, also for sources.

    A body may have 1,024 chunks, and one more per 256 bytes of the largest body.
    """
    available = max(descriptors - _OTHER_DESCRIPTORS, 2)
    max_probes = min(_MAX_PROBES, available // 2)
    max_connections = min(access.max_connections, available - max_probes)
    if max_connections < access.max_connections:
        _LOG.warning("the limit of %s open files allows only %s connections", descriptors, max_connections)
    return ConnectionLimits(
        max_connections=max_connections,
        max_probes=max_probes,
        max_chunks=_MIN_CHUNKS + access.max_body_bytes // _BODY_BYTES_A_CHUNK,
    )


class Connections:
    """The open connections of a server, and what is buffered for their clients."""

    def __init__(self, limits: ConnectionLimits, clock: Clock, certificate: Certificate | None = None) -> None:
        self.limits = limits
        """The limits of each connection, and of all."""
        self.certificate = certificate
        """The certificate of the server; None without TLS."""
        self.clock = clock
        """Measures their times."""
        self.buffer = memoryview(bytearray(_BUFFER_BYTES))
        """Receives data of any connection, which takes them before the next one receives."""
        self._regular: set[asyncio.Transport] = set()
        self._probes: dict[asyncio.Transport, None] = {}
        """Connections beyond the limit, the oldest first."""
        self._discarding: dict[asyncio.Transport, None] = {}
        """Connections whose data are discarded, the oldest first."""
        self.on_change: Callable[[int], None] = lambda _count: None
        """Called with the number of open connections whenever it changes."""
        self._emptied = asyncio.Event()
        self._output: dict[asyncio.Transport, int] = {}
        """Buffered bytes of each connection whose client is slow, the one that waits longest first."""
        self._output_bytes = 0

    def add(self, transport: asyncio.Transport) -> bool:
        """Add a connection; return whether it may only request `/health`, `/ready` and `/metrics`.

        There is always a place for such a connection: the oldest of them makes room.
        """
        is_probe = len(self._regular) >= self.limits.max_connections
        if is_probe:
            _add_within(self._probes, transport, self.limits.max_probes)
        else:
            self._regular.add(transport)
        self.on_change(self.count)
        return is_probe

    def add_discarding(self, transport: asyncio.Transport) -> None:
        """Count a connection whose data are discarded; the oldest such connection makes room."""
        self._regular.discard(transport)
        self._probes.pop(transport, None)
        _add_within(self._discarding, transport, _MAX_DISCARDING)

    def remove(self, transport: asyncio.Transport) -> None:
        """Remove a connection that is closed."""
        self._regular.discard(transport)
        self._probes.pop(transport, None)
        self._discarding.pop(transport, None)
        self.remove_output(transport)
        self._emptied.set()
        self.on_change(self.count)

    @property
    def count(self) -> int:
        """Number of open connections."""
        return len(self._regular) + len(self._probes) + len(self._discarding)

    async def wait_until_closed(self) -> None:
        """Wait until no connection is open."""
        while self.count:
            self._emptied.clear()
            await self._emptied.wait()

    @property
    def discard_interval_s(self) -> float:
        """Seconds between two reads of a connection whose data are discarded."""
        return _DISCARD_INTERVAL_S * len(self._discarding)

    def add_output(self, transport: asyncio.Transport) -> int:
        """Count what is buffered for a slow client, and return its size in bytes.

        Beyond the limit of all, abort the connections that have waited longest.
        """
        self.remove_output(transport)
        size = self._output[transport] = transport.get_write_buffer_size()
        self._output_bytes += size
        while self._output_bytes > self.limits.max_output_bytes and len(self._output) > 1:
            oldest = next(iter(self._output))
            self.remove_output(oldest)
            oldest.abort()
        return size

    def remove_output(self, transport: asyncio.Transport) -> None:
        """Count nothing any more for a client."""
        self._output_bytes -= self._output.pop(transport, 0)

    def abort_all(self) -> None:
        """Abort all connections."""
        for transport in [*self._regular, *self._probes, *self._discarding]:
            transport.abort()


def _add_within(transports: dict[asyncio.Transport, None], transport: asyncio.Transport, limit: int) -> None:
    """Add *transport*; abort the oldest of *transports* beyond *limit*."""
    transports[transport] = None
    if len(transports) > limit:
        oldest = next(iter(transports))
        del transports[oldest]
        oldest.abort()
