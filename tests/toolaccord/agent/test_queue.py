"""Workers and schedulers on a real NATS server, with clocks by hand and prepared calls."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, cast

import pytest
from nats.js import JetStreamContext
from nats.js.api import StreamConfig

from tests.services import nats as service
from tests.services.nats import NatsServer, delete_streams, jetstream
from tests.toolaccord.agent.test_requests import BOOK, Stage, pages
from tests.toolaccord.scripted_connection import settle
from toolaccord.agent.outcomes import Failed
from toolaccord.agent.queue.messages import MAX_ATTEMPTS, QueuedRequest, declare_queue
from toolaccord.agent.queue.metrics import QueueMetrics
from toolaccord.agent.queue.scheduler import Scheduler
from toolaccord.agent.queue.worker import Worker
from toolaccord.server.startup import StartError
from toolaccord.sources.nats import Nats, NatsError, NatsSource, QueuedMessage, WorkQueue, work_queue
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.clock import SystemClock

PATIENCE_S = 60
NATS = NatsSource(
    name="queue", url="url", connection_timeout_s=5, timeout_s=20, max_outstanding=100, max_pending_bytes=1 << 20
)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with service.running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture
async def streams(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    async with jetstream(server.url) as streams:
        yield streams
        await delete_streams(streams)


@pytest.fixture
async def nats(server: NatsServer, streams: JetStreamContext) -> AsyncIterator[Nats]:  # noqa: ARG001 - it cleans up
    source = NATS.open({"url": server.url}, SystemClock())
    yield source
    await source.close()


def timer_s(clock: ManualClock) -> float | None:
    """Return the seconds until the next timer; None without one."""
    times = [timer.expires_at for timer in clock._timers if not timer.cancelled]
    return min(times) - clock.monotonic() if times else None


async def advance_to_timer(clock: ManualClock) -> None:
    """Wait until something waits for *clock*, and let it go on."""
    await until(lambda: timer_s(clock) is not None)
    clock.advance(timer_s(clock) or 0)
    await settle()


class Site:
    """A worker or a scheduler at noon, and its queue."""

    def __init__(self, nats: Nats, streams: JetStreamContext, monkeypatch: pytest.MonkeyPatch, *outcomes: Any) -> None:
        self.stage = Stage(*outcomes)
        self.clock = self.stage.clock
        self.clock.advance((NOON - self.clock.now()).total_seconds())
        self.nats, self.streams = nats, streams
        self.stop = asyncio.Event()
        self.lines: list[Any] = []
        assert self.stage.agent.batch
        assert self.stage.agent.batch.queue
        self.batch, self.declared = self.stage.agent.batch, self.stage.agent.batch.queue
        self.metrics = QueueMetrics("scout_agent", self.stage.metrics.registry)
        self.worker = Worker(self.stage.agent, self.batch, self.queue(), self.stage.dependencies, self.metrics)
        monkeypatch.setattr(self.worker._lines, "write", self._write)

    async def _write(self, text: bytes) -> None:
        self.lines.append(json.loads(text))

    def queue(self) -> WorkQueue:
        return self.nats.work_queue(declare_queue(self.stage.agent, self.declared))

    async def put(self, *values: str, scheduled_at: datetime = NOON) -> None:
        """Enqueue *values* as a scheduler would."""
        await self.queue().open()
        for value in values:
            await self.put_text(QueuedRequest(value, scheduled_at).encode("book"))

    async def put_text(self, text: bytes) -> None:
        await self.nats.publish(self.declared.subject, text)

    async def work_until(self, is_enough: Callable[[], bool]) -> None:
        """Let the worker run until *is_enough*, then stop it and wait for its end."""
        running = asyncio.create_task(self.worker.work(self.stop))
        await until(is_enough, running)
        self.stop.set()
        await asyncio.wait_for(running, PATIENCE_S)

    async def state(self) -> tuple[int, int]:
        """Return how many messages the stream has, and how many of them a worker has."""
        consumer = await self.streams.consumer_info("BOOKS", "scout-agent")
        stream = await self.streams.stream_info("BOOKS")
        return stream.state.messages, consumer.num_ack_pending or 0

    def value(self, name: str) -> float | None:
        return self.stage.value(f"queue_{name}")


async def until(is_true: Callable[[], bool], running: asyncio.Task[Any] | None = None) -> None:
    """Wait until *is_true*; fail if *running* ends before."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_true():
            assert running is None or not running.done(), running
            await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
