"""Publishers of ZeroMQ against real sockets: order, bounds and failures of the peer."""

import asyncio
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

import pytest
import zmq

from tests.services.zmq import PATIENCE_S, ZmqPeer, digest, running
from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian
from tests.toolaccord.sources.test_outages import observed
from toolaccord.sources.zmq import ZmqError, ZmqPub, ZmqPubSource, connection
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.testing.socket_server import ConnectionHandler, SocketServer
from toolaccord.timing.clock import Clock, SystemClock

DECLARED = ZmqPubSource(name="guardian", endpoint="endpoint", timeout_s=PATIENCE_S, max_pending=1000)
ABSENCE = "nobody accepts connections at the endpoint; bind a SUB socket to it"


@asynccontextmanager
async def opened(endpoint: str, declared: ZmqPubSource = DECLARED, clock: Clock | None = None) -> AsyncIterator[ZmqPub]:
    source = declared.open({"endpoint": endpoint}, clock or SystemClock())
    try:
        yield source
    finally:
        await source.close()


@pytest.fixture
def peer() -> Iterator[ZmqPeer]:
    """A subscriber to messages that begin with a parenthesis."""
    with running("SUB", b"(") as peer:
        yield peer


@contextmanager
def logged(text: str, on_log: Callable[[], None] = lambda: None) -> Iterator[asyncio.Event]:
    """Yield an event that is set, after *on_log*, when a message with *text* is logged."""
    found = asyncio.Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if text in record.getMessage():
                on_log()
                found.set()

    listener, root = Listener(), logging.getLogger("toolaccord")
    before = root.level
    root.addHandler(listener)
    root.setLevel(logging.INFO)
    try:
        yield found
    finally:
        root.removeHandler(listener)
        root.setLevel(before)


async def receive(peer: ZmqPeer, count: int = 1) -> list[bytes]:
    """Return what *peer* received next, while the event loop goes on."""
    return await asyncio.wait_for(asyncio.to_thread(peer.receive, count), PATIENCE_S)


async def take_turns() -> None:
    """Let the event loop look at every descriptor."""
    for _ in range(5):
        await asyncio.sleep(0)


async def expire(publication: asyncio.Task[None], clock: ManualClock, seconds: float = DECLARED.timeout_s) -> str:
    """Let the time of *publication* pass; return its error."""
    await take_turns()
    clock.advance(seconds)
    with pytest.raises(ZmqError) as raised:
        await publication
    return str(raised.value)


async def test_the_ids_of_the_newest_thousand_messages_are_remembered_and_no_others(peer: ZmqPeer) -> None:
    async with opened(peer.endpoint) as source:
        for number in range(1001):
            await source.publish(b"(%d)" % number, message_id=str(number))
        await source.publish(b"(1)", message_id="1")  # the newest again
        await source.publish(b"(without an id)")
        await source.publish(b"(new)", message_id="new")
        assert [source.has_sent(each) for each in ("0", "1", "2", "3", "1000", "new", "never")] == [
            *(False, True, False, True, True, True, False)
        ]
        await receive(peer, 1004)


async def test_the_id_of_a_message_that_nobody_took_is_not_remembered() -> None:
    clock = ManualClock()
    async with opened("tcp://127.0.0.1:9", clock=clock) as source:
        sending = asyncio.create_task(source.publish(b"(lost)", message_id="lost"))
        await clock.wait_for_timer()
        clock.advance(PATIENCE_S)
        with pytest.raises(ZmqError):
            await sending
        assert not source.has_sent("lost")


async def test_a_message_reaches_the_subscriber(peer: ZmqPeer) -> None:
    async with opened(peer.endpoint) as source:
        assert source.kind == "zmq_pub"
        await source.publish(b"(one)")
        await source.publish(b"(two)")
        assert await receive(peer, 2) == [b"(one)", b"(two)"]


async def test_the_first_message_of_200_publishers_arrives(peer: ZmqPeer) -> None:
    for number in range(200):
        async with opened(peer.endpoint) as source:
            await source.publish(b"(%d)" % number)
        assert await receive(peer) == [b"(%d)" % number]


