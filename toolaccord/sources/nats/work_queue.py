"""Work queue of JetStream, where each message waits for the acknowledgement of one worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from toolaccord.sources.nats.api import NatsError
from toolaccord.sources.nats.jetstream import API, JetStream, check_answer, open_inbox, translate_errors
from toolaccord.sources.nats.streams import NANOSECONDS, open_consumer, open_stream

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_WAIT_S = 1.0
"""Seconds for which JetStream holds a request for a message.

A pull is never interrupted, as the message on its way would be lost for a while. So this also delays a stop.
"""
_STREAM: Mapping[str, Any] = {
    "storage": "file",
    "max_bytes": 64 * 1024 * 1024,  # a request has some hundred
    "discard": "new",  # a scheduler learns that the queue is full; nothing that waits is lost
}
_CONSUMER: Mapping[str, Any] = {
    "deliver_policy": "all",
    "replay_policy": "instant",
    "max_ack_pending": -1,  # each worker has a limit of its own
    "max_waiting": 10_000,  # workers that wait at once; JetStream's own default is 512
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDeclaration:
    """One of the queues of a stream, and the consumer that all of its workers share."""

    stream: str
    """Name of the stream."""
    stream_subject: str
    """Subjects of the stream, with a wildcard."""
    subject: str
    """Subject of the queue's messages."""
    consumer: str
    """Name of the durable consumer."""
    max_age_s: int
    """Seconds after which a message is dropped."""
    window_s: int
    """Seconds for which the stream knows message ids."""
    ack_wait_s: float
    """Seconds after which a message without an answer is delivered again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedMessage:
    """A message of a work queue, delivered to this worker alone."""

    payload: bytes
    """Content of the message."""
    delivery: int
    """Number of this delivery, from 1."""
    reply: str
    """Subject of the answer to this delivery."""
    sequence: int
    """Position in the stream."""


class JetStreamWorkQueue:
    """A stream with the retention `workqueue`, and one durable pull consumer."""

    def __init__(self, jetstream: JetStream, declared: QueueDeclaration) -> None:
        self._jetstream = jetstream
        self._declared = declared
        self._next = f"{API}.CONSUMER.MSG.NEXT.{declared.stream}.{declared.consumer}"

    async def open(self) -> None:
        """Create the stream and the consumer that do not exist. Raises NatsError and QueueMismatch."""
        await self._within(self._open())

    async def pull(self, limit: int) -> Sequence[QueuedMessage]:
        """Return up to *limit* messages; wait a second for the first. Raises NatsError."""
        pulling = self._jetstream.retry(partial(self._pull, limit))
        return await self._jetstream.within(self._next, pulling, extra_s=_WAIT_S)

    async def ack(self, message: QueuedMessage) -> None:
        """Remove *message* from the queue. Raises NatsError."""
        await self._answer(message, b"+ACK")

    async def nak(self, message: QueuedMessage, *, delay_s: float = 0) -> None:
        """Let *message* be delivered again after *delay_s* seconds. Raises NatsError."""
        await self._answer(message, b"-NAK " + orjson.dumps({"delay": int(delay_s * NANOSECONDS)}))

    async def extend(self, message: QueuedMessage) -> None:
        """Begin the time for the answer to *message* again. Raises NatsError."""
        await self._answer(message, b"+WPI")

    async def term(self, message: QueuedMessage) -> None:
        """Remove *message*, on which nobody shall work again. Raises NatsError."""
        await self._answer(message, b"+TERM")

    async def _within(self, request: Any) -> Any:
        return await self._jetstream.within(self._declared.stream, request)

    async def _open(self) -> None:
        declared = self._declared
        stream = {
            "retention": "workqueue",
            "subjects": [declared.stream_subject],
            "max_age": declared.max_age_s * NANOSECONDS,
            "duplicate_window": declared.window_s * NANOSECONDS,
        }
        consumer = {
            "ack_policy": "explicit",
            "max_deliver": -1,
            "filter_subject": declared.subject,
            "deliver_subject": "",
            "ack_wait": int(declared.ack_wait_s * NANOSECONDS),
        }
        await open_stream(self._jetstream, declared.stream, stream, _STREAM)
        await open_consumer(self._jetstream, declared.stream, declared.consumer, consumer, _CONSUMER)

    async def _pull(self, limit: int, client: Client) -> Sequence[QueuedMessage]:
        """Return the messages that are there, else the next one."""
        present = await self._request(client, limit, {"no_wait": True})
        return present or await self._request(client, 1, {"expires": int(_WAIT_S * NANOSECONDS)})

    async def _request(self, client: Client, limit: int, options: Mapping[str, Any]) -> Sequence[QueuedMessage]:
        """Return what a request for messages brings."""
        messages: list[QueuedMessage] = []
        async with open_inbox(client) as (inbox, answers):
            with translate_errors(self._next):
                await client.publish(self._next, orjson.dumps({"batch": limit, **options}), reply=inbox)
            while len(messages) < limit and (message := self._read(await answers.get())):
                messages.append(message)
        return messages

    def _read(self, message: Msg) -> QueuedMessage | None:
        """Return a message of the queue; None if it says that there is none. Raises NatsError."""
        if not message.reply:
            headers = message.headers or {}
            if headers.get("Status") in ("404", "408"):
                return None
            text = f"{self._next}: {headers.get('Status')} {headers.get('Description', '')}"
            raise NatsError(text, reason=f"it did not serve the queue {self._declared.consumer}; look at its consumer")
        with check_answer(self._next):
            return QueuedMessage(
                payload=message.data,
                delivery=message.metadata.num_delivered,
                reply=message.reply,
                sequence=message.metadata.sequence.stream,
            )

    async def _answer(self, message: QueuedMessage, answer: bytes) -> None:
        """Tell JetStream about *message*; return when it knows."""

        async def send(client: Client) -> None:
            with translate_errors(self._declared.stream):
                await client.request(message.reply, answer, timeout=None)  # type: ignore[arg-type]

        await self._within(self._jetstream.retry(send))
