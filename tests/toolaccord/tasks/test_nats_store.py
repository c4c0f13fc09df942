"""Tasks in a real NATS that is restarted, damaged, full, or loses connections and answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StreamConfig

from tests.services import nats as service
from tests.services.nats import jetstream
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.tasks.stores import NATS, QUEUE, after, create, new_key, take, until
from toolaccord.sources.nats import NatsError, QueueMismatch
from toolaccord.sources.nats.api import LARGE_MESSAGE
from toolaccord.sources.nats.client import JetStreamClient
from toolaccord.sources.nats.task_bucket import Revision, TaskBucket
from toolaccord.sources.nats.task_store import JetStreamTaskStore
from toolaccord.tasks.store import QueueFull, TaskQueue, TaskStore
from toolaccord.tasks.task import TaskKey
from toolaccord.testing import capture_logs
from toolaccord.testing.faults import Relay
from toolaccord.timing.clock import SystemClock

STREAM, SUBJECT = "toolaccord-tasks-trade=Demo", "toolaccord.tasks.trade=Demo.trade=backtest"
BUCKET = f"KV_{STREAM}"
MEBIBYTE = 1 << 20


@asynccontextmanager
async def opened(url: str, *queues: TaskQueue, **limits: Any) -> AsyncIterator[JetStreamTaskStore]:
    nats = JetStreamClient(replace(NATS, **limits), url, SystemClock())
    store = JetStreamTaskStore(nats, SystemClock(), "trade.Demo")
    try:
        await store.open(queues or [QUEUE])
        yield store
    finally:
        await store.close()
        await nats.close()


@pytest.fixture
async def store(nats_url: str) -> AsyncIterator[JetStreamTaskStore]:
    async with opened(nats_url) as made:
        yield made


@pytest.fixture
async def streams(nats_url: str) -> AsyncIterator[JetStreamContext]:
    """JetStream as its own client sees it."""
    async with jetstream(nats_url) as streams:
        yield streams


def subject_of(key: TaskKey) -> str:
    return f"$KV.{STREAM}.{key.owner}.{key.id}"


async def is_readable(store: TaskStore, key: TaskKey) -> bool:
    try:
        return await store.read(key) is not None
    except NatsError:
        return False


async def test_a_new_bucket_and_a_new_queue_have_what_they_need_and_any_number_of_processes_create_them(
    nats_url: str, streams: JetStreamContext
) -> None:
    async def open_once() -> None:
        async with opened(nats_url, QUEUE, replace(QUEUE, name="Trade.Back_test-2", ttl_s=60)):
            pass

    await asyncio.gather(*(open_once() for _ in range(5)))
    bucket, queue = [(await streams.stream_info(name)).config for name in (BUCKET, STREAM)]
    assert (bucket.retention, bucket.max_msgs_per_subject) == (RetentionPolicy.LIMITS, 1)
    assert (bucket.storage, bucket.discard, bucket.allow_direct) == (StorageType.FILE, DiscardPolicy.NEW, False)
    assert (bucket.max_age, bucket.max_bytes) == (600, 1024 * MEBIBYTE)
    assert (queue.retention, queue.storage, queue.discard) == (
        RetentionPolicy.WORK_QUEUE,
        StorageType.FILE,
        DiscardPolicy.NEW,
    )
    assert (queue.max_age, queue.max_bytes, queue.duplicate_window) == (600, 64 * MEBIBYTE, 120)
    consumers = {each.name: each.config for each in await streams.consumers_info(STREAM)}
    assert sorted(consumers) == ["Trade=Back_test-2", "trade=backtest"]
    config = consumers["trade=backtest"]
    assert (config.filter_subject, config.ack_wait, config.max_deliver) == (SUBJECT, 60, -1)


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"max_msgs_per_subject": 2}, f"the stream {BUCKET} has the max_msgs_per_subject 2, and needs 1"),
        ({"allow_direct": True}, f"the stream {BUCKET} has the allow_direct True, and needs none"),
        ({"name": "OTHER"}, f"another stream than {BUCKET} has the subject $KV.{STREAM}.>"),
    ],
)
async def test_a_bucket_that_cannot_keep_the_tasks_is_reported_and_left_alone(
    nats_url: str, streams: JetStreamContext, changes: dict[str, Any], text: str
) -> None:
    config = StreamConfig(name=BUCKET, subjects=[f"$KV.{STREAM}.>"], max_age=600, max_msgs_per_subject=1)
    await streams.add_stream(config.evolve(**changes))
    with pytest.raises(QueueMismatch) as raised:
        async with opened(nats_url):
            pass
    assert str(raised.value) == text
    (stream,) = await streams.streams_info()
    assert stream.config.max_age == 600


async def test_times_grow_with_the_contract_and_a_process_of_the_old_one_goes_on(
    nats_url: str, streams: JetStreamContext
) -> None:
    long = replace(QUEUE, lease_s=90, ttl_s=3600)
    async with opened(nats_url) as old, opened(nats_url, long) as new:
        key = await create(old)
        assert [each.key for each in await take(new, queue=long)] == [key]
        await old.open([QUEUE])
    for name in (BUCKET, STREAM):
        assert (await streams.stream_info(name)).config.max_age == 3600
    config = (await streams.consumer_info(STREAM, "trade=backtest")).config
    assert (config.ack_wait, config.filter_subject, config.max_ack_pending) == (90, SUBJECT, -1)


async def test_a_killed_server_has_all_tasks_when_it_is_back_and_processes_go_on(tmp_path: Path) -> None:
    with service.running(tmp_path) as server:
        async with opened(server.url) as store, opened(server.url) as other:
            keys = [await create(store) for _ in range(3)]
            (taken,) = await take(store)
            server.kill()
            with pytest.raises(NatsError):
                await store.read(keys[0])
            with pytest.raises(NatsError):
                await store.create(new_key(), b"lost", QUEUE, after(600))
            server.start()
            await until(lambda: is_readable(store, keys[0]))
            assert [key for key, _ in await store.list("ann", 10)] == keys[::-1]
            assert await store.extend(taken)
            heard = asyncio.Queue[TaskKey]()
            other.watch(lambda key, _: heard.put_nowait(key))

            async def is_heard() -> bool:
                await create(store)
                return not heard.empty()

            await until(is_heard)
            assert keys[1] in {each.key for each in await take(other, 2)}


async def test_a_writer_whose_answer_is_lost_is_no_rival_of_itself(nats_url: str) -> None:
    async with Relay(nats_url).running() as relay, opened(relay.url) as store, opened(nats_url) as other:
        key = await create(store)
        found = await store.read(key)
        assert found is not None
        relay.delay_s = 60
        writing = asyncio.create_task(store.write(key, b"newer", found.revision, after(600)))

        async def is_written() -> bool:
            now = await other.read(key)
            return now is not None and now.value == b"newer"

        await until(is_written)
        relay.delay_s = 0
        relay.reset()
        written = await writing
        assert written is not None
        assert written > found.revision


async def test_a_task_whose_writer_meets_its_own_value_stays_in_its_queue(
    store: JetStreamTaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = TaskBucket.put

    async def put_twice(*arguments: Any, **options: Any) -> Revision | None:
        """Store a value twice, as over a connection that breaks after the server has taken it."""
        await put(*arguments, **options)
        return await put(*arguments, **options)

    monkeypatch.setattr(TaskBucket, "put", put_twice)
    key = await create(store)
    (first,) = await take(store)
    found = await store.read(key)
    assert found is not None
    written = await store.write(key, b"again", found.revision, after(600), enqueue=QUEUE)
    assert written is not None
    assert written > found.revision
    await store.release(first)
    assert [each.key for each in await take(store)] == [key]
    assert not await store.create(key, b"other", QUEUE, after(600))


async def test_a_message_whose_sender_died_before_it_stored_the_task_holds_up_nobody(
    store: JetStreamTaskStore, streams: JetStreamContext
) -> None:
    lost = new_key()
    expires_at = after(600).timestamp()
    await streams.publish(SUBJECT, f"{lost.owner} {lost.id} 0 {expires_at}".encode())
    key = await create(store)
    assert [each.key for each in await store.take(QUEUE, 10)] == [key]
    assert await create(store, lost) == lost, "a repetition of the call creates it"
    assert [each.key for each in await take(store)] == [lost]


async def test_a_message_is_taken_as_soon_as_its_task_is_stored(
    store: JetStreamTaskStore, streams: JetStreamContext
) -> None:
    key, ends_at = new_key(), after(600).timestamp()
    sent = await streams.publish(SUBJECT, f"{key.owner} {key.id} 0 {ends_at}".encode())
    assert await store.take(QUEUE, 1) == [], "its value is on its way"
    headers = {"Toolaccord-Task": f"{ends_at} {sent.seq} {sent.seq}"}
    await streams.publish(subject_of(key), b"value", headers=headers)
    assert [each.key for each in await take(store)] == [key]


async def test_messages_and_values_of_somebody_else_are_no_tasks(
    store: JetStreamTaskStore, streams: JetStreamContext
) -> None:
    foreign, key = new_key(), await create(store)
    await streams.publish(subject_of(foreign), b"value")
    for payload in (b"", b"\xff", b"ann task x y", f"{key.owner} {key.id} 0 {after(600).timestamp()}".encode()):
        await streams.publish(SUBJECT, payload)
    assert await store.read(foreign) is None
    assert [found for found, _ in await store.list("ann", 10)] == [key]
    with capture_logs() as logs:
        assert [each.key for each in await store.take(QUEUE, 10)] == [key]
        assert await store.take(QUEUE, 10) == []
    assert str(logs).count("names no task") == 3
    assert (await streams.stream_info(STREAM)).state.messages == 1
    assert await store.create(foreign, b"mine", QUEUE, after(600)), "it takes the place"


async def test_an_expired_task_makes_room_for_another_one_of_its_key(store: JetStreamTaskStore) -> None:
    key = await create(store, ttl_s=0.05)

    async def is_gone() -> bool:
        return await store.read(key) is None

    await until(is_gone)
    await create(store, key, b"again")
    assert [each.key for each in await store.take(QUEUE, 10)] == [key]


@pytest.mark.parametrize("size", [MEBIBYTE - 50, MEBIBYTE, MEBIBYTE + 1])
async def test_a_task_above_the_size_of_messages_is_refused_and_the_connection_stays(
    store: JetStreamTaskStore, size: int
) -> None:
    key = new_key()
    with pytest.raises(NatsError) as raised:
        await store.create(key, bytes(size), QUEUE, after(600))
    assert raised.value.reason == LARGE_MESSAGE
    assert not raised.value.is_outage
    assert await store.read(key) is None
    assert await store.count_waiting(QUEUE) == 0
    await create(store, key, bytes(MEBIBYTE - 300))
    found = await store.read(key)
    assert found is not None
    with pytest.raises(NatsError):
        await store.write(key, bytes(size), found.revision, after(600), enqueue=QUEUE)
    assert await store.read(key) == found
    assert await store.count_waiting(QUEUE) == 1


async def test_a_full_bucket_rejects_tasks_and_keeps_those_it_has(nats_url: str, streams: JetStreamContext) -> None:
    config = StreamConfig(name=BUCKET, subjects=[f"$KV.{STREAM}.>"], max_msgs_per_subject=1, max_bytes=2000)
    await streams.add_stream(config.evolve(discard=DiscardPolicy.NEW))
    async with opened(nats_url) as store:
        key = await create(store, value=bytes(1000))
        with pytest.raises(QueueFull):
            await store.create(new_key(), bytes(1000), QUEUE, after(600))
        assert [found for found, _ in await store.list("ann", 10)] == [key]
        assert await store.count_waiting(QUEUE) == 1


async def test_streams_that_are_deleted_are_created_by_the_next_open(
    store: JetStreamTaskStore, streams: JetStreamContext
) -> None:
    await create(store)
    for name in (BUCKET, STREAM):
        await streams.delete_stream(name)
    with pytest.raises(NatsError):
        await store.create(new_key(), b"lost", QUEUE, after(600))
    await store.open([QUEUE])
    key = await create(store)
    assert [each.key for each in await take(store)] == [key]


async def test_a_list_of_many_tasks_has_the_newest_and_leaves_no_consumer(
    store: JetStreamTaskStore, streams: JetStreamContext
) -> None:
    keys = await asyncio.gather(*(create(store) for _ in range(300)))
    listed = [key for key, _ in await store.list("ann", 1000)]
    assert sorted(listed) == sorted(keys)
    assert [key for key, _ in await store.list("ann", 5)] == listed[:5]
    assert await streams.consumers_info(BUCKET) == []


async def test_a_store_without_its_server_is_an_outage_and_opens_later(tmp_path: Path) -> None:
    with service.running(tmp_path) as server:
        nats = JetStreamClient(NATS, server.url, SystemClock())
        store = JetStreamTaskStore(nats, SystemClock(), "trade")
        server.kill()
        with pytest.raises(NatsError) as raised:
            await store.open([QUEUE])
        assert raised.value.is_outage
        server.start()
        async with asyncio.timeout(PATIENCE_S):
            await store.open([QUEUE])
        await create(store)
        await store.close()
        await nats.close()