def short_pulls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let JetStream hold an empty pull for a moment only, for which a stop waits."""
    monkeypatch.setattr(work_queue, "_WAIT_S", 0.05)


@pytest.fixture
def site(nats: Nats, streams: JetStreamContext, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(nats, streams, monkeypatch, BOOK, pages(), BOOK, pages(), BOOK, pages(), BOOK, pages())


async def test_a_worker_writes_a_batch_of_one_for_each_message_and_removes_it(site: Site) -> None:
    await site.put("7", "no number")
    await site.work_until(lambda: len(site.lines) == 2)
    failed, found = sorted(site.lines, key=lambda line: float(line["success_rate"]))
    assert (found["successful"][0]["title"], found["success_rate"]) == ("get 7", 1)
    assert (failed["failed"][0]["error_type"], failed["success_rate"]) == ("INVALID_PARAMETERS", 0)
    assert sorted(site.stage.bus.published, key=str) == [
        ("findings", found["successful"][0]),
        ("losses", failed["failed"][0]),
    ]
    assert await site.state() == (0, 0)
    assert (site.value("given_up_total"), site.value("redelivered_total")) == (1, 0)
    assert site.stage.value("batch_success_rate") == 0.5


async def test_a_request_is_answered_for_the_time_for_which_it_was_scheduled(site: Site) -> None:
    scheduled_at = NOON - timedelta(seconds=20)
    await site.put("7", scheduled_at=scheduled_at)
    await site.work_until(lambda: bool(site.lines))
    digest = sha256(f"7 {scheduled_at.isoformat()}".encode()).hexdigest()
    assert site.stage.bus.markers == [f"toolaccord:event:findings:{digest}"], "a redelivery has the same id"


async def test_a_worker_takes_no_more_than_it_can_run_at_once(site: Site) -> None:
    site.stage.bus.gate.clear()
    await site.put("7", "7", "7")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: site.stage.value("queue_pending") == 1)
    assert await site.state() == (3, 2)
    site.stage.bus.gate.set()
    await until(lambda: len(site.lines) == 3)
    site.stop.set()
    await running


async def test_a_stopped_worker_finishes_what_it_has_and_takes_nothing_more(site: Site) -> None:
    site.stage.bus.gate.clear()
    await site.put("7", "7", "7")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: site.stage.value("queue_pending") == 1)
    site.stop.set()
    site.stage.bus.gate.set()
    await running
    assert len(site.lines) == 2
    assert await site.state() == (1, 0)


async def test_a_message_that_arrives_after_the_stop_is_given_back(site: Site) -> None:
    await site.queue().open()
    running = asyncio.create_task(site.worker.work(site.stop))
    async with asyncio.timeout(PATIENCE_S):
        while not (await site.streams.consumer_info("BOOKS", "scout-agent")).num_waiting:
            pass
    site.stop.set()
    await site.put("7")
    await running
    assert site.lines == []
    (message,) = await site.queue().pull(1)
    assert message.delivery == 2


async def test_an_abandoned_request_is_given_back_at_once(site: Site) -> None:
    site.stage.bus.gate.clear()
    await site.put("7")
    running = asyncio.create_task(site.worker.work(site.stop))
    async with asyncio.timeout(PATIENCE_S):
        while await site.state() != (1, 1):
            pass
    running.cancel()
    await asyncio.wait({running})
    (message,) = await site.queue().pull(1)
    assert message.delivery == 2


async def test_a_message_from_the_future_is_not_run_and_a_clock_may_be_a_little_ahead(site: Site) -> None:
    await site.put("7", scheduled_at=NOON + timedelta(seconds=site.declared.max_age_s + 1))
    await site.put("8", scheduled_at=NOON + timedelta(seconds=3))
    with capture_logs() as lines:
        await site.work_until(lambda: bool(site.lines and site.value("given_up_total")))
    assert "gave up a message whose time lies 121 s ahead" in [line.getMessage() for line in lines]
    assert len(site.lines) == 1
    assert {7} & {sent.arguments.get("id") for sent in site.stage.connection.sent} == set()
    assert await site.state() == (0, 0)


async def test_a_message_that_waited_too_long_is_not_run_and_published_as_failed(site: Site) -> None:
    await site.put("7", scheduled_at=NOON - timedelta(seconds=site.declared.max_age_s + 1))
    await site.work_until(lambda: bool(site.lines))
    (failure,) = site.lines[0]["failed"]
    assert (failure["error_type"], failure["error"]) == (
        "EXPIRED",
        "It waited for 121 s, and is not run after 120 s.",
    )
    assert site.stage.bus.published == [("losses", failure)]
    assert site.stage.connection.sent == []
    assert site.value("expired_total") == 1
    assert await site.state() == (0, 0)


async def test_a_starved_worker_publishes_an_event_for_each_message_that_expired(site: Site) -> None:
    books = [str(number) for number in range(50)]
    await site.put(*books, scheduled_at=NOON - timedelta(seconds=site.declared.max_age_s + 1))
    await site.work_until(lambda: len(site.lines) == len(books))
    assert sorted(payload["book"] for _, payload in site.stage.bus.published) == sorted(books)


@pytest.mark.parametrize(
    "text",
    [
        b"\xff",
        b"7",
        b'{"book": "7"}',
        b'{"book": 7, "scheduled_at": "2026-01-01T12:00:00Z"}',
        b'{"book": "7", "scheduled_at": "noon"}',
        b'{"book": "7", "scheduled_at": "2026-01-01T12:00:00"}',
        b'{"scheduled_at": "2026-01-01T12:00:00Z"}',
        b'{"book": "7", "scheduled_at": "0001-01-01T00:00:00+14:00"}',
    ],
)
async def test_a_message_that_is_no_request_is_removed_and_logged(site: Site, text: bytes) -> None:
    await site.queue().open()
    await site.put_text(text)
    with capture_logs() as logs:
        await site.work_until(lambda: site.value("given_up_total") == 1)
    assert logs[0].getMessage().startswith("gave up a message that is no request: ")
    assert await site.state() == (0, 0)


async def test_a_request_that_fails_for_a_passing_reason_is_run_again_after_a_pause(
    nats: Nats, streams: JetStreamContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(nats, streams, monkeypatch, {"code": "UNAVAILABLE"})
    await site.put("x7")
    monkeypatch.setattr(site.worker, "_requests", FailingOnce(site.worker._requests))
    with capture_logs() as logs:
        await site.work_until(lambda: bool(site.lines))
    assert any("is run again in 1 s" in line.getMessage() for line in logs)
    assert site.value("redelivered_total") == 1


class FailingOnce:
    """Requests of which the first fails for a passing reason."""

    def __init__(self, requests: Any) -> None:
        self._requests = requests
        self._has_failed = False

    async def run(self, arguments: Any, *, now: datetime) -> Any:
        """Return the outcome of a request."""
        if self._has_failed:
            return await self._requests.run(arguments, now=now)
        self._has_failed = True
        return Failed(error="The source did not answer.", error_type="RedisError", retryable=True)


async def test_a_result_whose_event_is_deferred_is_written_at_once_and_keeps_its_message_until_the_event_is_sent(
    site: Site,
) -> None:
    site.stage.bus.is_broken = True
    await site.put("7")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: bool(site.lines), running)
    (finding,) = site.lines[0]["deferred"]
    assert (finding["title"], site.lines[0]["success_rate"]) == ("get 7", 1)
    for _ in range(20):
        await advance_to_timer(site.clock)
        assert await site.state() == (1, 1)
    assert site.stage.bus.published == []
    site.stage.bus.is_broken = False
    while not site.stage.bus.published:
        await advance_to_timer(site.clock)
    site.stop.set()
    await asyncio.wait_for(running, PATIENCE_S)
    assert site.stage.bus.published == [("findings", finding)]
    assert await site.state() == (0, 0)
    assert site.stage.value("publications_total", event="found", outcome="published") == 1
    assert site.stage.value("publications_total", event="found", outcome="deferred") == 1


async def test_a_message_whose_worker_waits_for_a_source_goes_to_nobody_else(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    extended: list[int] = []
    queue = site.worker._queue
    extend = queue.extend

    async def count(message: QueuedMessage) -> None:
        await extend(message)
        extended.append(message.delivery)

    monkeypatch.setattr(queue, "extend", count)
    site.stage.bus.is_broken = True
    await site.put("7")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: bool(extended), running)
    start = site.clock.monotonic()
    while site.clock.monotonic() < start + 60:
        await advance_to_timer(site.clock)
        await site.state()  # the server has answered an extension before
    ack_wait_s = declare_queue(site.stage.agent, site.declared).ack_wait_s
    await until(lambda: len(extended) > 60 / ack_wait_s, running)
    running.cancel()
    await asyncio.wait({running})
    (message,) = await site.queue().pull(1)
    assert message.delivery == 2, "a stopped worker gives it back"


async def test_an_event_whose_source_stays_away_is_given_up_at_the_age_of_its_request(site: Site) -> None:
    site.stage.bus.is_broken = True
    await site.put("7")
    with capture_logs() as logs:
        running = asyncio.create_task(site.worker.work(site.stop))
        await until(lambda: bool(site.lines), running)  # else the clock could pass the deadline of the request
        while not site.stage.value("publications_total", event="found", outcome="expired"):
            await advance_to_timer(site.clock)
        late_s = (site.clock.now() - NOON).total_seconds() - site.declared.max_age_s
        assert 0 <= late_s < 10, "timers of the worker may go off meanwhile"
        site.stop.set()
        await asyncio.wait_for(running, PATIENCE_S)
    errors = [line.getMessage() for line in logs if line.levelname == "ERROR"]
    assert errors == ["the event found was not published, and is too old now: nobody answers"]
    assert await site.state() == (0, 0)


@pytest.mark.parametrize("attempts, age_s", [(MAX_ATTEMPTS - 1, 0), (0, 120)])
async def test_a_request_without_another_attempt_is_given_up(site: Site, attempts: int, age_s: int) -> None:
    await site.put("7", scheduled_at=NOON - timedelta(seconds=age_s))
    await deliver(site.queue(), attempts)
    site.worker._requests = FailingOnce(site.worker._requests)  # type: ignore[assignment]
    await site.work_until(lambda: bool(site.lines))
    assert site.lines[0]["failed"][0]["error_type"] == "RedisError"
    assert site.value("redelivered_total") == bool(attempts)
    assert await site.state() == (0, 0)


async def test_a_request_with_which_workers_died_is_published_as_failed(site: Site) -> None:
    await site.put("7")
    await deliver(site.queue(), MAX_ATTEMPTS)
    await site.work_until(lambda: bool(site.lines))
    (failure,) = site.lines[0]["failed"]
    assert failure["error_type"] == "ABANDONED"
    assert site.stage.bus.published == [("losses", failure)]
    assert len(site.stage.bus.markers) == 1, "a worker that dies after this publishes no second one"
    assert await site.state() == (0, 0)


async def deliver(queue: WorkQueue, times: int) -> None:
    """Take a message so often, and give it back each time."""
    for _ in range(times):
        (message,) = await queue.pull(1)
        await queue.nak(message)


async def test_a_fault_of_the_worker_leaves_the_message_for_another_attempt(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write(_text: bytes) -> None:
        raise RuntimeError

    monkeypatch.setattr(site.worker._lines, "write", write)
    await site.put("7")
    with capture_logs() as logs:
        await site.work_until(lambda: any(line.exc_info for line in logs))
    assert await site.state() == (1, 1)


async def test_a_worker_whose_results_nobody_takes_gives_back_what_it_has_and_ends(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write(_text: bytes) -> None:
        raise StartError("nobody reads")

    monkeypatch.setattr(site.worker._lines, "write", write)
    await site.put("7", "7", "7")
    with pytest.raises(StartError, match="nobody reads"):
        await asyncio.wait_for(site.worker.work(site.stop), PATIENCE_S)
    deliveries: list[int] = []
    async with asyncio.timeout(PATIENCE_S):
        while len(deliveries) < 3:
            deliveries += [message.delivery for message in await site.queue().pull(3)]
    assert sorted(deliveries) == [1, 2, 2]


async def test_a_worker_asks_a_queue_that_is_away_after_a_pause_only(site: Site, server: NatsServer) -> None:
    await site.put("7")
    attempts = 0
    opening = site.worker._queue.open

    async def count() -> None:
        nonlocal attempts
        attempts += 1
        await opening()

    site.worker._queue.open = count  # type: ignore[method-assign]
    server.kill()
    with capture_logs() as logs:
        running = asyncio.create_task(site.worker.work(site.stop))
        for expected in range(1, 5):
            await until(lambda: attempts == expected)  # noqa: B023 - the loop waits for it
            await advance_to_timer(site.clock)
        server.start()
        await advance_to_timer(site.clock)
        await until(lambda: bool(site.lines), running)
    warnings = [line.getMessage() for line in logs if line.name == "toolaccord.agent.queue.worker"]
    assert warnings[0].startswith("the queue does not answer, and is asked again until it does: ")
    assert warnings[1:] == ["the queue answers"]
    site.stop.set()
    await running


async def test_a_queue_that_does_not_fit_ends_the_worker(site: Site) -> None:
    await site.streams.add_stream(StreamConfig(name="BOOKS", subjects=["books.wanted"]))
    with pytest.raises(StartError, match="the stream BOOKS has the retention limits, and needs workqueue"):
        await site.worker.work(site.stop)


def scheduler(site: Site) -> Scheduler:
    return Scheduler(site.batch, site.nats, site.queue(), site.metrics, site.clock)


async def queued(site: Site) -> list[Any]:
    """Return the messages of the queue."""
    messages: list[Any] = []
    while taken := await site.queue().pull(1000):
        messages += [json.loads(message.payload) for message in taken]
    return messages


async def test_any_number_of_schedulers_enqueue_a_round_once(site: Site) -> None:
    values = [str(number) for number in range(1200)]
    site.clock.advance(17)
    with capture_logs() as logs:
        await asyncio.gather(*(scheduler(site).run(values, None, site.stop) for _ in range(3)))
    found = await queued(site)
    assert sorted((each["book"] for each in found), key=int) == values
    assert {each["scheduled_at"] for each in found} == {"2026-01-01T12:00:00Z"}
    assert site.value("enqueued_total") == 1200
    rounds = [line.fields for line in logs if line.getMessage() == "round"]  # type: ignore[attr-defined]
    assert sum(each["enqueued"] for each in rounds) == 1200
    assert sum(each["known"] for each in rounds) == 2400


async def test_each_round_has_the_time_at_which_it_was_due(site: Site) -> None:
    site.clock.advance(17)
    running = asyncio.create_task(scheduler(site).run(["7"], 60, site.stop))
    for count in range(1, 4):
        await until(lambda: site.value("enqueued_total") == count, running)  # noqa: B023 - see above
        await advance_to_timer(site.clock)
    site.stop.set()
    await running
    assert [each["scheduled_at"][11:] for each in await queued(site)][:3] == ["12:00:00Z", "12:01:00Z", "12:02:00Z"]


async def test_a_round_older_than_a_message_may_be_is_not_enqueued(site: Site) -> None:
    site.clock.advance(site.declared.max_age_s + 1)
    scheduling = scheduler(site)
    site.stop.set()
    running = asyncio.create_task(scheduling.run(["7"], 3600, asyncio.Event()))
    await until(lambda: timer_s(site.clock) is not None, running)
    running.cancel()
    await asyncio.wait({running})
    assert site.value("enqueued_total") == 0
    assert not scheduling.has_failed


async def test_a_scheduler_goes_on_when_the_queue_is_back_and_leaves_a_round_for_the_next(
    site: Site, server: NatsServer
) -> None:
    scheduling = scheduler(site)
    server.kill()
    with capture_logs() as logs:
        running = asyncio.create_task(scheduling.run(["7", "8"], 60, site.stop))
        while not scheduling.has_failed:
            await advance_to_timer(site.clock)
        assert (site.clock.now() - NOON).total_seconds() == pytest.approx(54, abs=1.5)
        server.start()
        cast("Any", site.nats).availability.connected()  # the clock of the source is not the one that this test moves
        await advance_to_timer(site.clock)
        await until(lambda: site.value("enqueued_total") == 2, running)
    assert any("2 requests of 2026-01-01T12:00:00+00:00 were not enqueued" in line.getMessage() for line in logs)
    site.stop.set()
    await running
    assert {each["scheduled_at"] for each in await queued(site)} == {"2026-01-01T12:01:00Z"}


async def test_an_attempt_ends_with_the_first_failure_so_that_a_dead_queue_costs_one_wait(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[bytes] = []

    async def publish(_subject: str, payload: bytes, *, message_id: str) -> bool:  # noqa: ARG001 - the interface
        attempts.append(payload)
        raise NatsError("nobody answers")

    scheduling = scheduler(site)
    monkeypatch.setattr(site.nats, "publish", publish)
    values = [str(number) for number in range(1200)]
    running = asyncio.create_task(scheduling.run(values, None, site.stop))
    await until(lambda: timer_s(site.clock) is not None, running)
    site.stop.set()
    await running
    assert len(attempts) == 500
    assert scheduling.has_failed


async def test_a_queue_that_does_not_fit_ends_the_scheduler(site: Site) -> None:
    await site.streams.add_stream(StreamConfig(name="BOOKS", subjects=["books.wanted"]))
    with pytest.raises(StartError, match="needs workqueue"):
        await scheduler(site).run(["7"], None, site.stop)


def test_a_messages_id_is_that_of_its_value_and_time_alone() -> None:
    request = QueuedRequest("7", NOON)
    assert request.message_id == QueuedRequest("7", NOON).message_id
    others = {replace(request, value="8").message_id, replace(request, scheduled_at=NOON + timedelta(1)).message_id}
    assert request.message_id not in others
    assert len(others) == 2
