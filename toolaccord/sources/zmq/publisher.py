"""Publisher for a bound SUB socket.

The socket is an XPUB: it speaks the protocol of PUB, and also reports the peer's subscriptions. So a publication waits
for the subscription that lets it through, and no message is lost to a connection that is still being made.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from toolaccord.contract.source_kinds.zmq import ZmqPubSource
from toolaccord.source_faults import CLOSED
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.read_only import ReadOnly
from toolaccord.sources.zmq.api import ZmqError, ZmqTimeout
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:
    from toolaccord.sources.zmq.connection import ZmqConnection
    from toolaccord.sources.zmq.socket_reader import Parts

_MAX_SUBSCRIPTION_BYTES = 4096
"""Largest subscription that a peer may make."""
_MAX_SENT_IDS = 1000
"""Largest number of ids of sent messages that are remembered."""
_SUBSCRIBED, _UNSUBSCRIBED = b"\x01", b"\x00"
"""First byte of a message about a subscription."""


class ZmqPublisher:
    """A publisher. Connects at the first request."""

    kind: ClassVar = "zmq_pub"
    """Kind of the system that answers."""

    def __init__(self, limits: ZmqPubSource, endpoint: str, clock: Clock) -> None:
        self._limits = limits
        self._endpoint = endpoint
        self._clock = clock
        self.availability = Availability(ZmqError.service, limits.name, describe_place(endpoint), clock, ZmqError)
        """State of the source, as publications and its connection found it."""
        self._connection: ZmqConnection | None = None
        self._is_closed = False
        self._prefixes: tuple[bytes, ...] = ()
        """Beginnings of the messages to which the peer subscribes."""
        self._waiting: dict[asyncio.Future[None], bytes | None] = {}
        """Payloads that wait, the oldest first; None for a check, which sends nothing."""
        self._sent_ids: OrderedDict[str, None] = OrderedDict()
        """Ids of the newest messages that were sent, the oldest first."""

    def reading(self, rejection: str) -> ReadOnly:
        """Return the publisher without publications, which raise UndeclaredEffect."""
        return ReadOnly(self, ("publish",), rejection)

    async def start(self) -> None:
        """Connect. Raises ZmqError without a subscriber."""
        await self.check()

    async def check(self) -> None:
        """Wait until the peer subscribes to anything. Raises ZmqError."""
        with self.availability.request():
            await self._send_or_wait(None)

    async def close(self) -> None:
        """Send the queue, and close the connection, in bounded time. What waits fails."""
        self._is_closed = True
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(ZmqError(CLOSED))
        if self._connection is not None:
            await self._connection.close()

    async def publish(self, payload: bytes, *, message_id: str | None = None) -> None:
        """Put *payload* in the queue for a connected subscriber. Raises ZmqError."""
        with self.availability.request():
            await self._send_or_wait(payload)
        if message_id is not None:
            self._sent_ids[message_id] = None
            self._sent_ids.move_to_end(message_id)
            if len(self._sent_ids) > _MAX_SENT_IDS:
                self._sent_ids.popitem(last=False)

    def has_sent(self, message_id: str) -> bool:
        """Return whether this process sent the message with *message_id*."""
        return message_id in self._sent_ids

    async def _send_or_wait(self, payload: bytes | None) -> None:
        connection = self._open()
        self._note_subscriptions(connection.take())
        if not self._waiting and self._is_subscribed(payload) and self._send(payload):
            return
        if len(self._waiting) >= self._limits.max_pending:
            raise ZmqError(f"{len(self._waiting)} publications wait already: {self._describe_wait(payload)}")
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[waiting] = payload
        timer = self._clock.call_later(self._limits.timeout_s, partial(self._expire, waiting))
        self._send_waiting()
        try:
            await waiting
        finally:
            timer.cancel()
            del self._waiting[waiting], waiting  # its exception has this frame, and would form a circle

    def _open(self) -> ZmqConnection:
        """Return the connection, made at the first request. Raises ZmqError."""
        if self._is_closed:
            raise ZmqError(CLOSED)
        if self._connection is None:
            import zmq  # noqa: PLC0415 - takes 30 ms to load

            from toolaccord.sources.zmq.connection import SocketKind, ZmqConnection  # noqa: PLC0415 - see above

            options: dict[int, int | bytes] = {
                zmq.IMMEDIATE: 1,  # a lost connection takes its subscriptions with it
                zmq.XPUB_NODROP: 1,  # a full queue is an error
                zmq.SNDHWM: self._limits.max_pending,
                zmq.MAXMSGSIZE: _MAX_SUBSCRIPTION_BYTES,
            }
            kind = SocketKind(source=self.kind, type=zmq.XPUB, peer="SUB", options=options)
            self._connection = ZmqConnection(kind, self._endpoint, self._clock, self.availability, self._on_signal)
        return self._connection

    def _on_signal(self, messages: Sequence[Parts]) -> None:
        self._note_subscriptions(messages)
        self._send_waiting()

    def _note_subscriptions(self, messages: Sequence[Parts]) -> None:
        for message, *_ in messages:
            flag, prefix = message[:1], message[1:]
            if flag == _SUBSCRIBED:
                self._prefixes += (prefix,)
            elif flag == _UNSUBSCRIBED:
                self._prefixes = tuple(each for each in self._prefixes if each != prefix)

    def _is_subscribed(self, payload: bytes | None) -> bool:
        """Return whether a connected peer subscribes to *payload*, or for None to anything."""
        if self._connection is None or not self._connection.is_connected:
            return False
        return bool(self._prefixes) if payload is None else payload.startswith(self._prefixes)

    def _send_waiting(self) -> None:
        """Send what waits and has a subscriber, in order, until the queue is full."""
        for waiting, payload in tuple(self._waiting.items()):
            if waiting.done() or not self._is_subscribed(payload):
                continue
            try:
                if not self._send(payload):
                    return  # also if there is room again: the next message must not overtake this one
            except ZmqError as error:
                waiting.set_exception(error)
            else:
                waiting.set_result(None)

    def _send(self, payload: bytes | None) -> bool:
        """Put *payload* in the queue; return False if the queue is full.

        Raises ZmqError if the subscriber disconnects meanwhile: libzmq then drops the message, or has sent it.
        """
        if payload is None or self._connection is None:
            return True
        if not self._connection.send(payload):
            return False
        self._note_subscriptions(self._connection.take())
        if not self._is_subscribed(payload):
            raise ZmqError(
                "the subscriber disconnected meanwhile; the message may have been sent, so look whether it arrived"
            )
        return True

    def _expire(self, waiting: asyncio.Future[None]) -> None:
        if not waiting.done():
            within = f"not sent within {self._limits.timeout_s} s"
            waiting.set_exception(ZmqTimeout(f"{within}: {self._describe_wait(self._waiting[waiting])}"))

    def _describe_wait(self, payload: bytes | None) -> str:
        """Return the reason why *payload* waits."""
        if self._connection is None or not self._connection.is_connected:
            return self._connection.failure if self._connection else CLOSED
        if not self._is_subscribed(payload):
            return "the peer does not subscribe to such messages; look at its subscriptions"
        return f"the subscriber does not read, and {self._limits.max_pending} messages wait; look whether it hangs"
