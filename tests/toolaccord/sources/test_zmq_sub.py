"""Subscribers of ZeroMQ against real sockets: bounds and failures of the peer."""

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import zmq

from tests.services.zmq import PATIENCE_S, ZmqPeer, running
from toolaccord.sources.zmq import ZmqError, ZmqSub, ZmqSubSource, connection
from toolaccord.sources.zmq.socket_reader import Parts, SocketReader
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.clock import Clock, SystemClock
from toolaccord.timing.deadline import deadline_in

DECLARED = ZmqSubSource(name="results", endpoint="endpoint", max_messages=3, max_message_bytes=1024)


@asynccontextmanager
async def opened(endpoint: str, declared: ZmqSubSource = DECLARED, clock: Clock | None = None) -> AsyncIterator[ZmqSub]:
    source = declared.open({"endpoint": endpoint}, clock or SystemClock())
    try:
        yield source
    finally:
        await source.close()


@asynccontextmanager
async def subscribed(peer: ZmqPeer, clock: Clock | None = None) -> AsyncIterator[ZmqSub]:
    """A subscriber whose subscription has reached *peer*."""
    async with opened(peer.endpoint, clock=clock) as source:
        await source.start()
        await until_subscribed(peer)
        yield source


@pytest.fixture
def peer() -> Iterator[ZmqPeer]:
    """A publisher that reports subscriptions."""
    with running("XPUB") as peer:
        yield peer


async def until_subscribed(peer: ZmqPeer) -> None:
    assert await asyncio.wait_for(asyncio.to_thread(peer.receive), PATIENCE_S) == [b"\x01"]


