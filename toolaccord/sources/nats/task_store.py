"""Store of tasks in JetStream: a bucket of values, and a work queue for each queue of tasks.

A task enters its queue before its value is written, and the value names the message that did it. So no value waits for
a message that was never sent, however a process ends, and a message that no value names is void.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING

from toolaccord.sources.nats.api import NatsError
from toolaccord.sources.nats.jetstream import translate_errors
from toolaccord.sources.nats.task_bucket import Mark, Record, Revision, TaskBucket
from toolaccord.sources.nats.task_queue import JetStreamTaskQueue, Ticket, declare, to_token
from toolaccord.sources.nats.work_queue import QueuedMessage
from toolaccord.tasks.store import Delivery, Listener, QueueFull, StoredTask, TaskQueue
from toolaccord.tasks.task import TaskKey
from toolaccord.timing.clock import Clock, sleep

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

    from toolaccord.sources.nats.client import JetStreamClient

_LOG = logging.getLogger(__name__)
_SAFE_PART = 0.9
"""Part of a lease for which this process trusts it; JetStream began to count earlier."""
_WAITS_S = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
"""Pauses between looks for the value of a message that has come before it."""
_FIRST_DELAY_S, _LONGEST_DELAY_S = 0.1, 5.0
"""Delays after which such a message is delivered again; each is twice as long."""
_PATIENT_DELIVERIES = 15
"""Deliveries, in about a minute, after which the sender has died before it wrote a value."""
_LISTENING_PAUSE_S = 1.0
"""Seconds between attempts to listen while the server is away."""


@dataclass(slots=True)
class _Lease:
    """A lease as this process knows it.

    JetStream takes an answer to an earlier delivery for one to the last, so nothing is sent after its end.
    """

    message: QueuedMessage
    expires_at: float
    """Time in seconds from which nobody can read the task, unless a later value lives longer."""
    ends_at: float
    """Time of the process's clock before which JetStream does not deliver the message again."""


