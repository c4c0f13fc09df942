"""ZeroMQ as handlers use it: the protocols and their error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from toolaccord.errors import SourceError
from toolaccord.sources import Source


class ZmqError(SourceError):
    """The peer is away, or does not take a message in time."""

    service = "zmq"

    def __init__(self, reason: str) -> None:
        """Take a *reason*, also the text, which holds no values of a call."""
        super().__init__(reason, reason=reason)


class ZmqTimeout(ZmqError):
    """The peer does not take a message in time."""

    is_timeout = True


class ZmqPub(Source, Protocol):
    """A publisher for one bound SUB socket; the connection is made again for ever."""

    def has_sent(self, message_id: str) -> bool:
        """Return whether the message with *message_id* is among the newest 1,000 sent with an id."""

    async def publish(self, payload: bytes, *, message_id: str | None = None) -> None:
        """Send *payload*, a message of one part, to a peer that subscribes to its beginning.

        `has_sent` remembers its *message_id*, which is not sent.

        Return when the message is in the queue for a connected subscriber. Nobody acknowledges it: it is lost if the
        peer ends before it reads it. Messages keep the order of their publications.

        Raises ZmqError if nobody subscribes within `timeout_s`, or if the queue stays full. Then the message is not
        sent, unless the error says that the subscriber disconnected meanwhile. The message of a cancelled call may be
        sent.
        """


class ZmqSub(Source, Protocol):
    """The newest messages of one bound PUB socket; the connection is made again for ever."""

    @property
    def is_configured(self) -> bool:
        """True unless the endpoint is empty."""

    def messages(self) -> Sequence[bytes]:
        """Return the messages in memory, the newest first; none if the endpoint is empty.

        Messages from before the start, or from a time without connection, are missing. Raises ZmqError for an invalid
        endpoint.
        """

    async def wait_for_more(self, spare_s: float) -> bool:
        """Wait for another message; return False *spare_s* seconds before the call's deadline."""
