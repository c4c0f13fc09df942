"""Subscriber to a bound PUB socket."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from toolaccord.contract.source_kinds.zmq import ZmqSubSource
from toolaccord.sources import MAX_RESPONSE_BYTES
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.zmq.api import ZmqError
from toolaccord.tasks.bell import Bell
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import time_left

if TYPE_CHECKING:
    from toolaccord.sources.zmq.connection import ZmqConnection
    from toolaccord.sources.zmq.socket_reader import Parts

_LOG = logging.getLogger(__name__)
_MAX_UNREAD = 10
"""Number of messages, also of the largest size, that libzmq holds for a busy event loop.

The sender holds the others.
"""
_WARNING_INTERVAL_S = 60.0
"""Seconds between warnings about dropped messages."""


class ZmqSubscriber:
    """A subscriber to everything that a PUB socket sends. Connects at the start."""

    kind: ClassVar = "zmq_sub"
    """Kind of the system that answers."""

    def __init__(self, limits: ZmqSubSource, endpoint: str, clock: Clock) -> None:
        self._limits = limits
        self._endpoint = endpoint
        self._clock = clock
        self.availability = Availability(ZmqError.service, limits.name, describe_place(endpoint), clock, ZmqError)
        """State of the source, as its connection and checks found it."""
        self._connection: ZmqConnection | None = None
        self._messages: deque[bytes] = deque(maxlen=limits.max_messages)
        """The messages, the newest first."""
        self._arrivals = Bell(clock)
        self._dropped = 0
        self._next_warning = clock.monotonic()
        """Time from which a dropped message is logged, in seconds of the clock's monotonic time."""

    @property
    def is_configured(self) -> bool:
        """True unless the endpoint is empty."""
        return bool(self._endpoint)

    async def start(self) -> None:
        """Connect in the background. Raises ZmqError for an invalid endpoint."""
        self._open()

    async def check(self) -> None:
        """Raise ZmqError if there is an endpoint, and no connection to it."""
        self._open()
        if self._connection is not None and not self._connection.is_connected:
            raise self.availability.attempt().failed(ZmqError(self._connection.failure))

    async def close(self) -> None:
        """Close the connection, in bounded time."""
        if self._connection is not None:
            await self._connection.close()

    def messages(self) -> Sequence[bytes]:
        """Return the messages in memory, the newest first. Raises ZmqError for an invalid endpoint."""
        self._open()
        return tuple(self._messages)

    async def wait_for_more(self, spare_s: float) -> bool:
        """Wait for another message; return False *spare_s* seconds before the call's deadline."""
        left_s, rings = time_left(self._clock), self._arrivals.rings
        await self._arrivals.wait(math.inf if left_s is None else max(left_s - spare_s, 0))
        return self._arrivals.rings > rings

    def _open(self) -> None:
        """Connect, if there is an endpoint and no connection. Raises ZmqError."""
        if self._connection is not None or not self._endpoint:
            return
        import zmq  # noqa: PLC0415 - takes 30 ms to load

        from toolaccord.sources.zmq.connection import SocketKind, ZmqConnection  # noqa: PLC0415 - see above

        # Above MAXMSGSIZE, libzmq closes the connection, and other messages are lost with it.
        max_bytes = max(MAX_RESPONSE_BYTES, self._limits.max_message_bytes)
        options: dict[int, int | bytes] = {
            zmq.SUBSCRIBE: b"",
            zmq.RCVHWM: _MAX_UNREAD,
            zmq.MAXMSGSIZE: max_bytes,
        }
        kind = SocketKind(source=self.kind, type=zmq.SUB, peer="PUB", options=options)
        try:
            self._connection = ZmqConnection(kind, self._endpoint, self._clock, self.availability, self._keep)
        except ZmqError as error:
            raise self.availability.attempt().failed(error) from None

    def _keep(self, messages: Sequence[Parts]) -> None:
        """Keep *messages*, except those that are too large or have several parts."""
        for message in messages:
            size = len(message[0])
            if len(message) > 1:
                self._drop("several parts, and only messages of one part are kept")
            elif size > self._limits.max_message_bytes:
                self._drop(f"{size} bytes, above the limit of {self._limits.max_message_bytes}")
            else:
                self._messages.appendleft(message[0])
                self._arrivals.ring()

    def _drop(self, reason: str) -> None:
        self._dropped += 1
        if self._clock.monotonic() >= self._next_warning:
            _LOG.warning(
                "source %s dropped a message of %s; %s dropped so far", self._limits.name, reason, self._dropped
            )
            self._next_warning = self._clock.monotonic() + _WARNING_INTERVAL_S
