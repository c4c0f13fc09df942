"""Tasks in the memory of one process, with which they end."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heappop, heappush
from itertools import islice

from toolaccord.tasks.bell import Bell
from toolaccord.tasks.store import Delivery, Listener, QueueFull, StoredTask, TaskQueue
from toolaccord.tasks.task import TaskKey
from toolaccord.timing.clock import Clock

_MAX_BYTES = 256 << 20
_RECORD_BYTES = 1024
"""Bytes that a task takes beside its value."""
_WAIT_S = 1.0
"""Longest wait for the first task."""


@dataclass(slots=True)
class _Record:
    """A task, and its place in its queue."""

    key: TaskKey
    value: bytes
    expires_at: datetime
    queue: _Queue
    revision: int = 1
    lease: object | None = None
    """The lease of its worker; None if no worker has it."""
    due_at: float = 0
    """Time at which its lease or its delay ends."""

    @property
    def size(self) -> int:
        """Return the bytes that count for it."""
        return len(self.value) + _RECORD_BYTES

    @property
    def stored(self) -> StoredTask:
        """Return its value and revision."""
        return StoredTask(self.value, self.revision)


class _Queue:
    """The tasks of a queue: ready ones in their order, and those with a lease or a delay."""

    def __init__(self, clock: Clock) -> None:
        self.bell = Bell(clock)
        """Rings when a task may be taken sooner than was known."""
        self._clock = clock
        self._ready: OrderedDict[TaskKey, _Record] = OrderedDict()
        self._later: dict[TaskKey, _Record] = {}

    def put(self, record: _Record, delay_s: float = 0, *, is_first: bool = False) -> None:
        """Let a worker take *record* after *delay_s* seconds, or else as the last or first one."""
        self.remove(record)
        if delay_s > 0:
            record.due_at = self._clock.monotonic() + delay_s
            self._later[record.key] = record
        else:
            self._ready[record.key] = record
            self._ready.move_to_end(record.key, last=not is_first)
        self.bell.ring()

    def remove(self, record: _Record) -> None:
        """Let nobody take *record*, and end its lease."""
        self._ready.pop(record.key, None)
        self._later.pop(record.key, None)
        record.lease = None

    def take(self) -> _Record | None:
        """Return the next record without its place; None if all have to wait."""
        due = (record for record in self._later.values() if self._is_due(record))
        record = next(due, None) or next(iter(self._ready.values()), None)
        if record:
            self.remove(record)
        return record

    def lease(self, record: _Record, lease: object, lease_s: float) -> None:
        """Let nobody else take *record* for *lease_s* seconds."""
        record.lease, record.due_at = lease, self._clock.monotonic() + lease_s
        self._later[record.key] = record

    def count(self) -> int:
        """Return the number of records that no worker has."""
        return len(self._ready) + sum(not each.lease or self._is_due(each) for each in self._later.values())

    def has(self, record: _Record) -> bool:
        """Return whether *record* waits, or a worker has it."""
        return record.key in self._ready or record.key in self._later

    def rest_s(self) -> float:
        """Return the seconds until the first of those with a lease or a delay is due."""
        due_at = min((record.due_at for record in self._later.values()), default=float("inf"))
        return due_at - self._clock.monotonic()

    def _is_due(self, record: _Record) -> bool:
        return record.due_at <= self._clock.monotonic()


class MemoryStore:
    """Tasks of one process. Every operation drops those that have expired meanwhile."""

    def __init__(self, clock: Clock, *, max_bytes: int = _MAX_BYTES, makes_room: bool = False) -> None:
        """Accept no task with which all have more than *max_bytes*.

        With *makes_room*, drop the oldest of those that are in no queue first.
        """
        self._clock = clock
        self._max_bytes = max_bytes
        self._makes_room = makes_room
        self._bytes = 0
        self._records: dict[TaskKey, _Record] = {}
        self._owners: dict[str, dict[TaskKey, _Record]] = {}
        """Records of each owner, in the order of their creation."""
        self._expiries: list[tuple[datetime, TaskKey]] = []
        """Heap of the times at which a task may have expired."""
        self._queues: dict[str, _Queue] = {}
        self._listeners: dict[object, Listener] = {}

    async def open(self, queues: Sequence[TaskQueue]) -> None:
        """Prepare the *queues*."""
        for queue in queues:
            self._queues.setdefault(queue.name, _Queue(self._clock))

    async def close(self) -> None:
        """Do nothing: memory holds nothing else."""

    async def create(self, key: TaskKey, value: bytes, queue: TaskQueue, expires_at: datetime) -> bool:
        """Store a task and put it into its queue; return False if the key exists. Raises QueueFull."""
        self._drop_expired()
        if key in self._records:
            return False
        record = _Record(key, value, expires_at, self._queues[queue.name])
        if record.queue.count() >= queue.max_waiting or not self._has_room(record.size):
            raise QueueFull
        self._records[key] = self._owners.setdefault(key.owner, {})[key] = record
        self._bytes += record.size
        heappush(self._expiries, (expires_at, key))
        record.queue.put(record)
        self._tell(record)
        return True

    async def read(self, key: TaskKey) -> StoredTask | None:
        """Return a task; None if there is none, or it has expired."""
        self._drop_expired()
        record = self._records.get(key)
        return record.stored if record else None

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
        """Replace the value of *revision*; return the new revision, or None if the task has another."""
        self._drop_expired()
        record = self._records.get(key)
        if record is None or record.revision != revision:
            return None
        self._bytes += len(value) - len(record.value)
        record.value, record.revision = value, revision + 1
        if expires_at != record.expires_at:
            record.expires_at = expires_at
            heappush(self._expiries, (expires_at, key))
        if enqueue:
            record.queue.put(record)
        elif release:
            await self.release(release)
        self._tell(record)
        return record.revision

    async def list(self, owner: str, limit: int) -> Sequence[tuple[TaskKey, StoredTask]]:
        """Return up to *limit* tasks of *owner*, those created last first."""
        self._drop_expired()
        newest = islice(reversed(self._owners.get(owner, {}).values()), limit)
        return [(record.key, record.stored) for record in newest]

    async def take(self, queue: TaskQueue, limit: int) -> Sequence[Delivery]:
        """Return up to *limit* tasks of *queue*, each with a lease; wait a second for the first."""
        places, until = self._queues[queue.name], self._clock.monotonic() + _WAIT_S
        while True:
            taken = self._take(places, queue, limit)
            left_s = until - self._clock.monotonic()
            if taken or left_s <= 0:
                return taken
            await places.bell.wait(min(left_s, places.rest_s()))

    async def extend(self, delivery: Delivery) -> bool:
        """Begin the lease of *delivery* again; return False if it is no longer the caller's."""
        record = self._held(delivery)
        if record:
            record.queue.lease(record, delivery.receipt, delivery.queue.lease_s)
        return record is not None

    async def release(self, delivery: Delivery) -> None:
        """Take the task out of its queue, unless another worker has the lease."""
        if record := self._held(delivery):
            record.queue.remove(record)

    async def give_back(self, delivery: Delivery, delay_s: float = 0) -> None:
        """Let any worker take the task after *delay_s* seconds, unless another one has the lease."""
        if record := self._held(delivery):
            record.queue.put(record, delay_s, is_first=True)

    async def count_waiting(self, queue: TaskQueue) -> int:
        """Return the number of tasks in *queue* that nobody has taken."""
        self._drop_expired()
        return self._queues[queue.name].count()

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with key and revision of each task that changes; return what ends this."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    def _take(self, places: _Queue, queue: TaskQueue, limit: int) -> Sequence[Delivery]:
        self._drop_expired()
        taken: list[Delivery] = []
        while len(taken) < limit and (record := places.take()):
            receipt = object()
            places.lease(record, receipt, queue.lease_s)
            taken.append(Delivery(record.key, queue, receipt, record.stored))
        return taken

    def _held(self, delivery: Delivery) -> _Record | None:
        """Return the record of *delivery*; None if it has expired, or another lease or none."""
        self._drop_expired()
        record = self._records.get(delivery.key)
        return record if record and record.lease is delivery.receipt else None

    def _has_room(self, size: int) -> bool:
        """Return whether *size* more bytes fit, perhaps after older tasks are dropped."""
        room = self._max_bytes - size
        for record in tuple(self._records.values()) if self._makes_room and self._bytes > room else ():
            if self._bytes <= room:
                break
            if not record.queue.has(record):
                self._drop(record)
        return self._bytes <= room

    def _drop_expired(self) -> None:
        now = self._clock.now()
        while self._expiries and self._expiries[0][0] <= now:
            _, key = heappop(self._expiries)
            record = self._records.get(key)
            if record and record.expires_at <= now:
                self._drop(record)

    def _drop(self, record: _Record) -> None:
        record.queue.remove(record)
        self._bytes -= record.size
        owned = self._owners[record.key.owner]
        del self._records[record.key], owned[record.key]
        if not owned:
            del self._owners[record.key.owner]

    def _tell(self, record: _Record) -> None:
        """Tell all listeners in the next turn of the event loop, in which they may use the store."""
        loop = asyncio.get_running_loop()
        for listener in self._listeners.values():
            loop.call_soon(listener, record.key, record.revision)