async def test_the_first_message_of_200_publishers_arrives_at_a_peer_that_starts_later(
    peer: ZmqPeer, tmp_path: Path
) -> None:
    for start in range(0, 200, 20):
        payloads = [b"(%d)" % number for number in range(start, start + 20)]
        endpoints = [f"ipc://{tmp_path}/{number}" for number in range(start, start + 20)]
        sources = [DECLARED.open({"endpoint": endpoint}, SystemClock()) for endpoint in endpoints]
        publishing = [
            asyncio.create_task(each.publish(payload)) for each, payload in zip(sources, payloads, strict=True)
        ]
        await take_turns()
        assert not any(each.done() for each in publishing)
        for endpoint in endpoints:
            await asyncio.to_thread(peer.bind, endpoint)
        await asyncio.gather(*publishing)
        assert sorted(await receive(peer, 20)) == sorted(payloads)
        await asyncio.gather(*(each.close() for each in sources))


async def test_a_publication_without_a_peer_fails_in_time_and_is_not_sent_later(peer: ZmqPeer) -> None:
    peer.stop()
    clock = ManualClock()
    with capture_logs() as logs:
        async with opened(peer.endpoint, clock=clock) as source:
            error = await expire(asyncio.create_task(source.publish(b"(early)")), clock)
            assert await expire(asyncio.create_task(source.check()), clock) == error
            peer.start()
            await source.publish(b"(late)")
            assert await receive(peer) == [b"(late)"]
            assert observed(Metrics(library.server(Librarian()), {"news": source})) == [1, 2]
    assert error == f"not sent within {DECLARED.timeout_s} s: {ABSENCE}"
    assert [record.getMessage() for record in logs] == [
        f"source guardian is unavailable: {ABSENCE}",
        "source guardian is available again",
    ]


@pytest.mark.parametrize("endpoint", ["", "tcp://", "inproc://guardian", "tcp://*:5559"])
async def test_an_invalid_endpoint_fails_each_request_at_once(endpoint: str) -> None:
    async with opened(endpoint) as source:
        for request in (source.start(), source.check(), source.publish(b"(")):
            with pytest.raises(ZmqError, match="the endpoint must "):
                await request


async def test_a_peer_is_found_at_its_address_of_ipv6() -> None:
    with running("SUB", b"(", endpoint="tcp://[::1]:*", ipv6=True) as peer:
        async with opened(peer.endpoint) as source:
            await source.publish(b"(one)")
            assert await receive(peer) == [b"(one)"]


async def test_a_host_name_finds_a_peer_of_ipv4(peer: ZmqPeer) -> None:
    async with opened(peer.endpoint.replace("127.0.0.1", "localhost")) as source:
        await source.publish(b"(one)")
        assert await receive(peer) == [b"(one)"]


async def test_a_restarted_peer_receives_later_messages(peer: ZmqPeer) -> None:
    async with opened(peer.endpoint) as source:
        for number in range(3):
            await source.publish(b"(%d)" % number)
            assert await receive(peer) == [b"(%d)" % number]
            with logged("the connection was lost") as lost:
                peer.stop()
                await asyncio.wait_for(lost.wait(), PATIENCE_S)
            publishing = asyncio.create_task(source.publish(b"(after %d)" % number))
            await take_turns()
            peer.start()
            await publishing
            assert await receive(peer) == [b"(after %d)" % number]


async def test_the_log_of_a_connection_has_nothing_of_the_call_that_made_it(peer: ZmqPeer) -> None:
    call, seen = ContextVar("call", default="none"), []
    with logged("the connection was lost", lambda: seen.append(call.get())) as lost:
        async with opened(peer.endpoint) as source:
            call.set("first")
            await source.publish(b"(one)")
            peer.stop()
            await asyncio.wait_for(lost.wait(), PATIENCE_S)
    assert seen == ["none"]


