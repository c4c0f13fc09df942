"""Tasks in memory, on a clock that the tests move."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.toolaccord.tasks.stores import QUEUE, new_key
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.store import QueueFull
from toolaccord.tasks.task import TaskKey
from toolaccord.testing import ManualClock

HOUR = timedelta(hours=1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    opened = MemoryStore(clock, max_bytes=20_000)
    await opened.open([QUEUE])
    return opened


async def create(store: MemoryStore, clock: ManualClock, value: bytes = b"") -> TaskKey:
    key = new_key()
    assert await store.create(key, value, QUEUE, clock.now() + HOUR)
    return key


async def test_memory_takes_no_more_tasks_than_its_bytes_allow(store: MemoryStore, clock: ManualClock) -> None:
    key = await create(store, clock, bytes(10_000))
    with pytest.raises(QueueFull):
        await create(store, clock, bytes(8_000))
    found = await store.read(key)
    assert found is not None
    assert await store.write(key, b"", found.revision, clock.now() + HOUR)
    await create(store, clock, bytes(8_000))
    with pytest.raises(QueueFull):
        await create(store, clock, bytes(10_000))
    clock.advance(3600)
    await create(store, clock, bytes(18_000))


async def test_the_oldest_tasks_in_no_queue_make_room_where_a_store_may_forget(clock: ManualClock) -> None:
    store = MemoryStore(clock, max_bytes=20_000, makes_room=True)
    await store.open([QUEUE])
    keys = [await create(store, clock, bytes(5_000)) for _ in range(3)]
    running, *ended = await store.take(QUEUE, 3)
    for each in ended:
        await store.release(each)
    newest = await create(store, clock, bytes(5_000))
    assert [await store.read(key) is not None for key in (*keys, newest)] == [True, False, True, True]
    assert await store.extend(running)
    with pytest.raises(QueueFull):
        await create(store, clock, bytes(18_000))


async def test_a_worker_waits_a_second_for_a_task(store: MemoryStore, clock: ManualClock) -> None:
    taking = asyncio.create_task(store.take(QUEUE, 1))
    await clock.wait_for_timer()
    clock.advance(0.999)
    await asyncio.sleep(0)
    assert not taking.done()
    clock.advance(0.001)
    assert await taking == []


async def test_a_lease_runs_out_at_its_time_and_not_before(store: MemoryStore, clock: ManualClock) -> None:
    key = await create(store, clock)
    (taken,) = await store.take(QUEUE, 1)
    clock.advance(QUEUE.lease_s - 0.5)
    assert await store.extend(taken)
    clock.advance(QUEUE.lease_s - 0.5)
    taking = asyncio.create_task(store.take(QUEUE, 1))
    await clock.wait_for_timer()
    await asyncio.sleep(0)
    assert not taking.done()
    assert await store.count_waiting(QUEUE) == 0
    clock.advance(0.5)
    assert await store.count_waiting(QUEUE) == 1
    assert [again.key for again in await taking] == [key]


async def test_a_lease_that_nobody_wanted_meanwhile_can_be_extended_late(
    store: MemoryStore, clock: ManualClock
) -> None:
    await create(store, clock)
    (taken,) = await store.take(replace(QUEUE, lease_s=1), 1)
    clock.advance(5)
    assert await store.extend(taken)
    assert await store.count_waiting(QUEUE) == 0


async def test_nothing_is_left_of_tasks_that_have_expired(store: MemoryStore, clock: ManualClock) -> None:
    keys = [await create(store, clock) for _ in range(5)]
    deliveries = await store.take(QUEUE, 2)
    await store.give_back(deliveries[0], 7200)
    clock.advance(3600)
    assert await store.count_waiting(QUEUE) == 0
    assert await store.list(keys[0].owner, 10) == []
    assert not await store.extend(deliveries[1])
    for _ in range(15):  # as many as fit into an empty store
        await create(store, clock, bytes(200))
