"""NATS as handlers use it: the protocol, its error and the limits of a connection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from toolpact.errors import SourceError
from toolpact.sources import MAX_RESPONSE_BYTES, Source


class NatsError(SourceError):
    """NATS did not answer in time, or JetStream rejected a request."""

    service = "nats"

    def __init__(self, message: str, *, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        """JetStream's error code, e.g. 10077 for a full stream; None if JetStream did not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of a stream."""

    sequence: int
    """Position in the stream; it grows from message to message."""
    payload: bytes
    """Content of the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Consecutive messages of one subject."""

    messages: Sequence[Message]
    """The messages, the oldest first, each once."""
    remaining: int
    """Number of later messages that the limits left out."""


class Nats(Source, Protocol):
    """A NATS server or cluster with JetStream, over one connection.

    The connection is made in the background and made again for ever. Every method raises NatsError within `timeout_s`.
    """

    async def publish(self, subject: str, payload: bytes, *, message_id: str | None = None) -> None:
        """Publish to the stream of *subject*; return when JetStream has stored the message.

        After a NatsError without a code, or a cancelled call, the message may be stored all the same. JetStream drops
        a message whose *message_id* it knows from its duplicate window.
        """

    async def last_messages(self, subject: str, lookback: timedelta, *, limit: int) -> Batch:
        """Return the messages of *subject*, without wildcards, of the last *lookback*.

        JetStream's clock counts, which need not agree with the caller's. There are at most *limit*, and about
        `max_response_bytes`. The stream must allow direct access: its `allow_direct` is true. No consumer is created,
        so none can be left behind.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsLimits:
    """Limits of a connection to NATS."""

    name: str
    """Name of the source, which tools, handlers and the log use."""
    connection_timeout_s: float
    """Seconds that each step of an attempt to connect may take."""
    timeout_s: float
    """Seconds within which a request must be answered, including the wait for a connection."""
    max_outstanding: int
    """Largest number of publications without acknowledgement; further ones wait."""
    max_pending_bytes: int
    """Largest number of bytes that wait to be sent to a server that does not read."""
    max_response_bytes: int = MAX_RESPONSE_BYTES
    """Size after which no further message of a batch is sent."""
