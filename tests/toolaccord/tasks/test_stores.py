"""Promises of every store of tasks."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.tasks.stores import QUEUE, OpenStore, after, create, new_key, take, until
from toolaccord.tasks.store import QueueFull, TaskStore
from toolaccord.tasks.task import TaskKey

BRIEF = replace(QUEUE, lease_s=0.2)
"""QUEUE for workers whose leases run out in a test."""
SOON_S = 0.6
"""Seconds after which a task expires in a test."""


async def test_a_created_task_is_read_by_every_process(open_store: OpenStore, store: TaskStore) -> None:
    key = await create(store, value=b"\x00any \xff bytes\n")
    found = await (await open_store()).read(key)
    assert found is not None
    assert found.value == b"\x00any \xff bytes\n"
    assert found == await store.read(key)


async def test_a_key_is_created_once_and_the_second_attempt_changes_nothing(store: TaskStore) -> None:
    key = await create(store, value=b"first")
    before = await store.read(key)
    for value in (b"first", b"second"):
        assert not await store.create(key, value, QUEUE, after(600))
    assert await store.read(key) == before
    assert await store.count_waiting(QUEUE) == 1


async def test_another_owner_finds_nothing(store: TaskStore) -> None:
    key = await create(store, new_key("ann"))
    foreign = key._replace(owner="bob")
    assert await store.read(foreign) is None
    assert await store.write(foreign, b"stolen", 1, after(600)) is None
    assert await store.list("bob", 10) == []
    await create(store, foreign, b"of bob")
    assert [found.value for _, found in await store.list("ann", 10)] == [b"new"]


async def test_a_write_replaces_the_value_that_its_writer_has_read(store: TaskStore) -> None:
    key = await create(store)
    revisions: list[int] = []
    for value in (b"one", b"", b"three" * 10_000):
        found = await store.read(key)
        assert found is not None
        revision = await store.write(key, value, found.revision, after(600))
        assert revision is not None
        assert await store.read(key) == (value, revision)
        revisions += [found.revision, revision]
    assert revisions == sorted(revisions)
    assert len(set(revisions)) == 4, "each write made a greater one"


async def test_of_two_writers_of_one_revision_one_wins_and_the_other_changes_nothing(
    open_store: OpenStore, store: TaskStore
) -> None:
    key, other = await create(store), await open_store()
    for _ in range(10):
        found = await store.read(key)
        assert found is not None
        values = [b"one", b"two", b"same", b"same"]
        writes = [
            (store if number % 2 else other).write(key, value, found.revision, after(600))
            for number, value in enumerate(values)
        ]
        written = await asyncio.gather(*writes)
        ((winner, revision),) = [(value, new) for value, new in zip(values, written, strict=True) if new is not None]
        assert await other.read(key) == (winner, revision)


async def test_a_write_of_an_unknown_task_changes_nothing(store: TaskStore) -> None:
    key = new_key()
    assert await store.write(key, b"value", 1, after(600), enqueue=QUEUE) is None
    assert await store.read(key) is None
    assert await store.count_waiting(QUEUE) == 0


async def test_an_expired_task_is_gone_for_readers_writers_lists_and_workers(store: TaskStore) -> None:
    living = await create(store)
    key = await create(store, queue=QUEUE, ttl_s=SOON_S)
    (first, second) = await take(store, 2)
    assert (first.key, second.key) == (living, key)
    found = await store.read(key)
    assert found is not None

    async def is_gone() -> bool:
        return await store.read(key) is None

    await until(is_gone)
    assert await store.write(key, b"late", found.revision, after(600)) is None
    assert [found for found, _ in await store.list(key.owner, 10)] == [living]
    await store.release(second)
    assert await store.read(key) is None


async def test_a_task_that_expires_while_it_waits_is_taken_by_nobody(store: TaskStore) -> None:
    key = await create(store, ttl_s=SOON_S)
    living = await create(store)

    async def is_gone() -> bool:
        return await store.read(key) is None

    await until(is_gone)
    assert await store.count_waiting(QUEUE) == 1
    assert [taken.key for taken in await store.take(QUEUE, 10)] == [living]


async def test_a_write_may_let_a_task_live_longer(store: TaskStore) -> None:
    brief, long = await create(store, ttl_s=SOON_S), await create(store, ttl_s=SOON_S)
    found = await store.read(long)
    assert found is not None
    assert await store.write(long, b"longer", found.revision, after(600))

    async def is_gone() -> bool:
        return await store.read(brief) is None

    await until(is_gone)
    assert await store.read(long) is not None
    assert [taken.key for taken in await take(store)] == [long]


async def test_workers_take_tasks_in_the_order_of_their_creation(open_store: OpenStore, store: TaskStore) -> None:
    keys = [await create(store, value=b"%d" % number) for number in range(5)]
    other = await open_store()
    first, second = await take(store, 2)
    (third,) = await take(other, 1)
    assert [first.key, second.key, third.key] == keys[:3]
    assert [each.key for each in await store.take(QUEUE, 100)] == keys[3:]
    assert first.queue == QUEUE
    assert first.stored in (None, await store.read(first.key))


async def test_queues_know_nothing_of_each_other(open_store: OpenStore) -> None:
    another = replace(QUEUE, name="trade.back")
    store = await open_store(QUEUE, another)
    key, other = await create(store, queue=another), await create(store)
    assert (await store.count_waiting(QUEUE), await store.count_waiting(another)) == (1, 1)
    assert [taken.key for taken in await store.take(QUEUE, 10)] == [other]
    assert [taken.key for taken in await store.take(another, 10)] == [key]


async def test_two_workers_never_take_the_same_task(open_store: OpenStore) -> None:
    workers = [await open_store() for _ in range(3)]
    keys = [await create(workers[number % 3]) for number in range(60)]
    taken: list[TaskKey] = []

    async def work(store: TaskStore) -> None:
        while len(taken) < len(keys):
            taken.extend(delivery.key for delivery in await store.take(QUEUE, 4))

    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(work(store) for store in workers))
    assert sorted(taken) == sorted(keys)


async def test_a_worker_that_waits_takes_a_task_as_soon_as_another_process_creates_it(
    open_store: OpenStore, store: TaskStore
) -> None:
    other = await open_store()
    for _ in range(2):
        taking = asyncio.create_task(other.take(QUEUE, 5))
        await asyncio.sleep(0)
        key = await create(store)
        assert [taken.key for taken in await taking] == [key]


async def test_a_task_that_was_taken_waits_for_nobody(store: TaskStore) -> None:
    await create(store)
    await create(store)
    assert await store.count_waiting(QUEUE) == 2
    (taken,) = await take(store)
    assert await store.count_waiting(QUEUE) == 1
    await store.release(taken)
    assert await store.count_waiting(QUEUE) == 1


async def test_a_released_task_is_taken_no_more_and_can_still_be_read(open_store: OpenStore) -> None:
    store = await open_store(BRIEF)
    key = await create(store, queue=BRIEF)
    (taken,) = await take(store, queue=BRIEF)
    await store.release(taken)
    assert not await store.take(BRIEF, 1)
    assert await store.read(key) is not None
    assert not await store.extend(taken)


async def test_the_task_of_a_silent_worker_goes_to_another_one_which_alone_has_it_then(open_store: OpenStore) -> None:
    silent, other = await open_store(BRIEF), await open_store(BRIEF)
    key = await create(silent, queue=BRIEF)
    (lost,) = await take(silent, queue=BRIEF)
    (held,) = await take(other, queue=replace(BRIEF, lease_s=60))
    assert held.key == key
    assert not await silent.extend(lost)
    await silent.release(lost)
    await silent.give_back(lost)
    assert await silent.count_waiting(BRIEF) == 0
    assert await other.extend(held)
    await other.give_back(held)
    assert [taken.key for taken in await take(silent, queue=BRIEF)] == [key]


async def test_a_worker_keeps_its_task_by_extending_its_lease(open_store: OpenStore) -> None:
    short = replace(QUEUE, lease_s=0.8)
    store, other = await open_store(short), await open_store(short)
    await create(store, queue=short)
    (taken,) = await take(store, queue=short)
    elsewhere = asyncio.create_task(other.take(short, 1))
    for _ in range(5):
        await asyncio.wait({elsewhere}, timeout=short.lease_s / 4)
        assert await store.extend(taken)
    elsewhere.cancel()
    await asyncio.wait({elsewhere})
    assert elsewhere.cancelled() or not elsewhere.result()


async def test_a_task_that_is_given_back_goes_to_whoever_waits(open_store: OpenStore, store: TaskStore) -> None:
    key, other = await create(store), await open_store()
    (taken,) = await take(store)
    elsewhere = asyncio.create_task(other.take(QUEUE, 1))
    await asyncio.sleep(0)
    await store.give_back(taken)
    assert [delivery.key for delivery in await elsewhere] == [key]
    assert not await store.extend(taken)


async def test_a_task_that_is_given_back_with_a_delay_waits_for_it(open_store: OpenStore, store: TaskStore) -> None:
    key, other = await create(store), await open_store()
    (taken,) = await take(store)
    loop = asyncio.get_running_loop()
    given_at = loop.time()
    await store.give_back(taken, 0.4)
    assert await store.count_waiting(QUEUE) <= 1
    (again,) = await take(other)
    assert again.key == key
    assert 0.39 <= loop.time() - given_at < 0.4 + PATIENCE_S


async def test_a_task_is_put_into_its_queue_again_with_its_new_value(open_store: OpenStore, store: TaskStore) -> None:
    key, other = await create(store), await open_store()
    (first,) = await take(store)
    found = await store.read(key)
    assert found is not None
    waiting = asyncio.create_task(other.take(QUEUE, 1))
    await asyncio.sleep(0)
    assert await store.write(key, b"answered", found.revision, after(600), enqueue=QUEUE)
    (second,) = await waiting
    assert second.key == key
    await store.release(first)  # the worker that has asked is late; its lease was of the earlier place
    assert await other.extend(second)
    await other.release(second)
    assert await store.count_waiting(QUEUE) == 0


async def test_a_queue_accepts_as_many_tasks_as_may_wait(open_store: OpenStore) -> None:
    small = replace(QUEUE, max_waiting=2)
    store = await open_store(small)
    first = await create(store, queue=small)
    await create(store, queue=small)
    rejected = new_key()
    with pytest.raises(QueueFull):
        await store.create(rejected, b"third", small, after(600))
    assert await store.read(rejected) is None
    assert rejected not in dict(await store.list(rejected.owner, 10))
    (taken,) = await take(store, queue=small)
    assert await store.create(rejected, b"third", small, after(600))
    found = await store.read(first)
    assert found is not None
    assert await store.write(first, b"again", found.revision, after(600), enqueue=small)
    assert await store.count_waiting(small) == 3
    assert taken.key == first


async def test_a_full_queue_accepts_a_task_once_another_one_has_expired(open_store: OpenStore) -> None:
    small = replace(QUEUE, max_waiting=1)
    store = await open_store(small)
    await create(store, queue=small, ttl_s=SOON_S)

    async def is_accepted() -> bool:
        try:
            return await store.create(new_key(), b"next", small, after(600))
        except QueueFull:
            return False

    assert not await is_accepted()
    await until(is_accepted)


async def test_an_owner_lists_its_newest_tasks_first(store: TaskStore) -> None:
    keys = [await create(store, value=b"%d" % number) for number in range(4)]
    await create(store, new_key("bob"))
    found = await store.read(keys[0])
    assert found is not None
    assert await store.write(keys[0], b"changed", found.revision, after(600))
    listed = await store.list("ann", 3)
    assert [key for key, _ in listed] == keys[:0:-1]
    assert [value for _, (value, _) in listed] == [b"3", b"2", b"1"]
    assert dict(await store.list("ann", 100))[keys[0]] == await store.read(keys[0])
    assert await store.list("nobody", 3) == []


async def test_a_listener_hears_of_the_changes_of_all_processes_until_it_stops(
    open_store: OpenStore, store: TaskStore
) -> None:
    other, heard = await open_store(), asyncio.Queue[tuple[TaskKey, int]]()
    stop = other.watch(lambda key, revision: heard.put_nowait((key, revision)))
    also_heard = asyncio.Queue[tuple[TaskKey, int]]()
    other.watch(lambda key, revision: also_heard.put_nowait((key, revision)))
    key = await create(store)
    found = await store.read(key)
    assert found is not None
    revision = await store.write(key, b"changed", found.revision, after(600))
    async with asyncio.timeout(PATIENCE_S):
        while await heard.get() != (key, revision):
            pass
        stop()
        last = await create(other)
        while (await also_heard.get())[0] != last:
            pass
    assert heard.empty()


async def test_one_process_closes_its_store_and_another_one_goes_on(open_store: OpenStore, store: TaskStore) -> None:
    other = await open_store()
    key = await create(store)
    await store.close()
    assert await other.read(key) is not None
    assert [taken.key for taken in await take(other)] == [key]
