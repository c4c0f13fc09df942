"""Tasks in Redis, which servers and workers on several machines share.

Redis needs `maxmemory-policy noeviction`: any other policy may evict a task that was promised. It loses no
acknowledged task with `appendonly yes` and `appendfsync always`, and those of the last second with `everysec`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextvars import Context
from datetime import datetime
from itertools import count
from typing import Any

from toolaccord.sources.redis import task_scripts as scripts
from toolaccord.sources.redis.api import RedisError, Script, Value
from toolaccord.sources.redis.client import RedisClient
from toolaccord.sources.redis.hearing import hear_for_ever
from toolaccord.tasks.bell import Bell
from toolaccord.tasks.store import Delivery, Listener, QueueFull, StoredTask, TaskQueue
from toolaccord.tasks.task import TaskKey
from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_WAIT_S = 1.0
"""Longest wait for the first task."""
_LOOK_S, _DEAF_LOOK_S = 5.0, 1.0
"""Seconds between two looks into an empty queue, with and without a subscription."""
_AWAY_MS = 6000
"""Least milliseconds without a look or an extension after which Redis was away."""
_FULL = -1


class _Watched:
    """A queue as this process knows it."""

    def __init__(self, clock: Clock, prefix: str, name: str) -> None:
        self.keys = [f"{prefix}:{part}:{name}" for part in ("ready", "leased", "delayed")]
        """Keys of the list of ready tasks, and of the sets of those with a lease and with a delay."""
        self.pulse = f"{prefix}:pulse:{name}"
        """Key that shows that workers are heard."""
        self.bell = Bell(clock)
        """Rings when there may be a task."""
        self.look_at = 0.0
        """Time before which there is none, unless the bell rings."""

    def ring(self) -> None:
        """Let everyone who waits have a look."""
        self.look_at = 0.0
        self.bell.ring()


class RedisTaskStore:
    """Tasks of one server in a Redis; every operation is one script, and may raise RedisError."""

    def __init__(self, redis: RedisClient, clock: Clock, server: str) -> None:
        self._redis = redis
        self._clock = clock
        self._prefix = self._channel = f"toolaccord:tasks:{{{server}}}"
        self._tasks = f"{self._prefix}:task:"
        self._queues: dict[str, _Watched] = {}
        self._listeners: dict[object, Listener] = {}
        self._hearing: asyncio.Task[None] | None = None
        self._is_hearing, self._has_tried = False, asyncio.Event()
        self._process, self._numbers = secrets.token_hex(8), count()

    async def open(self, queues: Sequence[TaskQueue]) -> None:
        """Prepare the *queues*, and hear of changes from now on."""
        for queue in queues:
            self._queues.setdefault(queue.name, _Watched(self._clock, self._prefix, queue.name))
        if (policy := await self._run(scripts.FIND_EVICTION, [], [])) and policy != b"noeviction":
            _LOG.warning("Redis may evict tasks: set its maxmemory-policy to noeviction, not %s", policy.decode())
        if self._hearing is None:  # without the context of a call: its deadline is not that of the subscription
            hearing = hear_for_ever(self._redis, self._clock, self._channel, "tasks", self._hear, self._note_hearing)
            self._hearing = asyncio.get_running_loop().create_task(hearing, context=Context())
        await self._has_tried.wait()

    async def close(self) -> None:
        """End the subscription."""
        if self._hearing is not None:
            self._hearing.cancel()
            await asyncio.wait({self._hearing})

    async def create(self, key: TaskKey, value: bytes, queue: TaskQueue, expires_at: datetime) -> bool:
        """Store a task and put it into its queue; return False if the key exists. Raises QueueFull."""
        name, watched = _name(key), self._queues[queue.name]
        outcome = await self._run(
            scripts.CREATE,
            [self._tasks + name, watched.keys[0], self._owned(key.owner), watched.keys[2]],
            [value, self._mark(), self._ttl_ms(expires_at), queue.max_waiting, name, self._channel, queue.name],
        )
        if outcome == _FULL:
            raise QueueFull
        return bool(outcome)

    async def read(self, key: TaskKey) -> StoredTask | None:
        """Return a task; None if there is none, or it has expired."""
        found = await self._run(scripts.READ, [self._tasks + _name(key)], [])
        return _read(*found) if found else None

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
        """Replace the value of *revision*; return the new revision, or None for another value."""
        name = _name(key)
        queue = enqueue or (release.queue if release else None)
        written: int | None = await self._run(
            scripts.WRITE,
            [self._tasks + name, self._owned(key.owner), *(self._queues[queue.name].keys if queue else [])],
            [
                *(value, revision, self._mark(), self._ttl_ms(expires_at)),
                *(name, self._channel, enqueue.name if enqueue else "", release.receipt if release else ""),
            ],
        )
        return written

    async def list(self, owner: str, limit: int) -> Sequence[tuple[TaskKey, StoredTask]]:
        """Return up to *limit* tasks of *owner*, those created last first."""
        found = await self._run(scripts.LIST, [self._owned(owner)], [limit, self._tasks])
        return [(_key(name), _read(value, revision)) for name, value, revision in found]

    async def take(self, queue: TaskQueue, limit: int) -> Sequence[Delivery]:
        """Return up to *limit* tasks of *queue*, each with a lease; wait a second for the first."""
        watched, until = self._queues[queue.name], self._clock.monotonic() + _WAIT_S
        while True:
            if self._clock.monotonic() >= watched.look_at and (taken := await self._look(watched, queue, limit)):
                return taken
            now = self._clock.monotonic()
            if now >= until:
                return ()
            await watched.bell.wait(max(0, min(until, watched.look_at) - now))

    async def extend(self, delivery: Delivery) -> bool:
        """Begin the lease of *delivery* again; return False if it is no longer the caller's."""
        name, watched = _name(delivery.key), self._queues[delivery.queue.name]
        lease_ms = _milliseconds(delivery.queue.lease_s)
        keys = [self._tasks + name, watched.keys[1], watched.pulse]
        return bool(await self._run(scripts.EXTEND, keys, [delivery.receipt, lease_ms, name, _away_ms(lease_ms)]))

    async def release(self, delivery: Delivery) -> None:
        """Take the task out of its queue, unless another worker has the lease."""
        await self._run_held(scripts.RELEASE, delivery, [delivery.receipt, _name(delivery.key)])

    async def give_back(self, delivery: Delivery, delay_s: float = 0) -> None:
        """Let any worker take the task after *delay_s* seconds, unless another one has the lease."""
        delay_ms = _milliseconds(delay_s) if delay_s > 0 else 0
        await self._run_held(
            scripts.GIVE_BACK,
            delivery,
            [delivery.receipt, _name(delivery.key), delay_ms, self._channel, delivery.queue.name],
        )

    async def count_waiting(self, queue: TaskQueue) -> int:
        """Return the number of tasks in *queue* that nobody has taken.

        Some of them may have expired, if tasks before them live longer.
        """
        waiting: int = await self._run(scripts.COUNT, self._queues[queue.name].keys, [self._tasks])
        return waiting

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with key and revision of each task that changes; return what ends this."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    async def _look(self, watched: _Watched, queue: TaskQueue, limit: int) -> Sequence[Delivery]:
        """Return the tasks that are there.

        If there are none, nobody looks again before there may be one. Tasks that Redis has leased to a caller who is
        cancelled meanwhile are given back.
        """
        rings = watched.bell.rings
        taking = asyncio.create_task(self._take(watched, queue, limit))
        try:
            taken, wait_s = await asyncio.shield(taking)
        except asyncio.CancelledError:
            await asyncio.wait({taking})
            if not taking.exception():
                await asyncio.gather(*map(self.give_back, taking.result()[0]), return_exceptions=True)
            raise
        if not taken and rings == watched.bell.rings:
            longest_s = _LOOK_S if self._is_hearing else _DEAF_LOOK_S
            watched.look_at = self._clock.monotonic() + (longest_s if wait_s is None else min(longest_s, wait_s))
        return taken

    async def _take(self, watched: _Watched, queue: TaskQueue, limit: int) -> tuple[Sequence[Delivery], float | None]:
        """Return the tasks that are there, and the seconds until one may be, if that is known."""
        token = self._mark()
        lease_ms = _milliseconds(queue.lease_s)
        damaged, wait_ms, found = await self._run(
            scripts.TAKE, [*watched.keys, watched.pulse], [limit, token, lease_ms, self._tasks, _away_ms(lease_ms)]
        )
        if damaged:
            _LOG.error("%d tasks of the queue %s are damaged in Redis, and are not run", damaged, queue.name)
        taken = [Delivery(_key(name), queue, token, _read(*stored) if stored else None) for name, *stored in found]
        return taken, None if wait_ms < 0 else wait_ms / 1000

    def _hear(self, message: bytes) -> None:
        """Tell those whom *message* concerns. One that no script has sent concerns nobody."""
        revision, _, rest = message.partition(b" ")
        name, _, queue = rest.partition(b" ")
        if watched := self._queues.get(queue.decode(errors="replace")):
            watched.ring()
        if revision.isdigit() and int(revision) and b":" in name:
            loop, key = asyncio.get_running_loop(), _key(name)
            for listener in self._listeners.values():
                loop.call_soon(listener, key, int(revision))

    def _note_hearing(self, is_hearing: bool) -> None:  # noqa: FBT001 - a callback has no names
        """Let everyone have a look: until now, messages were missed."""
        self._is_hearing = is_hearing
        self._has_tried.set()
        for watched in self._queues.values():
            watched.ring()

    async def _run(self, script: Script, keys: Sequence[str], arguments: Sequence[Value]) -> Any:
        return await self._redis.run_script(script, keys, arguments)

    async def _run_held(self, script: Script, delivery: Delivery, arguments: Sequence[Value]) -> Any:
        """Run a script on the task of *delivery* and on the places of its queue."""
        ready, leased, delayed = self._queues[delivery.queue.name].keys
        return await self._run(script, [self._tasks + _name(delivery.key), leased, delayed, ready], arguments)

    def _owned(self, owner: str) -> str:
        return f"{self._prefix}:owner:{owner}"

    def _mark(self) -> str:
        """Return a text that no other operation has."""
        return f"{self._process}.{next(self._numbers)}"

    def _ttl_ms(self, expires_at: datetime) -> int:
        return _milliseconds((expires_at - self._clock.now()).total_seconds())


def _name(key: TaskKey) -> str:
    return f"{key.owner}:{key.id}"


def _key(name: bytes) -> TaskKey:
    owner, _, task_id = name.decode(errors="replace").partition(":")
    return TaskKey(owner, task_id)


def _read(value: bytes | None, revision: bytes | None) -> StoredTask:
    """Return a task as it is in its hash. Raises RedisError for a damaged one."""
    if value is None or revision is None or not revision.isdigit():
        reason = "a task in it has no value or no revision"
        raise RedisError(reason, failure="rejected", reason=reason)
    return StoredTask(value, int(revision))


def _away_ms(lease_ms: int) -> int:
    """Return milliseconds for which workers are never silent: they extend leases by thirds."""
    return max(_AWAY_MS, lease_ms // 2)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