async def test_a_lost_connection_takes_its_subscriptions_with_it(peer: ZmqPeer) -> None:
    clock = ManualClock()
    async with opened(peer.endpoint, clock=clock) as source:
        await source.check()
        with logged("the connection was lost") as lost:
            peer.stop()
            await asyncio.wait_for(lost.wait(), PATIENCE_S)
        with running("SUB", b"other", endpoint=peer.endpoint) as other:
            await source.publish(b"other message")
            assert await receive(other) == [b"other message"]
            error = await expire(asyncio.create_task(source.publish(b"(one)")), clock)
    assert error.endswith("the peer does not subscribe to such messages; look at its subscriptions")


async def test_a_message_without_subscription_keeps_no_other_message_waiting(peer: ZmqPeer) -> None:
    clock = ManualClock()
    async with opened(peer.endpoint, clock=clock) as source:
        waiting = asyncio.create_task(source.publish(b"other"))
        await source.publish(b"(one)")
        assert await receive(peer) == [b"(one)"]
        assert (await expire(waiting, clock)).endswith(
            "the peer does not subscribe to such messages; look at its subscriptions"
        )


async def test_a_frozen_peer_is_an_error_until_it_goes_on(peer: ZmqPeer, monkeypatch: pytest.MonkeyPatch) -> None:
    for option in (zmq.HEARTBEAT_IVL, zmq.HEARTBEAT_TIMEOUT):
        monkeypatch.setitem(connection._OPTIONS, option, connection._OPTIONS[option] // 5)
    clock = ManualClock()
    async with opened(peer.endpoint, clock=clock) as source:
        await source.publish(b"(one)")
        with logged("the connection was lost") as lost, peer.frozen():
            await asyncio.wait_for(lost.wait(), PATIENCE_S)
            await expire(asyncio.create_task(source.publish(b"(two)")), clock)
        await source.publish(b"(three)")
        assert await receive(peer, 2) == [b"(one)", b"(three)"]


@pytest.mark.parametrize("kind", ["PUB", "PULL", "REP"])
async def test_a_socket_of_another_type_is_an_error_until_a_subscriber_replaces_it(kind: str) -> None:
    with running(kind) as wrong, logged("handshake") as failed:
        async with opened(wrong.endpoint) as source:
            publishing = asyncio.create_task(source.publish(b"(one)"))
            await asyncio.wait_for(failed.wait(), PATIENCE_S)
            wrong.stop()
            with running("SUB", b"(", endpoint=wrong.endpoint) as right:
                await publishing
                assert await receive(right) == [b"(one)"]


async def test_a_subscription_above_4_kib_ends_the_connection() -> None:
    with running("SUB", b"(" * 4097) as peer, logged("the connection was lost") as lost:
        async with opened(peer.endpoint, clock=ManualClock()) as source:
            checking = asyncio.create_task(source.check())
            await asyncio.wait_for(lost.wait(), PATIENCE_S)
            checking.cancel()


async def answer_as_http(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


async def subscribe_by_garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send what version 1 of the protocol takes for a subscription to each message."""
    writer.write(b"\x01\x00" + b"\x02\x00\x01" * 100)
    await reader.read(-1)


async def send_nothing(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read(-1)


@pytest.mark.parametrize("handle", [answer_as_http, subscribe_by_garbage, send_nothing])
async def test_a_program_other_than_zeromq_gets_no_message_and_may_be_replaced(handle: ConnectionHandler) -> None:
    greeted, clock, patient = asyncio.Event(), ManualClock(), replace(DECLARED, timeout_s=1e9)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        greeted.set()
        await handle(reader, writer)

    listener = socket.create_server(("127.0.0.1", 0))
    endpoint = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
    server = SocketServer(listener, serve)
    async with opened(endpoint, patient, clock) as source:
        publishing = asyncio.create_task(source.publish(b"(one)"))
        await asyncio.wait_for(greeted.wait(), PATIENCE_S)
        error = await expire(publishing, clock, patient.timeout_s)
        assert error.endswith("the peer does not complete ZeroMQ's handshake; it must be a SUB socket")
        await server.aclose()
        with running("SUB", b"(", endpoint=endpoint) as peer:
            publishing = asyncio.create_task(source.publish(b"(two)"))
            async with asyncio.timeout(PATIENCE_S):
                while not publishing.done():
                    clock.advance(1)  # libzmq may have given up
                    await asyncio.wait({publishing}, timeout=0.1)
            assert await receive(peer) == [b"(two)"]


async def test_a_slow_subscriber_gets_every_message_that_was_accepted_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connection._OPTIONS, zmq.HEARTBEAT_IVL, 0)
    clock = ManualClock()
    with running("SUB", b"(", reads=False) as peer:
        async with opened(peer.endpoint, replace(DECLARED, max_pending=4), clock) as source:
            accepted, error = await fill_queue(source, clock)
            assert error.endswith("the subscriber does not read, and 4 messages wait; look whether it hangs")
            waiting = [asyncio.create_task(source.publish(b"(%d)" % number)) for number in range(3)]
            await take_turns()
            peer.read()
            expected = [digest(large(number)) for number in range(accepted)]
            assert peer.receive(accepted) == expected  # the event loop stands still, so what waits is not sent
            await asyncio.gather(source.publish(b"(3)"), *waiting)
            assert await receive(peer, 4) == [b"(0)", b"(1)", b"(2)", b"(3)"]


def large(number: int) -> bytes:
    """Return a message of 256 KiB."""
    return b"(%d" % number + bytes(1 << 18)


async def fill_queue(source: ZmqPub, clock: ManualClock) -> tuple[int, str]:
    """Publish until an error; return how many messages were accepted, and the error."""
    for number in range(1000):
        publishing = asyncio.create_task(source.publish(large(number)))
        await asyncio.wait({publishing}, timeout=0.5)  # libzmq sends what the peer's system takes
        clock.advance(DECLARED.timeout_s)
        await asyncio.wait({publishing})
        if error := publishing.exception():
            return number, str(error)
    raise AssertionError("the queue has no limit")


async def test_messages_arrive_in_the_order_of_their_publications(peer: ZmqPeer) -> None:
    peer.stop()
    payloads = [b"(%d)" % number for number in range(500)]
    async with opened(peer.endpoint) as source:
        publishing = [asyncio.create_task(source.publish(payload)) for payload in payloads]
        await take_turns()
        peer.start()
        await asyncio.gather(*publishing, *(source.publish(payload) for payload in payloads))
        assert await receive(peer, 1000) == payloads * 2


async def test_publications_above_the_limit_fail_at_once() -> None:
    clock = ManualClock()
    async with opened("tcp://127.0.0.1:9", replace(DECLARED, max_pending=3), clock) as source:
        publishing = [asyncio.create_task(source.publish(b"(")) for _ in range(3)]
        await take_turns()
        with pytest.raises(ZmqError, match="3 publications wait already: nobody accepts connections"):
            await asyncio.wait_for(source.publish(b"("), PATIENCE_S)
        for each in publishing:
            await expire(each, clock)


async def test_a_cancelled_publication_that_waits_is_not_sent(peer: ZmqPeer) -> None:
    peer.stop()
    async with opened(peer.endpoint) as source:
        waiting = asyncio.create_task(source.publish(b"(cancelled)"))
        await take_turns()
        waiting.cancel()
        await asyncio.wait({waiting})
        peer.start()
        await source.publish(b"(one)")
        assert await receive(peer) == [b"(one)"]


async def test_a_subscriber_that_goes_while_a_message_is_sent_is_an_error(
    peer: ZmqPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = connection.ZmqConnection.send

    def send_late(self: connection.ZmqConnection, payload: bytes) -> bool:
        peer.stop()
        self._socket.poll()  # until libzmq has taken the subscription back
        return send(self, payload)

    async with opened(peer.endpoint) as source:
        await source.check()
        monkeypatch.setattr(connection.ZmqConnection, "send", send_late)
        with pytest.raises(ZmqError, match="the subscriber disconnected meanwhile; the message may have been sent"):
            await source.publish(b"(one)")


async def test_a_huge_message_arrives(peer: ZmqPeer) -> None:
    payload = b"(" + bytes(64 << 20)
    async with opened(peer.endpoint) as source:
        await source.publish(payload)
        assert await receive(peer) == [digest(payload)]


async def test_replicas_publish_to_one_peer(peer: ZmqPeer) -> None:
    async with opened(peer.endpoint) as one, opened(peer.endpoint) as other:
        await one.publish(b"(one)")
        await other.publish(b"(other)")
        assert sorted(await receive(peer, 2)) == [b"(one)", b"(other)"]


async def test_closing_sends_the_queue_and_fails_what_waits(peer: ZmqPeer) -> None:
    payloads = [b"(%d)" % number for number in range(100)]
    async with opened(peer.endpoint) as source:
        await asyncio.gather(*map(source.publish, payloads))
        waiting = asyncio.create_task(source.publish(b"other"))
        await take_turns()
        await source.close()
        for request in (waiting, source.publish(b"(late)"), source.check()):
            with pytest.raises(ZmqError, match="the source was closed"):
                await request
    assert await receive(peer, 100) == payloads


async def test_closing_ends_although_the_peer_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection._OPTIONS, zmq.HEARTBEAT_IVL, 0)  # a lost connection would end it too
    with running("SUB", b"(", reads=False) as peer, capture_logs() as logs:
        clock = ManualClock()
        async with opened(peer.endpoint, replace(DECLARED, max_pending=4), clock) as source:
            await fill_queue(source, clock)
        for ending in [each for each in threading.enumerate() if each.name == "close guardian"]:
            ending.join(PATIENCE_S)
            assert not ending.is_alive()
    assert logs == []


def test_a_process_ends_although_its_source_was_never_closed() -> None:
    ended = subprocess.run([sys.executable, "-c", LEFT_OPEN], capture_output=True, timeout=PATIENCE_S, check=True)
    assert ended.stdout == b"the end\n"


LEFT_OPEN = """
import asyncio

from toolaccord.sources.zmq import ZmqError, ZmqPubSource
from toolaccord.timing.clock import SystemClock


async def main():
    declared = ZmqPubSource(name="guardian", endpoint="endpoint", timeout_s=0.1, max_pending=10)
    try:
        await declared.open({"endpoint": "tcp://127.0.0.1:9"}, SystemClock()).publish(b"(")
    except ZmqError:
        print("the end")


asyncio.run(main())
"""


def test_a_process_without_free_descriptors_survives_and_connects_later() -> None:
    with running("SUB", b"") as peer:
        command = [sys.executable, "-c", FEW_DESCRIPTORS, peer.endpoint]
        ended = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=True, text=True)
        failures, last = ended.stdout.splitlines()[:-1], ended.stdout.splitlines()[-1]
        assert set(failures) == {"no socket: Too many open files; raise the limit of open files of this server"}
        assert last == "sent"
        assert peer.receive() == [b"(one)"]


FEW_DESCRIPTORS = """
import asyncio, os, resource, sys

from toolaccord.sources.zmq import ZmqError, ZmqPubSource, connection
from toolaccord.timing.clock import SystemClock


async def main():
    declared = ZmqPubSource(name="guardian", endpoint="endpoint", timeout_s=20, max_pending=10)
    source = declared.open({"endpoint": sys.argv[1]}, SystemClock())
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    "localhost".encode("idna")  # loads the codec
    free = os.dup(0)
    for limit in range(free, free + 30):
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
        try:
            await source.publish(b"(one)")
        except ZmqError as error:
            print(error)
        else:
            break
    print("sent")
    await source.close()


asyncio.run(main())
"""


def test_the_package_does_not_load_pyzmq() -> None:
    program = "import sys, toolaccord.sources.zmq; print('zmq' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"False\n"
