"""Direct reads of a stream from its end: the newest messages of a subject.

JetStream reads forward only, but says how many messages of the subject follow. So a search finds the place from which
about as many follow as are wanted, and costs some requests of one message, however long the stream is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from toolaccord.source_faults import INVALID_ANSWER
from toolaccord.sources.nats.api import Batch, Message, NatsError
from toolaccord.sources.nats.jetstream import API, check_answer, open_inbox, translate_errors

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

SPARE_PART = 32
"""A place is good enough if a 32nd more messages follow than are wanted."""
LEAST_SPARE = 4
"""Messages more than wanted with which a place is good enough in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """The messages of a subject that a client wants of a stream."""

    stream: str
    subject: str
    since: datetime
    """Time before which messages are not wanted, by JetStream's clock."""
    last_sequence: int
    """Sequence of the stream's last message, of whatever subject."""
    limit: int
    """Number of messages that are wanted at most."""
    max_bytes: int
    """Size of the messages that are wanted at most; one message may be larger."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A sequence in a stream, and the number of the subject's messages from there on."""

    sequence: int
    following: int


async def read_newest(tail: Tail, client: Client) -> Batch:
    """Return the newest messages of *tail*, the oldest first. Raises NatsError."""
    async with open_inbox(client) as (inbox, answers):
        reader = _Reader(client, tail, inbox, answers)
        first = await reader.find_place({"start_time": tail.since.isoformat()})
        if first is None:
            return Batch(messages=[], remaining=0)
        start = await _find_start(reader, first, tail)
        newest = await _read_from(reader, start, tail)
        return Batch(messages=newest, remaining=max(0, first.following - len(newest)))


async def _find_start(reader: _Reader, first: _Place, tail: Tail) -> _Place:
    """Return the place at or after *first* from which the wanted messages follow, and few more.

    It is guessed as if the messages came evenly; every other step halves the rest, so a burst costs some steps more.
    """
    spare = max(LEAST_SPARE, tail.limit // SPARE_PART)
    start, stop, halve = first, _Place(tail.last_sequence + 1, 0), False
    while start.following > tail.limit + spare and stop.sequence - start.sequence > 1:
        surplus = start.following - tail.limit - spare // 2
        part = 0.5 if halve else surplus / (start.following - stop.following)
        sequence = start.sequence + max(1, int((stop.sequence - start.sequence) * part))
        found = await reader.find_place({"seq": sequence})
        if found is not None and found.following >= tail.limit:
            start = found
        else:
            stop = _Place(sequence, 0 if found is None else found.following)
        halve = not halve
    return start


async def _read_from(reader: _Reader, start: _Place, tail: Tail) -> list[Message]:
    """Return the newest messages from *start* on that the limits admit."""
    newest: deque[Message] = deque()
    size, sequence, wanted = 0, start.sequence, start.following
    while wanted > 0:
        batch = await reader.read({"seq": sequence, "max_bytes": tail.max_bytes}, wanted)
        for message in batch.messages:
            newest.append(message)
            size += len(message.payload)
            while len(newest) > tail.limit or (size > tail.max_bytes and len(newest) > 1):
                size -= len(newest.popleft().payload)
        if not batch.messages or not batch.remaining:
            break
        wanted -= len(batch.messages)
        sequence = batch.messages[-1].sequence + 1
    return list(newest)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads forward, one request after the other."""

    client: Client
    tail: Tail
    inbox: str
    answers: asyncio.Queue[Msg]

    async def find_place(self, start: dict[str, Any]) -> _Place | None:
        """Return the place of the first message from *start* on, if any. Raises NatsError."""
        batch = await self.read(start, 1)
        return _Place(batch.messages[0].sequence, batch.remaining + 1) if batch.messages else None

    async def read(self, start: dict[str, Any], count: int) -> Batch:
        """Return up to *count* messages from *start* on; those that follow remain. Raises NatsError."""
        subject = f"{API}.DIRECT.GET.{self.tail.stream}"
        request = start | {"next_by_subj": self.tail.subject, "batch": count}
        with translate_errors(subject):
            await self.client.publish(subject, orjson.dumps(request), reply=self.inbox)
        messages: list[Message] = []
        while True:
            answer = await self.answers.get()
            headers = answer.headers or {}
            # A stored message has the headers of its publisher too, perhaps a Status of his own.
            status = None if "Nats-Sequence" in headers else headers.get("Status")
            with check_answer(subject):
                match status:
                    case None:
                        messages.append(Message(sequence=int(headers["Nats-Sequence"]), payload=answer.data))
                    case "204":
                        return Batch(messages=messages, remaining=int(headers["Nats-Num-Pending"]))
                    case "404":
                        return Batch(messages=(), remaining=0)
                    case "503":
                        reason = f"the stream {self.tail.stream} allows no direct access; set its allow_direct"
                        raise NatsError(f"{subject}: the stream does not allow direct access", reason=reason)
                    case _:
                        message = f"{subject}: {status} {headers.get('Description', '')}"
                        raise NatsError(message, reason=INVALID_ANSWER)
