"""Limit of the time in which a client takes its responses."""

from __future__ import annotations

import asyncio
import math
from functools import partial

from toolaccord.timing.clock import SingleTimer
from toolaccord.transports.http.connection.open_connections import Connections

_MIN_TAKEN_BYTES = 65_536
"""Bytes that a slow client must take within the timeout, unless it takes all."""


class OutputLimit:
    """Aborts a connection whose client takes its output too slowly, or not at all."""

    def __init__(self, connections: Connections, transport: asyncio.Transport) -> None:
        self._connections = connections
        self._transport = transport
        self._timer = SingleTimer(connections.clock)

    def start(self) -> None:
        """Start to limit the output that is buffered now."""
        self._check(math.inf)

    def stop(self) -> None:
        """Stop, because the client has taken all."""
        self._timer.stop()
        self._connections.remove_output(self._transport)

    def _check(self, before: float) -> None:
        """Abort the connection if too much is left of the *before* bytes, else check again later."""
        size = self._connections.add_output(self._transport)
        if size > before - _MIN_TAKEN_BYTES:
            self._transport.abort()
        else:
            self._timer.start(self._connections.limits.output_timeout_s, partial(self._check, size))
