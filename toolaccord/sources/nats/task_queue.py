"""Queue of tasks: a work queue whose messages name the tasks."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import Any, NamedTuple, Self

from toolaccord.sources.nats.api import NatsError
from toolaccord.sources.nats.jetstream import API, JetStream, check_answer
from toolaccord.sources.nats.streams import NO_MESSAGE
from toolaccord.sources.nats.work_queue import JetStreamWorkQueue, QueueDeclaration
from toolaccord.tasks.store import QueueFull, TaskQueue
from toolaccord.tasks.task import TaskKey
from toolaccord.timing.clock import Clock

_STREAM_FULL = 10077
_WINDOW_S = 120
"""Seconds for which the stream knows message ids, which repeat after a lost connection."""
_COUNT_AGE_S = 0.25
"""Seconds for which a count of tasks is used; meanwhile this process counts its own."""
_COUNTS = 5
"""Largest number of further counts while those of stream and consumer differ."""


class Ticket(NamedTuple):
    """The message that puts a task into its queue."""

    key: TaskKey
    """The name of the task."""
    after: int
    """Sequence of the value that the task had before, 0 for none."""
    expires_at: float
    """Time in seconds from which nobody can read the task."""

    @classmethod
    def decode(cls, payload: bytes) -> Self | None:
        """Return the ticket in *payload*; None if it has none."""
        try:
            owner, key, after, expires_at = payload.decode().split()
            return cls(TaskKey(owner, key), int(after), float(expires_at))
        except ValueError:
            return None

    def encode(self) -> bytes:
        """Return the payload of the message."""
        return f"{self.key.owner} {self.key.id} {self.after:d} {self.expires_at!r}".encode()


class JetStreamTaskQueue(JetStreamWorkQueue):
    """The messages of one queue of tasks, in a stream of all queues."""

    def __init__(self, jetstream: JetStream, declared: QueueDeclaration, queue: TaskQueue, clock: Clock) -> None:
        super().__init__(jetstream, declared)
        self._queue = queue
        self._clock = clock
        self._waiting, self._counted_at = 0, float("-inf")
        self._entering = 0
        """Number of tasks that this process is putting into the queue."""
        self._counting = asyncio.Lock()

    @asynccontextmanager
    async def room(self) -> AsyncIterator[None]:
        """Provide room for one more task. Raises QueueFull and NatsError."""
        bound = self._queue.max_waiting
        async with self._counting:
            now = self._clock.monotonic()
            if self._waiting >= bound or now - self._counted_at > _COUNT_AGE_S:
                self._waiting, self._counted_at = await self.count_waiting() + self._entering, now
            if self._waiting >= bound:
                raise QueueFull(f"{self._waiting} tasks wait in the queue {self._queue.name}")
            self._waiting += 1
        self._entering += 1
        try:
            yield
        except NatsError as error:
            if error.code == _STREAM_FULL:
                raise QueueFull(str(error)) from error
            raise
        finally:
            self._entering -= 1

    async def add(self, ticket: Ticket) -> int:
        """Return the position of the message for *ticket*. Raises NatsError."""
        headers = {"Nats-Msg-Id": token_hex(16)}
        publishing = self._jetstream.publish(self._declared.subject, ticket.encode(), headers)
        return int((await self._within(publishing))["seq"])

    async def remove(self, position: int) -> None:
        """Remove a message that nobody shall take. Raises NatsError."""
        request = {"seq": position, "no_erase": True}
        try:
            await self._call("STREAM.MSG.DELETE", request)
        except NatsError as error:
            if error.code != NO_MESSAGE:  # a worker has dropped it
                raise

    async def count_waiting(self) -> int:
        """Return the number of tasks that no worker has taken yet. Raises NatsError.

        Those at the head that have expired are removed first.
        """
        while (head := await self._find_head()) and head[1].expires_at <= self._clock.now().timestamp():
            await self.remove(head[0])
        waiting, missing = await self._count()
        for _ in range(_COUNTS):
            if not missing:
                break
            waiting, missing = await self._count()
        return waiting

    async def _count(self) -> tuple[int, int]:
        """Return the number of messages never delivered, and by how many the stream has others.

        JetStream counts those that have just come or gone a moment later.
        """
        of_consumer = self._call("CONSUMER.INFO", suffix=f".{self._declared.consumer}")
        of_stream = self._call("STREAM.INFO", {"subjects_filter": self._declared.subject})
        consumer, stream = await asyncio.gather(of_consumer, of_stream)
        with check_answer(self._declared.stream):
            stored = sum((stream["state"].get("subjects") or {}).values())
            waiting = int(consumer["num_pending"])
            return waiting, stored - waiting - int(consumer["num_ack_pending"])

    async def _find_head(self) -> tuple[int, Ticket] | None:
        """Return the position and the ticket of the oldest message."""
        try:
            found = await self._call("STREAM.MSG.GET", {"seq": 1, "next_by_subj": self._declared.subject})
        except NatsError as error:
            if error.code != NO_MESSAGE:
                raise
            return None
        with check_answer(self._declared.stream):
            ticket = Ticket.decode(b64decode(found["message"].get("data", "")))
            return (int(found["message"]["seq"]), ticket) if ticket else None

    async def _call(self, request: str, arguments: dict[str, Any] | None = None, suffix: str = "") -> dict[str, Any]:
        calling = self._jetstream.call(f"{API}.{request}.{self._declared.stream}{suffix}", arguments)
        answer: dict[str, Any] = await self._within(calling)
        return answer


def declare(stream: str, subject: str, queue: TaskQueue, max_age_s: int) -> QueueDeclaration:
    """Return the work queue of *queue*, whose subject is below *subject*."""
    token = to_token(queue.name)
    return QueueDeclaration(
        stream=stream,
        stream_subject=f"{subject}.*",
        subject=f"{subject}.{token}",
        consumer=token,
        max_age_s=max_age_s,
        window_s=_WINDOW_S,
        ack_wait_s=queue.lease_s,
    )


def to_token(name: str) -> str:
    """Return *name* as a part of a subject, which has no dots; names have no equals sign."""
    return name.replace(".", "=")
