"""Tasks in a real Redis that is restarted, full, damaged, or keeps its news to itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.services.valkey import PERSISTENT, Valkey
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.tasks.stores import QUEUE, after, create, new_key, opened_redis, take, until
from toolaccord.sources.redis import RedisError, Script, connections, task_scripts
from toolaccord.sources.redis.client import RedisClient
from toolaccord.sources.redis.task_store import RedisTaskStore
from toolaccord.tasks.store import TaskStore
from toolaccord.tasks.task import TaskKey
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.clock import Clock, SystemClock

SERVER = "trade/backtest"
PREFIX = f"toolaccord:tasks:{{{SERVER}}}"


@pytest.fixture(autouse=True)
def _empty(valkey: Valkey) -> None:
    valkey.command("FLUSHALL")


@asynccontextmanager
async def opened(
    url: str, client: type[RedisClient] = RedisClient, clock: Clock | None = None, **limits: Any
) -> AsyncIterator[RedisTaskStore]:
    async with opened_redis(url, client, **limits) as redis:
        store = RedisTaskStore(redis, clock or SystemClock(), SERVER)
        await store.open([QUEUE])
        yield store
        await store.close()


@pytest.fixture
async def store(valkey: Valkey) -> AsyncIterator[RedisTaskStore]:
    async with opened(valkey.url) as made:
        yield made


@pytest.fixture
async def other(valkey: Valkey) -> AsyncIterator[RedisTaskStore]:
    """The store of another process."""
    async with opened(valkey.url) as made:
        yield made


def name_of(key: TaskKey) -> str:
    """Return the name of a task in Redis."""
    return f"{PREFIX}:task:{key.owner}:{key.id}"


async def is_there(store: TaskStore, key: TaskKey) -> bool:
    """Return whether a task can be read, as soon as Redis answers."""
    while True:
        try:
            return await store.read(key) is not None
        except RedisError:
            await asyncio.sleep(0.01)


async def test_a_redis_that_persists_has_all_tasks_after_it_was_killed(tmp_path: Path) -> None:
    with Valkey(tmp_path, *PERSISTENT).running() as server:
        async with opened(server.url) as store, opened(server.url) as other:
            keys = [await create(store) for _ in range(3)]
            (held,) = await take(store)
            server.restart()
            assert [await is_there(store, key) for key in keys] == [True] * 3
            assert [key for key, _ in await store.list("ann", 10)] == keys[::-1]
            assert await store.extend(held)
            async with asyncio.timeout(PATIENCE_S):
                taken = await other.take(QUEUE, 10)
            assert [each.key for each in taken] == keys[1:]


async def test_a_create_that_is_repeated_after_a_worker_was_quick_has_its_first_outcome(
    valkey: Valkey, store: RedisTaskStore
) -> None:
    class Quick(RedisClient):
        async def run_script(self, script: Script, *arguments: Any, **options: Any) -> Any:
            if script is task_scripts.CREATE:  # its answer is lost
                await super().run_script(script, *arguments, **options)
                (taken,) = await take(store)
                found = await store.read(taken.key)
                assert found is not None
                assert await store.write(taken.key, b"done", found.revision, after(600))
                await store.release(taken)
            return await super().run_script(script, *arguments, **options)

    async with opened(valkey.url, Quick) as quick:
        key = await create(quick)
    found = await store.read(key)
    assert found is not None
    assert found.value == b"done"
    assert await store.count_waiting(QUEUE) == 0


async def test_a_damaged_task_is_an_error_for_its_reader_and_no_other_task_suffers(
    valkey: Valkey, store: RedisTaskStore
) -> None:
    keys = [await create(store) for _ in range(5)]
    valkey.command("DEL", name_of(keys[0]))
    valkey.command("SET", name_of(keys[0]), "another type")
    valkey.command("HDEL", name_of(keys[1]), "value")
    valkey.command("HDEL", name_of(keys[2]), "revision")
    valkey.command("HSET", name_of(keys[3]), "revision", "many")
    for key in keys[:4]:
        with pytest.raises(RedisError) as raised:
            await store.read(key)
        assert not raised.value.is_outage
        assert key.id not in raised.value.why
    with capture_logs() as logs:
        assert [taken.key for taken in await store.take(QUEUE, 10)] == keys[4:]
    assert [record.getMessage() for record in logs] == [
        "4 tasks of the queue trade.backtest are damaged in Redis, and are not run"
    ]
    assert await store.count_waiting(QUEUE) == 0


async def test_large_tasks_are_all_taken_and_those_beyond_a_mebibyte_are_read_by_their_worker(
    store: RedisTaskStore,
) -> None:
    keys = [await create(store, value=b"%d" % number * 600_000) for number in range(3)]
    taken = await store.take(QUEUE, 10)
    assert [each.key for each in taken] == keys
    assert [each.stored and each.stored.value[:1] for each in taken] == [b"0", None, None]


async def test_a_damaged_queue_is_an_error_of_the_source(valkey: Valkey, store: RedisTaskStore) -> None:
    valkey.command("SET", f"{PREFIX}:ready:{QUEUE.name}", "another type")
    with pytest.raises(RedisError) as raised:
        await store.create(key := new_key(), b"new", QUEUE, after(600))
    assert raised.value.failure == "rejected"
    assert await store.read(key) is None
    with pytest.raises(RedisError):
        await take(store)


async def test_a_full_redis_creates_no_task_and_leases_go_on(valkey: Valkey, store: RedisTaskStore) -> None:
    keys = [await create(store) for _ in range(2)]
    with valkey.full():
        with pytest.raises(RedisError) as raised:
            await store.create(rejected := new_key(), b"new", QUEUE, after(600))
        assert raised.value.failure == "full"
        taken = await store.take(QUEUE, 10)
        assert [each.key for each in taken] == keys
        assert await store.extend(taken[0])
        await store.release(taken[0])
        await store.give_back(taken[1])
        assert await store.count_waiting(QUEUE) == 1
    assert await store.read(rejected) is None


async def test_workers_keep_their_tasks_after_redis_was_away_for_longer_than_their_leases(
    valkey: Valkey, store: RedisTaskStore, other: RedisTaskStore
) -> None:
    await create(store)
    (held,) = await take(store, queue=replace(QUEUE, lease_s=0.05))

    async def has_run_out() -> bool:
        return await store.count_waiting(QUEUE) == 1

    await until(has_run_out)
    assert valkey.command("DEL", f"{PREFIX}:pulse:{QUEUE.name}") == 1  # it expires during an outage
    assert not await other.take(QUEUE, 1)
    assert await store.extend(held)


async def test_nothing_is_left_of_tasks_that_have_expired(valkey: Valkey, store: RedisTaskStore) -> None:
    for _ in range(4):
        await create(store, ttl_s=0.6)
    deliveries = await take(store, 3)
    await store.release(deliveries[0])
    await store.give_back(deliveries[1], 0.05)

    async def are_gone() -> bool:
        return not valkey.command("KEYS", "*:task:*")

    await until(are_gone)
    assert not await store.extend(deliveries[2])
    assert await store.count_waiting(QUEUE) in (0, 1)  # one may have a delay
    assert not await store.take(QUEUE, 10)
    left = {f"{PREFIX}:{part}:{QUEUE.name}".encode() for part in ("leased", "pulse")}
    assert set(valkey.command("KEYS", "*")) <= left, "a lease is dropped when it runs out"


async def test_the_clock_of_redis_decides_and_that_of_the_process_may_be_wrong(
    valkey: Valkey, other: RedisTaskStore
) -> None:
    clock = ManualClock()  # months behind
    async with opened(valkey.url, clock=clock) as store:
        key = new_key()
        assert await store.create(key, b"new", QUEUE, clock.now() + (after(600) - after(0)))
        (taken,) = await take(other)
        assert taken.key == key
        assert 599_000 < valkey.command("PTTL", name_of(key)) <= 600_001


async def test_workers_are_woken_again_after_their_subscription_was_lost(
    valkey: Valkey, store: RedisTaskStore, other: RedisTaskStore
) -> None:
    heard: list[TaskKey] = []
    other.watch(lambda key, _: heard.append(key))
    valkey.command("CLIENT", "KILL", "TYPE", "pubsub")
    key = await create(store)
    assert [taken.key for taken in await take(other)] == [key], "they also look without news"

    async def is_heard() -> bool:
        await create(store)
        return bool(set(heard) - {key})

    await until(is_heard)


async def test_a_worker_that_waits_holds_no_connection_of_the_pool(valkey: Valkey, other: RedisTaskStore) -> None:
    async with opened(valkey.url, max_connections=1) as store:
        waiting = [asyncio.create_task(store.take(QUEUE, 1)) for _ in range(3)]
        keys = [await create(store), await create(other), await create(store)]
        assert sorted([taken.key for each in waiting for taken in await each]) == sorted(keys)


async def test_an_idle_worker_looks_into_its_queue_only_now_and_then(valkey: Valkey) -> None:
    def count() -> int:
        calls: int = valkey.command("INFO", "commandstats").get("cmdstat_evalsha", {"calls": 0})["calls"]
        return calls

    clock = ManualClock()
    async with opened(valkey.url, clock=clock) as store:

        async def wait_in_vain() -> None:
            taking = asyncio.create_task(store.take(QUEUE, 1))
            while not taking.done():
                await asyncio.wait({taking}, timeout=0.002)
                clock.advance(0.5)
            assert not await taking

        await wait_in_vain()
        before, started_at = count(), clock.monotonic()
        while clock.monotonic() < started_at + 60:
            await wait_in_vain()
        assert count() - before <= 13


async def test_a_worker_that_is_cancelled_while_redis_leases_it_a_task_gives_that_back(
    valkey: Valkey, other: RedisTaskStore
) -> None:
    gate, leased = asyncio.Event(), asyncio.Event()

    class Late(RedisClient):
        async def run_script(self, script: Script, *arguments: Any, **options: Any) -> Any:
            answer = await super().run_script(script, *arguments, **options)
            if script is task_scripts.TAKE:
                leased.set()
                await gate.wait()
            return answer

    key = await create(other)
    async with opened(valkey.url, Late) as store:
        taking = asyncio.create_task(store.take(QUEUE, 1))
        await leased.wait()
        taking.cancel()
        gate.set()
        await asyncio.wait({taking})
        assert taking.cancelled()
        assert [taken.key for taken in await take(other)] == [key]


async def test_a_redis_that_may_evict_tasks_is_named_in_the_log(valkey: Valkey) -> None:
    valkey.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
    try:
        with capture_logs() as logs:
            async with opened(valkey.url):
                pass
    finally:
        valkey.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    assert [record.getMessage() for record in logs] == [
        "Redis may evict tasks: set its maxmemory-policy to noeviction, not volatile-lru"
    ]


async def test_a_user_with_a_password_and_without_channels_looks_once_a_second(
    valkey: Valkey, store: RedisTaskStore
) -> None:
    rights = ("~toolaccord:tasks:*", "+@all", "-info", "resetchannels")
    valkey.command("ACL", "SETUSER", "worker", "on", ">secret", *rights)
    with capture_logs(logging.WARNING) as logs:
        async with opened(valkey.url.replace("//", "//worker:secret@")) as poor:
            waiting = asyncio.create_task(poor.take(QUEUE, 1))
            await asyncio.wait({waiting}, timeout=0.05)
            key = await create(store)
            assert [taken.key for taken in (await waiting or await take(poor))] == [key]
            await create(poor)
    assert [record.getMessage().partition(":")[0] for record in logs] == ["Redis sends no news of tasks"]


async def test_a_subscription_to_a_redis_that_stands_still_is_lost(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_SILENCE_S", 0.02)
    async with opened_redis(valkey.url, timeout_s=0.1) as redis:
        messages = redis.subscribe("news")
        assert await anext(messages) is None
        following = asyncio.ensure_future(anext(messages))
        await asyncio.wait({following}, timeout=0.1)
        assert not following.done(), "it answers pings"
        valkey.command("PUBLISH", "news", "first")
        assert await following == b"first"
        with valkey.frozen(), pytest.raises(RedisError) as raised:
            await anext(messages)
        assert raised.value.failure == "timeout"


async def test_messages_of_others_on_the_channel_concern_nobody(
    valkey: Valkey, store: RedisTaskStore, other: RedisTaskStore
) -> None:
    heard: list[TaskKey] = []
    store.watch(lambda key, _: heard.append(key))
    for message in (b"", b"\xff \xff \xff", b"7", b"x ann:1 q", b"7 ann q", b"-7 ann:1", b"7 \xff:1 q"):
        valkey.command("PUBLISH", PREFIX, message)
    key = await create(other)

    async def is_heard() -> bool:
        return key in heard

    await until(is_heard)
    assert [found for found in heard if found.owner == key.owner] == [key]
