"""A connection that does not wait for ever: a request comes whole within a time, or not at all."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class TimedProtocol(H11Protocol):
    """A connection that is closed when a request is not whole *slowest_s* seconds after its first byte.

    It makes no difference whether the request was answered by then: what is sent on after a refusal is not read for ever. uvicorn itself limits
    only the time between two requests.
    """

    def __init__(self, slowest_s: float, **given: Any) -> None:
        super().__init__(**given)
        self._slowest_s = slowest_s
        self._closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._rest()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP. Where the answer to a request has begun before all of it came, nothing more can be said."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _should_upgrade(self) -> bool:
        """Pass over an offer to speak something else, as some clients make with every request (RFC 9110, 7.8)."""
        return False

    def _watch(self) -> None:
        """Limit the time of a request that is not whole yet."""
        if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
            self._rest()
        elif self._closing is None:
            self._closing = self.loop.call_later(self._slowest_s, self.transport.close)

    def _rest(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