class JetStreamTaskStore:
    """Tasks of one server in JetStream. Opening it again creates what has been deleted."""

    def __init__(self, nats: JetStreamClient, clock: Clock, server: str) -> None:
        jetstream, token = nats.jetstream, to_token(server)
        self._jetstream = jetstream
        self._clock = clock
        self._bucket = TaskBucket(jetstream, f"toolaccord-tasks-{token}")
        self._stream, self._subject = f"toolaccord-tasks-{token}", f"toolaccord.tasks.{token}"
        self._changes = f"toolaccord.changes.{token}"
        """Subject of the news about values."""
        self._queues: dict[str, JetStreamTaskQueue] = {}
        self._listeners: dict[object, Listener] = {}
        self._listening: asyncio.Task[None] | None = None
        self._is_listening = asyncio.Event()

    async def open(self, queues: Sequence[TaskQueue]) -> None:
        """Create bucket, stream and consumers that do not exist. Raises NatsError and QueueMismatch."""
        max_age_s = ceil(max(queue.ttl_s for queue in queues))
        await self._bucket.open(max_age_s)
        for queue in queues:
            declared = declare(self._stream, self._subject, queue, max_age_s)
            opened = JetStreamTaskQueue(self._jetstream, declared, queue, self._clock)
            await opened.open()
            self._queues[queue.name] = opened
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())
        await self._jetstream.within(self._changes, self._is_listening.wait())

    async def close(self) -> None:
        """Listen no more; the connection is that of the source."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait({self._listening})

    async def create(self, key: TaskKey, value: bytes, queue: TaskQueue, expires_at: datetime) -> bool:
        """Put a task into its queue and store it; return False if the key exists.

        Raises NatsError and QueueFull. After an error without an answer the task may be stored, and then is run.
        """
        entered, ends_at = self._queues[queue.name], expires_at.timestamp()

        async def put(position: int) -> Revision | None:
            mark = Mark(ends_at, created=position, queued=position)
            written = await self._put(key, value, mark, after=0)
            if written is not None:
                return written
            found = await self._bucket.find(key)
            if found and found.is_readable(self._now()):
                return None
            return await self._put(key, value, mark, after=found.sequence if found else 0)  # the old one has expired

        try:
            async with entered.room():
                return await self._enter(entered, Ticket(key, 0, ends_at), put) is not None
        except QueueFull:
            if await self._find(key):
                return False
            raise

    async def read(self, key: TaskKey) -> StoredTask | None:
        """Return a task; None if there is none, or it has expired. Raises NatsError."""
        found = await self._find(key)
        return StoredTask(found.value, Revision.of(found.sequence, found.mark)) if found and found.mark else None

    async def write(
        self,
        key: TaskKey,
        value: bytes,
        revision: int,
        expires_at: datetime,
        *,
        enqueue: TaskQueue | None = None,
        release: Delivery | None = None,
    ) -> int | None:
        """Replace the value of *revision*; return the new revision, or None if another is newer.

        Raises NatsError. After an error, a read tells if the value was replaced; if so, the task is in its queue too.
        """
        mark = await self._find_mark(key, revision)
        if mark is None or mark.expires_at <= self._now():
            return None
        mark = mark._replace(expires_at=expires_at.timestamp())
        if enqueue is None:
            written = await self._put(key, value, mark, after=revision)
            if release is not None and written is not None:
                await self.release(release)
            return written

        async def put(position: int) -> Revision | None:
            return await self._put(key, value, mark._replace(queued=position), after=revision)

        return await self._enter(self._queues[enqueue.name], Ticket(key, revision, mark.expires_at), put)

    async def list(self, owner: str, limit: int) -> Sequence[tuple[TaskKey, StoredTask]]:
        """Return up to *limit* tasks of *owner*, those created last first. Raises NatsError."""
        marks, now = await self._bucket.find_marks(owner), self._now()
        living = sorted(((mark.created, key) for key, mark in marks if now < mark.expires_at), reverse=True)
        keys = [key for _, key in living[:limit]]
        found = await asyncio.gather(*map(self.read, keys))
        return [(key, stored) for key, stored in zip(keys, found, strict=True) if stored]

    async def take(self, queue: TaskQueue, limit: int) -> Sequence[Delivery]:
        """Return up to *limit* tasks; wait about a second for the first. Raises NatsError.

        If it is cancelled, a task on its way waits until its lease runs out.
        """
        messages = await self._queues[queue.name].pull(limit)
        ends_at = self._clock.monotonic() + queue.lease_s * _SAFE_PART
        taken = await asyncio.gather(*(self._take(queue, message, ends_at) for message in messages))
        return [delivery for delivery in taken if delivery]

    async def extend(self, delivery: Delivery) -> bool:
        """Begin the lease again; return False if it or the task has expired. Raises NatsError."""
        now, lease = self._clock.monotonic(), self._lease_of(delivery)
        if lease is None:
            return False
        if lease.expires_at <= self._now():
            found = await self._find(delivery.key)
            if found is None or found.mark is None:
                return False
            lease.expires_at = found.mark.expires_at
        await self._queues[delivery.queue.name].extend(lease.message)
        lease.ends_at = now + delivery.queue.lease_s * _SAFE_PART
        return True

    async def release(self, delivery: Delivery) -> None:
        """Take the task out of its queue, unless the lease has run out. Raises NatsError."""
        if lease := self._lease_of(delivery):
            await self._queues[delivery.queue.name].ack(lease.message)
            lease.ends_at = float("-inf")

    async def give_back(self, delivery: Delivery, delay_s: float = 0) -> None:
        """Let any worker take the task after *delay_s*, unless the lease has run out.

        Raises NatsError.
        """
        if lease := self._lease_of(delivery):
            await self._queues[delivery.queue.name].nak(lease.message, delay_s=delay_s)
            lease.ends_at = float("-inf")

    async def count_waiting(self, queue: TaskQueue) -> int:
        """Return the number of tasks in *queue* that no worker has ever taken.

        Raises NatsError.
        """
        return await self._queues[queue.name].count_waiting()

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with key and revision of each task that changes; return what ends this."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _lease_of(self, delivery: Delivery) -> _Lease | None:
        """Return the lease of *delivery*; None if it has run out or was given up."""
        lease: _Lease = delivery.receipt
        return lease if self._clock.monotonic() < lease.ends_at else None

    async def _enter(
        self, entered: JetStreamTaskQueue, ticket: Ticket, put: Callable[[int], Awaitable[int | None]]
    ) -> int | None:
        """Put a task into a queue, and *put* its value, which names the position there.

        Leave the queue if the value was surely not stored. Raises NatsError.
        """
        position = await entered.add(ticket)
        try:
            written = await put(position)
        except NatsError as error:
            if not error.is_outage:
                await entered.remove(position)
            raise
        if written is not None:
            return written
        found = await self._bucket.find(ticket.key)
        if found and found.mark and position in found.mark:
            # The other value is this one or a later one: its answer was lost, and the server has forgotten its id.
            return ticket.after + 1
        await entered.remove(position)
        return None

    async def _put(self, key: TaskKey, value: bytes, mark: Mark, *, after: int) -> Revision | None:
        """Store a value and tell all processes; return None if another one is newer."""
        revision = await self._bucket.put(key, value, mark, after=after)
        if revision is not None:
            await self._jetstream.tell(self._changes, f"{key.owner} {key.id} {revision:d}".encode())
        return revision

    async def _find(self, key: TaskKey) -> Record | None:
        """Return the value of a task that has not expired. Raises NatsError."""
        found = await self._bucket.find(key)
        return found if found and found.is_readable(self._now()) else None

    async def _find_mark(self, key: TaskKey, revision: int) -> Mark | None:
        """Return the mark of *revision*; None if another one is newer. Raises NatsError."""
        if isinstance(revision, Revision):
            return revision.mark
        found = await self._bucket.find(key)
        return found.mark if found and found.sequence == revision else None

    async def _take(self, queue: TaskQueue, message: QueuedMessage, ends_at: float) -> Delivery | None:
        """Return the task of *message*; answer a void one, and return None. Raises NatsError."""
        work, ticket = self._queues[queue.name], Ticket.decode(message.payload)
        if ticket is None:
            _LOG.error("dropped a message of the queue %s that names no task", queue.name)
            await work.term(message)
            return None
        found = await self._find_written(ticket, is_first=message.delivery == 1)
        if found and found.mark and found.mark.queued == message.sequence:
            return Delivery(ticket.key, queue, _Lease(message, found.mark.expires_at, ends_at))
        if self._is_early(ticket, found) and message.delivery < _PATIENT_DELIVERIES:
            delay_s = min(_FIRST_DELAY_S * 2 ** (message.delivery - 1), _LONGEST_DELAY_S)
            await work.nak(message, delay_s=delay_s)
        else:
            await work.ack(message)
        return None

    async def _find_written(self, ticket: Ticket, *, is_first: bool) -> Record | None:
        """Return the value of a task, if possible that after its *ticket*. Raises NatsError."""
        found = await self._find(ticket.key)
        for pause_s in _WAITS_S if is_first else ():
            if not self._is_early(ticket, found):
                break
            await sleep(self._clock, pause_s)
            found = await self._find(ticket.key)
        return found

    def _is_early(self, ticket: Ticket, found: Record | None) -> bool:
        """Return whether the value that *ticket* was made for may still come."""
        return ticket.after == (found.sequence if found else 0) and self._now() < ticket.expires_at

    async def _listen(self) -> None:
        """Listen over this connection and all later ones, until cancelled."""
        while True:
            with suppress(NatsError):  # the source has logged its outage
                await self._jetstream.retry(self._subscribe)
            await sleep(self._clock, _LISTENING_PAUSE_S)

    async def _subscribe(self, client: Client) -> None:
        """Listen as long as *client* is connected."""
        with translate_errors(self._changes):
            await client.subscribe(self._changes, cb=self._on_change)
            await client.flush()
        self._is_listening.set()
        await asyncio.Event().wait()

    async def _on_change(self, message: Msg) -> None:
        try:
            owner, name, number = message.data.decode().split()
            key, revision = TaskKey(owner, name), int(number)
        except ValueError:  # no server has written it
            _LOG.debug("ignored news on %s that names no task", self._changes)
            return
        for listener in tuple(self._listeners.values()):
            listener(key, revision)