async def until(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_true():  # noqa: ASYNC110 - a subscriber has no event for its users
            await asyncio.sleep(0)


async def until_messages(source: ZmqSub, count: int) -> None:
    await until(lambda: len(source.messages()) == count)


async def is_available(source: ZmqSub) -> bool:
    try:
        await source.check()
    except ZmqError:
        return False
    return True


async def test_the_newest_messages_come_first(peer: ZmqPeer) -> None:
    async with subscribed(peer) as source:
        assert (source.kind, source.is_configured) == ("zmq_sub", True)
        assert source.messages() == ()
        for number in range(1, 6):
            peer.send(b"(%d)" % number)
        await until(lambda: source.messages()[:1] == (b"(5)",))
        assert source.messages() == (b"(5)", b"(4)", b"(3)")


async def test_a_call_waits_for_the_next_message(peer: ZmqPeer) -> None:
    async with subscribed(peer) as source:
        waiting = asyncio.create_task(source.wait_for_more(1))
        await asyncio.sleep(0)
        peer.send(b"(1)")
        assert await asyncio.wait_for(waiting, PATIENCE_S) is True
        assert source.messages() == (b"(1)",)


async def test_a_call_waits_until_shortly_before_its_deadline() -> None:
    clock = ManualClock()
    async with opened("", clock=clock) as source:
        with deadline_in(clock, 10):
            waiting = asyncio.create_task(source.wait_for_more(1))
        await clock.wait_for_timer()
        clock.advance(8.9)
        await asyncio.sleep(0)
        assert not waiting.done()
        clock.advance(0.1)
        assert await asyncio.wait_for(waiting, PATIENCE_S) is False


async def test_a_burst_arrives_whole(peer: ZmqPeer) -> None:
    async with opened(peer.endpoint, replace(DECLARED, max_messages=1000)) as source:
        await source.start()
        await until_subscribed(peer)
        for number in range(1000):
            peer.send(b"%d" % number)
        await until(lambda: len(source.messages()) == 1000)
        assert source.messages() == tuple(b"%d" % number for number in reversed(range(1000)))


async def test_an_empty_endpoint_is_a_source_without_messages() -> None:
    async with opened("") as source:
        await source.start()
        await source.check()
        assert (source.is_configured, source.messages()) == (False, ())


async def test_an_invalid_endpoint_is_an_error() -> None:
    async with opened("tcp://nowhere") as source:
        for request in (source.start, source.check):
            with pytest.raises(ZmqError, match="the endpoint must have one host and one port"):
                await request()
        with pytest.raises(ZmqError, match="the endpoint must have one host and one port"):
            source.messages()


async def test_messages_that_are_too_large_or_have_parts_are_dropped_and_logged_once_a_minute(peer: ZmqPeer) -> None:
    clock = ManualClock()
    async with subscribed(peer, clock) as source:
        with capture_logs() as logs:
            peer.send(b"topic", b"payload")
            peer.send(bytes(1025))
            peer.send(bytes(1024))
            await until(lambda: len(source.messages()) == 1)
            clock.advance(60)
            peer.send(bytes(2000))
            peer.send(b"")
            await until(lambda: len(source.messages()) == 2)
        assert source.messages() == (b"", bytes(1024))
    assert [record.getMessage() for record in logs] == [
        "source results dropped a message of several parts, and only messages of one part are kept; 1 dropped so far",
        "source results dropped a message of 2000 bytes, above the limit of 1024; 3 dropped so far",
    ]


async def test_a_sender_of_large_messages_waits_for_a_busy_event_loop() -> None:
    with zmq.Context() as context, context.socket(zmq.XPUB) as sender:
        sender.linger, sender.sndhwm, sender.sndtimeo = 0, 1, 1000
        sender.setsockopt(zmq.XPUB_NODROP, 1)
        endpoint = f"tcp://127.0.0.1:{sender.bind_to_random_port('tcp://127.0.0.1')}"
        async with opened(endpoint, replace(DECLARED, max_messages=1000)) as source:
            await source.start()
            assert await asyncio.to_thread(sender.recv) == b"\x01"
            large = itertools.repeat(bytes(1 << 20), 200)
            with pytest.raises(zmq.Again):  # the source's queue, the kernel's and the sender's are full
                deque(map(sender.send, large))
            sender.sndtimeo = int(1000 * PATIENCE_S)
            await asyncio.to_thread(sender.send, b"last")
            await until(lambda: source.messages() == (b"last",))


async def test_one_turn_of_the_event_loop_reads_one_mib_and_the_next_turns_the_others() -> None:
    with zmq.Context() as context, context.socket(zmq.PUSH) as sender, context.socket(zmq.PULL) as receiver:
        sender.linger = 0
        sender.bind("inproc://messages")
        receiver.connect("inproc://messages")
        for _ in range(20):
            sender.send(bytes(600_000))
        turns: list[int] = []
        reader = SocketReader(receiver, lambda messages: turns.append(len(messages)))
        await until(lambda: sum(turns) == 20)
        reader.close()
    assert max(turns) == 2


async def test_of_a_message_of_many_parts_the_first_two_are_in_memory() -> None:
    with zmq.Context() as context, context.socket(zmq.PUSH) as sender, context.socket(zmq.PULL) as receiver:
        sender.linger = 0
        sender.bind("inproc://messages")
        receiver.connect("inproc://messages")
        sender.send_multipart([b"%d" % number for number in range(1000)])
        sender.send(b"next")
        turns: list[Sequence[Parts]] = []
        reader = SocketReader(receiver, turns.append)
        await until(lambda: any(turns) and turns[-1][-1:] == [[b"next"]])
        reader.close()
    assert [message for messages in turns for message in messages] == [[b"0", b"1"], [b"next"]]
    assert len(turns) > 10  # other tasks had their turns


async def test_a_message_above_16_mib_closes_the_connection_which_is_made_again(peer: ZmqPeer) -> None:
    async with subscribed(peer) as source:
        peer.send_large((16 << 20) + 1)
        assert await asyncio.to_thread(peer.receive) == [b"\x00"]
        await until_subscribed(peer)
        peer.send(b"later")
        await until(lambda: source.messages() == (b"later",))


async def test_a_publisher_that_starts_later_or_again_is_heard_and_the_past_is_kept(peer: ZmqPeer) -> None:
    peer.stop()
    with capture_logs() as logs:
        async with opened(peer.endpoint) as source:
            await source.start()
            assert not await is_available(source)
            for number in range(2):
                peer.start()
                await until_subscribed(peer)
                peer.send(b"%d" % number)
                await until_messages(source, number + 1)
                await source.check()
                peer.stop()
                while await is_available(source):  # noqa: ASYNC110 - see `until`
                    await asyncio.sleep(0)
                with pytest.raises(ZmqError, match=r"the connection was lost|nobody accepts connections"):
                    await source.check()
            assert source.messages() == (b"1", b"0")
    assert [record.levelno for record in logs] == [logging.WARNING, logging.INFO] * 2 + [logging.WARNING]


async def test_a_frozen_publisher_counts_as_lost_until_it_goes_on(
    peer: ZmqPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for option in (zmq.HEARTBEAT_IVL, zmq.HEARTBEAT_TIMEOUT):
        monkeypatch.setitem(connection._OPTIONS, option, connection._OPTIONS[option] // 5)
    async with subscribed(peer) as source:
        with capture_logs() as logs:
            with peer.frozen():
                await until(lambda: len(logs) == 1)
            assert not await is_available(source)
            assert await asyncio.to_thread(peer.receive) == [b"\x00"]
            await until_subscribed(peer)
        peer.send(b"later")
        await until(lambda: source.messages() == (b"later",))


@pytest.mark.parametrize("kind", ["SUB", "PUSH"])
async def test_a_socket_of_another_type_is_an_error_until_a_publisher_replaces_it(kind: str) -> None:
    with running(kind) as wrong, capture_logs() as logs:
        async with opened(wrong.endpoint) as source:
            await source.start()
            await until(lambda: len(logs) == 1)
            with pytest.raises(ZmqError, match="does not complete ZeroMQ's handshake; it must be a PUB socket"):
                await source.check()
            wrong.stop()
            with running("XPUB", endpoint=wrong.endpoint) as right:
                await until_subscribed(right)
                right.send(b"one")
                await until(lambda: source.messages() == (b"one",))


async def test_a_closed_source_has_its_messages_and_no_connection(peer: ZmqPeer) -> None:
    async with subscribed(peer) as source:
        peer.send(b"one")
        await until_messages(source, 1)
        await source.close()
        assert source.messages() == (b"one",)
        with pytest.raises(ZmqError, match="the source was closed"):
            await source.check()


async def test_every_replica_receives_every_message(peer: ZmqPeer) -> None:
    async with subscribed(peer) as one, opened(peer.endpoint) as other:
        await other.start()
        while not other.messages():  # the peer reports no second subscription to the same messages
            peer.send(b"result")
            await asyncio.to_thread(lambda: None)
        await until(lambda: bool(one.messages()))
        assert one.messages()[0] == b"result"
