"""Probe of a client that sends nothing more: it may still read, or it may be gone."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from functools import partial

from toolaccord.timing.clock import Clock, SingleTimer

_QUICK_S = 0.05
"""Seconds in which most calls are answered, so that no probe is needed."""
_RESETS_S = (0.1, 0.9)
"""Seconds in which a near host answers data with a reset, and then a far one."""
_INTERVAL_S = 15.0


class ClientProbe:
    """Aborts a connection whose client is gone; keeps one whose client still reads.

    Both have ended their data. Only the host of a closed client answers more data with a reset.
    """

    def __init__(self, clock: Clock, transport: asyncio.Transport, filler: Callable[[], bytes]) -> None:
        """*filler* returns bytes that the client skips; none while there are none."""
        self._transport = transport
        self._filler = filler
        self._timer = SingleTimer(clock)

    def start(self) -> None:
        """Start to probe, unless the response is sent at once."""
        self._timer.start(_QUICK_S, self._probe)

    def stop(self) -> None:
        """Stop probing."""
        self._timer.stop()

    def _probe(self) -> None:
        self._transport.write(self._filler())
        self._wait_for_reset(_RESETS_S)

    def _wait_for_reset(self, delays_s: Sequence[float]) -> None:
        if not delays_s:
            self._timer.start(_INTERVAL_S, self._probe)
        else:
            self._timer.start(delays_s[0], partial(self._check_reset, delays_s[1:]))

    def _check_reset(self, delays_s: Sequence[float]) -> None:
        if self._transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self._transport.abort()
        else:
            self._wait_for_reset(delays_s)
