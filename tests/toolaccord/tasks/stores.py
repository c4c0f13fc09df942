"""Stores of tasks for tests, and what tests put into them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeAlias

from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.nats.client import JetStreamClient
from toolaccord.sources.nats.task_store import JetStreamTaskStore
from toolaccord.sources.redis import RedisSource, Script
from toolaccord.sources.redis.client import RedisClient
from toolaccord.sources.redis.task_store import RedisTaskStore
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.store import Delivery, TaskQueue, TaskStore
from toolaccord.tasks.task import TaskKey
from toolaccord.timing.clock import SystemClock

OpenStore: TypeAlias = Callable[..., Awaitable[TaskStore]]
"""Opens a store with its queues, as another process does."""
Kind: TypeAlias = Callable[[], AbstractAsyncContextManager[TaskStore]]
"""Makes a store that is not open yet."""

QUEUE = TaskQueue(name="trade.backtest", lease_s=60, max_waiting=1000, ttl_s=600)
"""A queue whose leases outlive every test."""
NATS = NatsSource(name="tasks", url="", connection_timeout_s=5, timeout_s=20)
"""A server whose answers may be late on a busy machine."""
_IDS = count(1)


class RepeatingClient(RedisClient):
    """A Redis of which each first answer is lost; a script that may be repeated is run again."""

    async def run_script(self, script: Script, *arguments: Any, **options: Any) -> Any:
        if script.is_idempotent:
            await super().run_script(script, *arguments, **options)
        return await super().run_script(script, *arguments, **options)


def in_memory() -> Kind:
    """Return a store of one process, the same each time."""
    store = MemoryStore(SystemClock())

    @asynccontextmanager
    async def made() -> AsyncIterator[TaskStore]:
        yield store

    return made


def in_redis(url: str, client: type[RedisClient] = RedisClient) -> Kind:
    """Return a store with a connection pool of its own, each time with the same tasks."""
    server = f"server-{next(_IDS)}"

    @asynccontextmanager
    async def made() -> AsyncIterator[TaskStore]:
        async with opened_redis(url, client) as redis:
            yield RedisTaskStore(redis, SystemClock(), server)

    return made


def in_nats(url: str, name: str | None = None) -> Kind:
    """Return a store with a connection of its own, each time with the same tasks."""
    server = name or f"trade-{next(_IDS)}"

    @asynccontextmanager
    async def made() -> AsyncIterator[TaskStore]:
        source = JetStreamClient(NATS, url, SystemClock())
        try:
            yield JetStreamTaskStore(source, SystemClock(), server)
        finally:
            await source.close()

    return made


@asynccontextmanager
async def opened_redis(url: str, client: type[RedisClient] = RedisClient, **limits: Any) -> AsyncIterator[RedisClient]:
    """Provide a client of the Redis at *url*."""
    patient: dict[str, Any] = {"connection_timeout_s": 20, "timeout_s": 20}
    redis = client(RedisSource(name="state", url="", **(patient | limits)), url, SystemClock())
    try:
        yield redis
    finally:
        await redis.close()


def new_key(owner: str = "ann") -> TaskKey:
    return TaskKey(owner, f"task-{next(_IDS)}_")


def after(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def create(
    store: TaskStore, key: TaskKey | None = None, value: bytes = b"new", queue: TaskQueue = QUEUE, ttl_s: float = 600
) -> TaskKey:
    """Create a task, and return its key."""
    key = key or new_key()
    assert await store.create(key, value, queue, after(ttl_s))
    return key


async def take(store: TaskStore, limit: int = 1, queue: TaskQueue = QUEUE) -> list[Delivery]:
    """Take *limit* tasks, however long it takes."""
    taken: list[Delivery] = []
    async with asyncio.timeout(PATIENCE_S):
        while len(taken) < limit:
            taken += await store.take(queue, limit - len(taken))
    return taken


async def until(is_true: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(PATIENCE_S):
        while not await is_true():  # noqa: ASYNC110 - another process changes it
            await asyncio.sleep(0.005)
