"""Stores of tasks for tests, and what tests put into them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TypeAlias

from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources.nats import NatsLimits
from toolaccord.sources.nats.client import JetStreamClient
from toolaccord.sources.nats.task_store import JetStreamTaskStore
from toolaccord.sources.redis import RedisLimits
from toolaccord.sources.redis.client import RedisClient
from toolaccord.sources.redis.task_store import RedisTaskStore
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.store import Delivery, TaskQueue, TaskStore
from toolaccord.tasks.task import TaskKey
from toolaccord.timing.clock import Clock, SystemClock

OpenStore: TypeAlias = Callable[..., Awaitable[TaskStore]]
"""Opens a store with its queues, as another process does."""
Kind: TypeAlias = Callable[[], AbstractAsyncContextManager[TaskStore]]
"""Makes a store that is not open yet."""

QUEUE = TaskQueue(name="trade.backtest", lease_s=60, max_waiting=1000, ttl_s=600)
"""A queue whose leases outlive every test."""
NATS = NatsLimits(name="tasks", connection_timeout_s=5, timeout_s=20)
"""A server whose answers may be late on a busy machine."""
_IDS = count(1)


def in_memory(clock: Clock | None = None) -> Kind:
    store = MemoryStore(clock or SystemClock())

    @asynccontextmanager
    async def made() -> AsyncIterator[TaskStore]:
        yield store

    return made


def in_redis(url: str, server: str | None = None) -> Kind:
    name = server or f"server-{next(_IDS)}"

    @asynccontextmanager
    async def made() -> AsyncIterator[TaskStore]:
        redis = RedisClient(RedisLimits(name="state", connection_timeout_s=20, timeout_s=20), url, SystemClock())
        yield RedisTaskStore(redis, SystemClock(), name)
        await redis.close()

    return made


def in_nats(url: str, name: str = "trade") -> Kind:
    @asynccontextmanager
    async def made() -> AsyncIterator[TaskStore]:
        source = JetStreamClient(NATS, url, SystemClock())
        try:
            yield JetStreamTaskStore(source, SystemClock(), name)
        finally:
            await source.close()

    return made


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
