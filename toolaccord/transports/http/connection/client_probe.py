"""Probe of a client that sends nothing more: it may still read, or it may be gone."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from toolaccord.timing.clock import Clock, SingleTimer

_INTERIM_RESPONSE = b"HTTP/1.1 100 Continue\r\n\r\n"
_RESET_S = 1.0
"""Seconds in which the host of a closed client answers data with a reset."""
_INTERVAL_S = 15.0


class ClientProbe:
    """Aborts a connection whose client is gone; keeps one whose client still reads.

    Both have ended their data. Only the host of a closed client answers an interim response with a reset; a client that
    reads skips it (RFC 9110, 15.2).
    """

    def __init__(self, clock: Clock, transport: asyncio.Transport, is_interim_allowed: Callable[[], bool]) -> None:
        self._transport = transport
        self._is_interim_allowed = is_interim_allowed
        self._timer = SingleTimer(clock)

    def start(self) -> None:
        """Start to probe, unless the response is sent within a second."""
        self._timer.start(_RESET_S, self._probe)

    def stop(self) -> None:
        """Stop probing."""
        self._timer.stop()

    def _probe(self) -> None:
        if self._is_interim_allowed():
            self._transport.write(_INTERIM_RESPONSE)
        self._timer.start(_RESET_S, self._check_reset)

    def _check_reset(self) -> None:
        if self._transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self._transport.abort()
        else:
            self._timer.start(_INTERVAL_S, self._probe)
