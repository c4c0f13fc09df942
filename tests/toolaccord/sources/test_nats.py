"""NATS sources against a real server: requests, and every way in which the server can fail."""

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StreamConfig

from tests.services import nats as service
from tests.services.nats import NatsServer, jetstream
from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian
from tests.toolaccord.sources.test_outages import ask, lines, observed
from toolaccord.sources.breaker import LEAST_OUTCOMES
from toolaccord.sources.nats import Nats, NatsError, NatsSource
from toolaccord.sources.nats.api import LARGE_MESSAGE
from toolaccord.sources.nats.newest_messages import LEAST_SPARE, SPARE_PART
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import capture_logs
from toolaccord.testing.faults import Relay
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import SystemClock

DECLARED = NatsSource(
    name="stream",
    url="url",
    connection_timeout_s=5,
    timeout_s=5,
    max_outstanding=100,
    max_pending_bytes=1 << 20,
)
IMPATIENT = replace(DECLARED, connection_timeout_s=0.2, timeout_s=0.2)
LONG = timedelta(days=3650)
UNSTORED = "abandoned"
"""A subject of no stream; a frozen server may read such a message during the next test."""


@asynccontextmanager
async def opened(url: str, declared: NatsSource = DECLARED) -> AsyncIterator[Nats]:
    source = declared.open({"url": url}, SystemClock())
    try:
        yield source
    finally:
        await source.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A server of this module alone, to be stopped and frozen."""
    with service.running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture
async def streams(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    """The streams ORDERS and CLOSED, which does not allow direct access; both are empty."""
    async with jetstream(server.url) as streams:
        await streams.add_stream(StreamConfig(name="ORDERS", subjects=["orders.>"], allow_direct=True))
        await streams.add_stream(StreamConfig(name="CLOSED", subjects=["closed.>"], allow_direct=False))
        yield streams
        for name in ("ORDERS", "CLOSED"):
            await streams.delete_stream(name)


@pytest.fixture
async def stream(server: NatsServer, streams: JetStreamContext) -> AsyncIterator[Nats]:  # noqa: ARG001 - they are there
    async with opened(server.url) as source:
        yield source


@contextmanager
def reports(text: str) -> Iterator[asyncio.Event]:
    """An event that is set when the log has a line with *text*."""
    event, logger = asyncio.Event(), logging.getLogger("toolaccord.sources")

    class Reporting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if text in record.getMessage():
                event.set()

    handler = Reporting()
    logger.addHandler(handler)
    try:
        yield event
    finally:
        logger.removeHandler(handler)


async def payloads(stream: Nats, subject: str = "orders.new", limit: int = 100) -> list[bytes]:
    return [message.payload for message in (await stream.last_messages(subject, LONG, limit=limit)).messages]


async def test_a_published_message_is_stored_when_publish_returns(stream: Nats, streams: JetStreamContext) -> None:
    await stream.publish("orders.new", b"1")
    assert (await streams.stream_info("ORDERS")).state.messages == 1
    assert await payloads(stream) == [b"1"]


async def test_a_repeated_message_id_stores_the_message_once(stream: Nats) -> None:
    for _ in range(2):
        await stream.publish("orders.new", b"1", message_id="a")
    await stream.publish("orders.new", b"2", message_id="b")
    assert await payloads(stream) == [b"1", b"2"]


@pytest.mark.parametrize("size", [(1 << 20) - 40, 1 << 20])
async def test_a_message_that_is_too_large_with_its_headers_is_refused_and_the_connection_stays(
    stream: Nats, size: int
) -> None:
    with pytest.raises(NatsError) as raised:
        await stream.publish("orders.new", bytes(size))
    assert raised.value.reason == LARGE_MESSAGE
    assert not raised.value.is_outage
    await stream.publish("orders.new", bytes((1 << 20) - 100))
    assert [len(payload) for payload in await payloads(stream)] == [(1 << 20) - 100]


async def test_messages_come_in_order_and_once_and_of_their_subject_only(stream: Nats) -> None:
    for number in range(250):
        await stream.publish(f"orders.{'new' if number % 2 else 'old'}", b"%d" % number)
    assert await payloads(stream, limit=1000) == [b"%d" % number for number in range(1, 250, 2)]
    batch = await stream.last_messages("orders.new", LONG, limit=10)
    assert [message.payload for message in batch.messages] == [b"%d" % number for number in range(231, 250, 2)]
    assert batch.remaining == 115


def even(number: int) -> bool:
    return number % 3 == 0


def burst_at_the_start(number: int) -> bool:
    return number < 2000 or number % 500 == 0


def burst_at_the_end(number: int) -> bool:
    return number >= 4000 or number % 500 == 0


@pytest.mark.parametrize("wanted", [even, burst_at_the_start, burst_at_the_end], ids=lambda each: each.__name__)
@pytest.mark.parametrize("limit", [1, 7, 300])
async def test_a_read_from_the_end_costs_about_what_it_returns(
    stream: Nats, server: NatsServer, limit: int, wanted: Callable[[int], bool]
) -> None:
    async with jetstream(server.url) as other:
        for number in range(5000):
            await other._nc.publish(f"orders.{'new' if wanted(number) else 'old'}", b"%d" % number)
        await other.publish("orders.old", b"")  # acknowledged when all before it are stored
        requests = await other._nc.subscribe("$JS.API.DIRECT.GET.ORDERS")
        await other._nc.flush()
        batch = await stream.last_messages("orders.new", LONG, limit=limit)
        await other._nc.flush()
        counts = [json.loads((await requests.next_msg()).data)["batch"] for _ in range(requests.pending_msgs)]
    expected = [b"%d" % number for number in range(5000) if wanted(number)]
    assert [message.payload for message in batch.messages] == expected[-limit:]
    assert batch.remaining == len(expected) - limit
    assert len(counts) <= 20
    assert counts[:-1] == [1] * (len(counts) - 1)
    assert counts[-1] <= limit + max(LEAST_SPARE, limit // SPARE_PART)


async def test_a_message_without_others_after_it_is_found_among_many_of_other_subjects(stream: Nats) -> None:
    for number in range(20):
        await stream.publish("orders.new" if number < 10 else "orders.old", b"%d" % number)
    batch = await stream.last_messages("orders.new", LONG, limit=1)
    assert ([message.payload for message in batch.messages], batch.remaining) == ([b"9"], 9)


@pytest.mark.usefixtures("streams")
async def test_a_batch_ends_near_the_limit_of_bytes(server: NatsServer) -> None:
    async with opened(server.url, replace(DECLARED, max_response_bytes=10_000)) as stream:
        for _ in range(30):
            await stream.publish("orders.new", bytes(1000))
        batch = await stream.last_messages("orders.new", LONG, limit=1000)
        assert 5 <= len(batch.messages) <= 11
        assert len(batch.messages) + batch.remaining == 30
        await stream.publish("orders.new", b"newest")
        await stream.publish("orders.large", bytes(20_000))
        assert (await stream.last_messages("orders.new", LONG, limit=1000)).messages[-1].payload == b"newest"
        assert [len(each) for each in await payloads(stream, "orders.large")] == [20_000]


async def test_messages_before_the_lookback_are_left_out(stream: Nats) -> None:
    await stream.publish("orders.new", b"1")
    assert await payloads(stream, "orders.new") == [b"1"]
    assert (await stream.last_messages("orders.new", timedelta(0), limit=10)).messages == []


async def test_a_publishers_own_status_header_ends_no_batch(stream: Nats, streams: JetStreamContext) -> None:
    await streams.publish("orders.status", b"1", headers={"Status": "204"})
    await stream.publish("orders.status", b"2")
    assert await payloads(stream, "orders.status") == [b"1", b"2"]


@pytest.mark.usefixtures("streams")
@pytest.mark.parametrize("headers", [None, {"Nats-Sequence": "first"}, {"Status": "204"}])
async def test_a_malformed_batch_is_not_from_jetstream(
    stream: Nats, server: NatsServer, headers: dict[str, str] | None
) -> None:
    async with jetstream(server.url) as other:
        # JetStream itself does not answer for a stream without direct access.
        subscription = await other._nc.subscribe("$JS.API.DIRECT.GET.CLOSED")
        await other._nc.flush()
        reading = asyncio.create_task(payloads(stream, "closed.new"))
        request = await subscription.next_msg()
        await other._nc.publish(request.reply, b"{}", headers=headers)
        with pytest.raises(NatsError, match="somebody other than JetStream answers"):
            await reading


async def test_reading_creates_no_consumer(stream: Nats, streams: JetStreamContext) -> None:
    await stream.publish("orders.new", b"1")
    await payloads(stream)
    assert (await streams.account_info()).consumers == 0


async def test_an_empty_subject_has_no_messages(stream: Nats) -> None:
    assert await payloads(stream, "orders.none") == []


@pytest.mark.parametrize(
    "subject, message",
    [
        ("unknown.subject", "no stream has this subject"),
        ("closed.new", "the stream does not allow direct access"),
    ],
)
async def test_an_unreadable_subject_is_named(stream: Nats, subject: str, message: str) -> None:
    with pytest.raises(NatsError, match=message):
        await payloads(stream, subject)


async def test_a_subject_without_a_stream_cannot_be_published_to(stream: Nats) -> None:
    with pytest.raises(NatsError, match="NoRespondersError"):
        await stream.publish("unknown.subject", b"1")
    with pytest.raises(NatsError, match="BadSubjectError"):
        await stream.publish("orders.new\r\nPUB orders.new 1", b"1")


class Responder:
    """A connection on which somebody else answers every request."""

    is_connected = True
    pending_data_size = 0
    max_payload = 1 << 20

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    async def request(self, *_arguments: Any, **_options: Any) -> Any:
        return SimpleNamespace(data=self._answer)


@pytest.mark.parametrize("answer", [b"ok", b"[]", b"{}", b'{"status": "ok"}', b'{"error": "no"}'])
async def test_somebody_else_who_answers_is_not_jetstream(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    async def acquire(_connection: Any) -> Any:
        return Responder(answer), asyncio.get_running_loop().create_future()

    monkeypatch.setattr("toolaccord.sources.nats.connection.NatsConnection.acquire", acquire)
    async with opened("nats://127.0.0.1:1") as stream:
        with pytest.raises(NatsError, match="somebody other than JetStream answers"):
            await stream.publish("risk.alerts", b"1")


@pytest.mark.parametrize("limit", [StreamConfig(max_msgs=1), StreamConfig(max_bytes=200)])
async def test_a_full_stream_rejects_a_message_by_code(
    stream: Nats, streams: JetStreamContext, limit: StreamConfig
) -> None:
    await streams.add_stream(limit.evolve(name="FULL", subjects=["full"], discard=DiscardPolicy.NEW))
    try:
        await stream.publish("full", bytes(10))
        with pytest.raises(NatsError, match="maximum") as raised:
            await stream.publish("full", bytes(120))
        assert raised.value.code == 10077
    finally:
        await streams.delete_stream("FULL")


async def test_a_message_above_the_servers_limit_is_rejected(stream: Nats) -> None:
    with pytest.raises(NatsError, match="would wait"):
        await stream.publish("orders.new", bytes((1 << 20) + 1))
    await stream.publish("orders.new", b"1")


async def test_a_refused_connection_fails_and_the_next_call_finds_the_server(tmp_path: Path) -> None:
    with service.running(tmp_path) as server:
        async with opened(server.url) as stream:
            server.stop()
            for _ in range(3):
                with pytest.raises(NatsError, match="no connection: ConnectionRefusedError"):
                    await stream.check()
            server.start()
            await stream.check()


@pytest.mark.usefixtures("streams")
async def test_a_restarted_server_is_found_by_the_next_call(server: NatsServer) -> None:
    async with opened(server.url) as stream:
        await stream.publish("orders.new", b"1")
        server.kill()
        with pytest.raises(NatsError, match="no connection"):
            await stream.publish("orders.new", b"lost")
        server.start()
        await stream.publish("orders.new", b"2")
        assert await payloads(stream) == [b"1", b"2"]


@pytest.mark.usefixtures("streams")
async def test_a_request_whose_connection_is_lost_is_sent_again_and_stored_once(server: NatsServer) -> None:
    async with opened(server.url) as stream:
        await stream.check()
        server.kill()
        server.start()
        for number in (b"1", b"2"):  # the loss of the connection is not noticed yet
            await stream.publish("orders.new", number)
        server.kill()
        server.start()
        assert await payloads(stream) == [b"1", b"2"]


@pytest.mark.usefixtures("streams")
async def test_an_answer_that_a_lost_connection_swallowed_stores_the_message_once(server: NatsServer) -> None:
    async with (
        Relay(server.url).running() as relay,
        opened(relay.url) as stream,
        opened(server.url) as direct,
    ):
        await stream.check()
        relay.delay_s = 60
        publishing = asyncio.create_task(stream.publish("orders.new", b"1"))
        while not await payloads(direct):
            continue  # it is on its way
        relay.delay_s = 0
        relay.reset()
        await publishing
        assert await payloads(direct) == [b"1"]


@pytest.mark.usefixtures("streams")
async def test_a_read_that_is_cancelled_or_too_slow_leaves_no_consumer(
    server: NatsServer, streams: JetStreamContext
) -> None:
    async with opened(server.url, IMPATIENT) as stream:
        await stream.publish("orders.new", b"1")
        with server.frozen():
            with pytest.raises(NatsError, match="no answer"):
                await payloads(stream)
            reading = asyncio.create_task(payloads(stream))
            await asyncio.sleep(0)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
        assert (await streams.account_info()).consumers == 0


@pytest.mark.usefixtures("streams")
async def test_a_connection_is_made_again_without_a_call(server: NatsServer) -> None:
    with capture_logs() as logs, reports("is available again") as reported:
        async with opened(server.url) as stream:
            await stream.check()
            server.kill()
            server.start()
            await asyncio.wait_for(reported.wait(), 60)
    assert len([record for record in logs if "is unavailable" in record.getMessage()]) == 1


@pytest.mark.usefixtures("streams")
async def test_a_frozen_server_is_an_outage_until_it_answers(server: NatsServer) -> None:
    async with opened(server.url, replace(DECLARED, timeout_s=2)) as stream:
        metrics = Metrics(library.server(Librarian()), {"news": stream})
        read = partial(payloads, stream)
        assert (await ask(read)).code is None
        with capture_logs() as records:
            with server.frozen():
                answers = await asyncio.gather(ask(read), ask(read))
                assert {answer.code for answer in answers} == {"SHELF_GONE"}
                assert observed(metrics) == [0, 2]
            assert (await ask(read)).code is None
            assert observed(metrics) == [1, 2]
    (down, back) = lines(records)
    assert down[0] == "WARNING"
    assert down[1].startswith("source stream is unavailable: no answer")
    assert back == ("INFO", "source stream is available again")


@pytest.mark.usefixtures("streams")
async def test_a_frozen_server_fails_calls_in_time_and_the_next_call_succeeds(server: NatsServer) -> None:
    async with opened(server.url, IMPATIENT) as stream:
        await stream.publish("orders.new", b"1")
        with server.frozen():
            for call in (stream.publish(UNSTORED, b"late"), stream.check(), payloads(stream)):
                with pytest.raises(NatsError, match=r"no answer within 0\.2 s"):
                    await call
        async with opened(server.url) as patient:
            await patient.publish("orders.new", b"2")
        assert (await payloads(stream))[-1] == b"2"


async def test_a_frozen_server_is_not_connected_to(server: NatsServer) -> None:
    async with opened(server.url, IMPATIENT) as stream:
        with server.frozen(), pytest.raises(NatsError, match=r"no (connection: no )?answer within 0\.2 s"):
            await stream.check()
        await stream.check()


@pytest.mark.usefixtures("streams")
async def test_a_slow_server_fails_only_calls_that_take_too_long(server: NatsServer) -> None:
    async with Relay(server.url).running() as relay:
        async with opened(relay.url, IMPATIENT) as stream:
            await stream.publish("orders.new", b"1")
            relay.delay_s = 1
            with pytest.raises(NatsError, match=r"no answer within 0\.2 s"):
                await stream.publish("orders.new", b"2")
            relay.delay_s = 0
        async with opened(server.url) as direct:
            assert await payloads(direct) == [b"1", b"2"]


@pytest.mark.usefixtures("streams")
async def test_bytes_for_a_server_that_does_not_read_are_bounded(server: NatsServer) -> None:
    limit = 1 << 20
    async with opened(server.url, replace(IMPATIENT, max_pending_bytes=limit, timeout_s=0.05)) as stream:
        async with opened(server.url) as patient:
            await patient.check()
        await stream.check()
        messages = list[str]()
        with server.frozen():
            for _ in range(LEAST_OUTCOMES - 1):  # the circuit stays closed
                with pytest.raises(NatsError) as raised:
                    await stream.publish(UNSTORED, bytes(limit // 2))
                messages.append(str(raised.value))
            client = stream.jetstream._connection.client  # type: ignore[attr-defined]
            assert client.pending_data_size <= limit
        assert "would wait for a server that does not read" in messages[-1]


@pytest.mark.usefixtures("streams")
async def test_publications_above_the_limit_wait_for_an_acknowledgement(server: NatsServer) -> None:
    async with opened(server.url, replace(DECLARED, max_outstanding=3)) as stream:
        await stream.check()
        publishing = [asyncio.create_task(stream.publish("orders.new", b"%d" % number)) for number in range(50)]
        client = stream.jetstream._connection.client  # type: ignore[attr-defined]
        most = 0
        while not all(task.done() for task in publishing):
            most = max(most, len(client._resp_map))
            await asyncio.sleep(0)
        assert most == 3
        assert sorted(await payloads(stream)) == sorted(b"%d" % number for number in range(50))


@pytest.mark.usefixtures("streams")
async def test_closing_ends_a_connection_with_work_outstanding(server: NatsServer) -> None:
    async with opened(server.url, IMPATIENT) as stream:
        await stream.check()
        with server.frozen():
            publishing = asyncio.create_task(stream.publish(UNSTORED, bytes(1 << 19)))
            await asyncio.sleep(0)
            await stream.close()
            with pytest.raises(NatsError):
                await publishing


async def test_a_cancelled_publication_ends_at_once(server: NatsServer, stream: Nats) -> None:
    await stream.check()
    with server.frozen():
        publishing = asyncio.create_task(stream.publish(UNSTORED, b"1"))
        await asyncio.sleep(0)
        publishing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await publishing
    await stream.publish("orders.new", b"2")
    assert (await payloads(stream))[-1] == b"2"


@pytest.mark.parametrize(
    "options, credentials", [(("--user", "a b", "--pass", "p@:s"), "a%20b:p%40%3As"), (("--auth", "t/k"), "t%2Fk")]
)
async def test_credentials_are_decoded_and_never_logged(
    tmp_path: Path, options: tuple[str, ...], credentials: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with service.running(tmp_path, *options) as server, capture_logs(logging.DEBUG) as logs:
        address = server.url.removeprefix("nats://")
        async with opened(f"nats://{credentials}@{address}", replace(DECLARED, timeout_s=1)) as stream:
            await stream.check()
            server.kill()
            with pytest.raises(NatsError) as raised:
                await stream.check()
        server.start()
        async with opened(f"nats://wrong:{credentials.replace(':', '')}@{address}") as stream:
            with pytest.raises(NatsError, match="Authorization Violation"):
                await stream.check()
    texts = "".join(record.getMessage() for record in logs) + str(raised.value)
    assert "connection" in texts
    for secret in ("p@:s", "p%40%3As", "t/k", "t%2Fk"):
        assert secret not in texts
    assert capfd.readouterr().out == ""


async def test_credentials_are_not_sent_to_a_tls_address_without_tls() -> None:
    received = bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"server_id":"x","version":"2.11.0","max_payload":1048576}\r\n')
        while data := await reader.read(1 << 16):
            received.extend(data)

    listener = socket.create_server(("127.0.0.1", 0))
    address = f"tls://user:secret@127.0.0.1:{listener.getsockname()[1]}"
    async with aclosing(SocketServer(listener, serve)), opened(address) as stream:
        with pytest.raises(NatsError, match="SecureConnRequiredError"):
            await stream.check()
    assert received == b""


async def test_the_second_server_of_an_address_is_used_while_the_first_is_away(server: NatsServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    async with opened(f"nats://127.0.0.1:{port},127.0.0.1:{urlsplit(server.url).port}") as stream:
        await stream.check()
