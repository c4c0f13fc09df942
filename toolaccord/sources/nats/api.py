"""NATS as handlers use it: the protocol and its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from toolaccord.errors import SourceError
from toolaccord.source_faults import LOST
from toolaccord.sources import Source

NO_STREAM = "no stream has the subject, or JetStream does not run; create the stream, or enable JetStream"
LARGE_MESSAGE = "the message exceeds its max_payload; publish less at once, or raise the limit"
_REMEDIES: Mapping[int, str] = {
    10023: "JetStream has no room left; raise its limits, or delete messages",
    10039: "enable JetStream for the account",
    10047: "the storage of the account is full; raise its limit, or delete messages",
    10059: "create the stream",
    10060: "the stream does not take such messages; look at its configuration",
    10076: "enable JetStream on the server",
    10077: "the stream is full; raise its limits, or delete messages",
}
"""Remedies by JetStream's error code."""


class NatsError(SourceError):
    """NATS did not answer in time, or JetStream rejected a request."""

    service = "nats"
    fact = "code"
    summary = LOST
    remedy = "look at the code in the list of JetStream's errors, and at the stream"

    def __init__(self, message: str, *, code: int | None = None, reason: str | None = None) -> None:
        super().__init__(message, reason=reason)
        self.remedy = _REMEDIES.get(code or 0, self.remedy)
        self.code = code
        """JetStream's error code, e.g. 10077 for a full stream; None if JetStream did not answer."""

    @property
    def is_outage(self) -> bool:
        """Return False if JetStream answered, has no stream, or takes no such message."""
        return self.code is None and self.reason not in (NO_STREAM, LARGE_MESSAGE)


class QueueMismatch(NatsError):
    """A stream or a consumer exists, and does not fit the queue. The text says what differs."""

    def __init__(self, differences: str) -> None:
        super().__init__(differences, reason=f"{differences}; change or delete them")

    @property
    def is_outage(self) -> bool:
        """Return False: JetStream answered."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of a stream."""

    sequence: int
    """Position in the stream; it grows from message to message."""
    payload: bytes
    """Content of the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Messages of one subject that follow each other."""

    messages: Sequence[Message]
    """The messages, the oldest first, each once."""
    remaining: int
    """Number of other messages that the limits left out."""


class Nats(Source, Protocol):
    """A NATS server or cluster with JetStream, over one connection.

    The connection is made in the background and made again for ever. Every method raises NatsError within `timeout_s`.
    """

    async def publish(self, subject: str, payload: bytes, *, message_id: str | None = None) -> bool:
        """Publish to the stream of *subject*; return when JetStream has stored the message.

        Return False if JetStream already had a message with this id. After a NatsError without a code, or a cancelled
        call, the message may be stored all the same. JetStream drops a message whose *message_id* it knows from its
        duplicate window.
        """

    async def publish_once(self, subject: str, payload: bytes, *, message_id: str) -> bytes | None:
        """Publish as `publish` does, and return the stored message of *message_id*.

        That is *payload*, or the earlier message; None if the stream no longer has it.
        """

    async def last_messages(self, subject: str, lookback: timedelta, *, limit: int) -> Batch:
        """Return the newest messages of *subject*, without wildcards, of the last *lookback*.

        JetStream's clock counts, which need not agree with the caller's. There are at most *limit*, and about
        `max_response_bytes`; older ones remain, and are not read. The stream must allow direct access: its
        `allow_direct` is true. No consumer is created, so none can be left behind.
        """
