"""Work queues on a real NATS server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DiscardPolicy, RetentionPolicy, StreamConfig

from tests.services import nats as service
from tests.services.nats import NatsServer, delete_streams, jetstream
from toolaccord.sources.nats import (
    NatsError,
    NatsSource,
    QueueMismatch,
)
from toolaccord.sources.nats.client import JetStreamClient
from toolaccord.sources.nats.work_queue import JetStreamWorkQueue, QueueDeclaration, QueuedMessage
from toolaccord.timing.clock import SystemClock

DECLARED = QueueDeclaration(
    stream="ORDERS",
    stream_subject="orders.new",
    subject="orders.new",
    consumer="clerk",
    max_age_s=600,
    window_s=600,
    ack_wait_s=30,
)
NATS = NatsSource(
    name="queue", url="url", connection_timeout_s=5, timeout_s=20, max_outstanding=100, max_pending_bytes=1 << 20
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with service.running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture
async def streams(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    """JetStream, without streams before and after."""
    async with jetstream(server.url) as streams:
        yield streams
        await delete_streams(streams)


@asynccontextmanager
async def connected(server: NatsServer) -> AsyncIterator[JetStreamClient]:
    source = JetStreamClient(NATS, server.url, SystemClock())
    try:
        yield source
    finally:
        await source.close()


@pytest.fixture
async def nats(server: NatsServer, streams: JetStreamContext) -> AsyncIterator[JetStreamClient]:  # noqa: ARG001 - it cleans up
    async with connected(server) as source:
        yield source


async def opened(nats: JetStreamClient, **changes: Any) -> JetStreamWorkQueue:
    queue = JetStreamWorkQueue(nats.jetstream, replace(DECLARED, **changes))
    await queue.open()
    return queue


async def next_message(queue: JetStreamWorkQueue) -> QueuedMessage:
    """Return the next message, however long it takes."""
    while not (messages := await queue.pull(1)):
        pass
    (message,) = messages
    return message


async def test_workers_share_the_messages_and_each_goes_to_one(server: NatsServer, nats: JetStreamClient) -> None:
    await opened(nats)
    for number in range(40):
        await nats.publish("orders.new", b"%d" % number)

    async def work(queue: JetStreamWorkQueue) -> list[bytes]:
        found: list[bytes] = []
        while messages := await queue.pull(3):
            assert len(messages) <= 3
            found += [message.payload for message in messages]
            for message in messages:
                await queue.ack(message)
        return found

    async with AsyncExitStack() as stack:
        queues = [await opened(await stack.enter_async_context(connected(server))) for _ in range(2)]
        first, second = await asyncio.gather(*map(work, queues))
    assert first
    assert second
    assert sorted(map(int, first + second)) == list(range(40))


async def test_a_pull_takes_what_is_there_and_waits_for_the_first_alone(nats: JetStreamClient) -> None:
    queue = await opened(nats)
    waiting = asyncio.create_task(next_message(queue))
    await nats.publish("orders.new", b"1")
    assert (await waiting).payload == b"1"
    for number in range(5):
        await nats.publish("orders.new", b"%d" % number)
    assert [each.payload for each in await queue.pull(2)] == [b"0", b"1"]
    assert [each.payload for each in await queue.pull(10)] == [b"2", b"3", b"4"]
    assert await queue.pull(10) == []


async def test_an_answer_decides_if_and_when_a_message_comes_again(
    nats: JetStreamClient, streams: JetStreamContext
) -> None:
    queue = await opened(nats)
    for number in range(4):
        await nats.publish("orders.new", b"%d" % number)
    done, useless, refused, later = await queue.pull(4)
    await queue.ack(done)
    await queue.term(useless)
    await queue.nak(later, delay_s=3600)
    await queue.nak(refused)
    again = await next_message(queue)
    assert (again.payload, again.delivery) == (b"2", 2)
    assert await queue.pull(4) == [], "one waits for an hour"
    assert (await streams.stream_info("ORDERS")).state.messages == 2


async def test_an_unanswered_message_is_delivered_again_and_again(nats: JetStreamClient) -> None:
    queue = await opened(nats, ack_wait_s=0.1)
    await nats.publish("orders.new", b"1")
    assert [(await next_message(queue)).delivery for _ in range(6)] == [1, 2, 3, 4, 5, 6]


async def test_a_new_queue_has_what_it_needs_and_any_number_of_processes_create_it(
    nats: JetStreamClient, streams: JetStreamContext
) -> None:
    await asyncio.gather(*(opened(nats) for _ in range(10)))
    config = (await streams.stream_info("ORDERS")).config
    assert (config.retention, config.subjects) == (RetentionPolicy.WORK_QUEUE, ["orders.new"])
    assert (config.max_age, config.duplicate_window) == (600, 600)
    assert (config.max_bytes, config.discard) == (64 << 20, DiscardPolicy.NEW)
    consumer = (await streams.consumer_info("ORDERS", "clerk")).config
    assert (consumer.ack_wait, consumer.max_deliver, consumer.max_ack_pending) == (30, -1, -1)


async def test_a_message_id_is_stored_once_and_the_publisher_learns_of_it(nats: JetStreamClient) -> None:
    queue = await opened(nats)
    assert [await nats.publish("orders.new", b"1", message_id="one") for _ in range(2)] == [True, False]
    await queue.ack(await next_message(queue))
    assert not await nats.publish("orders.new", b"1", message_id="one"), "also after the work"


async def test_shorter_times_of_an_earlier_release_are_made_longer(
    nats: JetStreamClient, streams: JetStreamContext
) -> None:
    await opened(nats, max_age_s=300, window_s=60, ack_wait_s=10)
    await opened(nats)
    config = (await streams.stream_info("ORDERS")).config
    consumer = (await streams.consumer_info("ORDERS", "clerk")).config
    assert (config.max_age, config.duplicate_window, consumer.ack_wait) == (600, 600, 30)


async def test_a_queue_that_an_operator_created_with_longer_times_and_replicas_is_used(
    nats: JetStreamClient, streams: JetStreamContext
) -> None:
    await streams.add_stream(
        StreamConfig(
            name="ORDERS",
            subjects=["orders.new", "orders.old"],
            retention=RetentionPolicy.WORK_QUEUE,
            max_age=0,
            duplicate_window=3600,
            max_bytes=1 << 20,
        )
    )
    await opened(nats)
    assert (await streams.stream_info("ORDERS")).config.max_bytes == 1 << 20


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"retention": RetentionPolicy.LIMITS}, "the stream ORDERS has the retention limits, and needs workqueue"),
        ({"subjects": ["orders.old"]}, "the stream ORDERS has the subjects orders.old, and needs orders.new"),
        ({"name": "OTHERS"}, "another stream than ORDERS has the subject orders.new"),
    ],
)
async def test_a_stream_with_which_the_queue_would_not_work_is_reported_and_left_alone(
    nats: JetStreamClient, streams: JetStreamContext, changes: dict[str, Any], text: str
) -> None:
    config = StreamConfig(
        name="ORDERS",
        subjects=["orders.new"],
        retention=RetentionPolicy.WORK_QUEUE,
        max_age=600,
        duplicate_window=600,
    )
    await streams.add_stream(config.evolve(**changes))
    before = await streams.streams_info()
    with pytest.raises(QueueMismatch) as raised:
        await opened(nats)
    assert text in str(raised.value).split("; ")
    assert [each.config for each in await streams.streams_info()] == [each.config for each in before]


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"max_deliver": 5}, "its consumer clerk has the max_deliver 5, and needs -1"),
        ({"filter_subject": None}, "its consumer clerk has the filter_subject none, and needs orders.new"),
    ],
)
async def test_a_consumer_with_which_the_queue_would_not_work_is_reported(
    nats: JetStreamClient, streams: JetStreamContext, changes: dict[str, Any], text: str
) -> None:
    await opened(nats)
    await streams.delete_consumer("ORDERS", "clerk")
    config = ConsumerConfig(durable_name="clerk", ack_wait=30, max_deliver=-1, filter_subject="orders.new")
    await streams.add_consumer("ORDERS", config.evolve(**changes))
    with pytest.raises(QueueMismatch) as raised:
        await opened(nats)
    assert str(raised.value) == text


async def test_a_queue_that_disappears_is_an_error_and_can_be_created_again(
    nats: JetStreamClient, streams: JetStreamContext
) -> None:
    queue = await opened(nats)
    pulling = asyncio.create_task(queue.pull(1))
    await asyncio.sleep(0)
    await delete_streams(streams)
    await asyncio.wait({pulling})
    with pytest.raises(NatsError):
        await queue.pull(1)
    await queue.open()
    await nats.publish("orders.new", b"1")
    assert (await next_message(queue)).payload == b"1"


async def test_a_pull_goes_on_with_the_next_connection(server: NatsServer, nats: JetStreamClient) -> None:
    queue = await opened(nats)
    await nats.publish("orders.new", b"1")
    (message,) = await queue.pull(1)
    server.kill()
    with pytest.raises(NatsError):
        await queue.pull(1)
    server.start()
    await queue.nak(message)
    again = await next_message(queue)
    # A killed server may have lost the count of deliveries, which it writes in the background.
    assert again.payload == b"1"
