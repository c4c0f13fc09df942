"""Runs and schedules of a queue in memory, with clocks by hand and prepared calls."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from tests.toolaccord.agent.test_requests import BOOK, Stage, pages
from tests.toolaccord.scripted_connection import settle
from toolaccord.agent.outcomes import Failed
from toolaccord.agent.queue.metrics import QueueMetrics
from toolaccord.agent.queue.requests import QueuedRequest, declare_queue
from toolaccord.agent.queue.runner import MAX_ATTEMPTS, QueueRunner
from toolaccord.agent.queue.scheduler import Scheduler
from toolaccord.errors import SourceError
from toolaccord.server.startup import StartError
from toolaccord.sources.nats import NatsError, QueueMismatch
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.store import QueueFull
from toolaccord.tasks.task import Task, TaskKey
from toolaccord.tasks.worker import TaskWorker
from toolaccord.testing import ManualClock, capture_logs

PATIENCE_S = 60
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


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

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *outcomes: Any) -> None:
        self.stage = Stage(*outcomes)
        self.clock = self.stage.clock
        self.clock.advance((NOON - self.clock.now()).total_seconds())
        self.stop = asyncio.Event()
        self.lines: list[Any] = []
        assert self.stage.agent.batch
        assert self.stage.agent.batch.queue
        self.batch, self.declared = self.stage.agent.batch, self.stage.agent.batch.queue
        self.queue = declare_queue(self.stage.agent, self.declared)
        self.store = MemoryStore(self.clock)
        self.failures: list[SourceError] = []
        self.records = TaskRecords(self.store, (self.queue,), self.clock, self.failures.append)
        self.metrics = QueueMetrics("scout_agent", self.stage.metrics.registry)
        self.faults: list[StartError] = []
        agent, dependencies = self.stage.agent, self.stage.dependencies
        self.runner = QueueRunner(agent, self.batch, dependencies, self.metrics, self.faults.append)
        self.worker = TaskWorker(self.records, self.queue, self.runner.rules, self.runner, self.metrics)
        monkeypatch.setattr(self.runner._lines, "write", self._write)

    async def _write(self, text: bytes) -> None:
        self.lines.append(json.loads(text))

    async def put(self, *values: str, scheduled_at: datetime = NOON, **members: Any) -> None:
        """Enqueue *values* as a scheduler would, perhaps after a history that *members* tell."""
        for value in values:
            task = QueuedRequest(value, scheduled_at).make_task("book", self.queue, self.clock.now())
            assert await self.records.create(replace(task, **members))

    async def work_until(self, is_enough: Callable[[], bool]) -> None:
        """Let the worker run until *is_enough*, then stop it and wait for its end."""
        running = asyncio.create_task(self.worker.work(self.stop))
        await until(is_enough, running)
        self.stop.set()
        while not running.done():  # its look for a task takes a second
            await advance_to_timer(self.clock)
        running.result()

    async def tasks(self) -> list[Task]:
        """Return the tasks of all requests, the oldest first."""
        return [*reversed(await self.records.list("scheduler", 10_000))]

    async def statuses(self) -> list[str]:
        return [task.status for task in await self.tasks()]

    def value(self, name: str) -> float | None:
        return self.stage.value(f"queue_{name}")


async def until(is_true: Callable[[], bool], running: asyncio.Task[Any] | None = None) -> None:
    """Wait until *is_true*; fail if *running* ends before."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_true():
            assert running is None or not running.done(), running
            await asyncio.sleep(0.001)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(monkeypatch, BOOK, pages(), BOOK, pages(), BOOK, pages(), BOOK, pages())


async def test_a_worker_writes_a_batch_of_one_for_each_request_and_ends_its_task(site: Site) -> None:
    await site.put("7", "no number")
    await site.work_until(lambda: len(site.lines) == 2)
    failed, found = sorted(site.lines, key=lambda line: float(line["success_rate"]))
    assert (found["successful"][0]["title"], found["success_rate"]) == ("get 7", 1)
    assert (failed["failed"][0]["error_type"], failed["success_rate"]) == ("INVALID_PARAMETERS", 0)
    assert sorted(site.stage.bus.published, key=str) == [
        ("findings", found["successful"][0]),
        ("losses", failed["failed"][0]),
    ]
    assert await site.statuses() == ["completed", "failed"]
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
    await site.put("7", "8", "9")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: site.stage.value("requests_in_flight") == 2, running)
    assert await site.store.count_waiting(site.queue) == 1
    await advance_to_timer(site.clock)
    await until(lambda: site.value("pending") == 1, running)
    site.stage.bus.gate.set()
    await until(lambda: len(site.lines) == 3, running)
    running.cancel()
    await asyncio.wait({running})


async def test_a_stopped_worker_finishes_what_it_has_and_takes_nothing_more(site: Site) -> None:
    site.stage.bus.gate.clear()
    await site.put("7", "8", "9")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: site.stage.value("requests_in_flight") == 2, running)
    site.stop.set()
    site.stage.bus.gate.set()
    await running
    assert len(site.lines) == 2
    assert sorted(await site.statuses()) == ["completed", "completed", "working"]


async def test_an_abandoned_request_is_given_back_at_once(site: Site) -> None:
    site.stage.bus.gate.clear()
    await site.put("7")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: site.stage.value("requests_in_flight") == 1, running)
    running.cancel()
    await asyncio.wait({running})
    (task,) = await site.tasks()
    assert (task.status, task.is_running, task.crashes) == ("working", False, 0)
    assert await site.store.count_waiting(site.queue) == 1


async def test_a_request_from_the_future_is_not_run_and_a_clock_may_be_a_little_ahead(site: Site) -> None:
    await site.put("7", scheduled_at=NOON + timedelta(seconds=site.declared.max_age_s + 1))
    await site.put("8", scheduled_at=NOON + timedelta(seconds=3))
    with capture_logs() as lines:
        await site.work_until(lambda: bool(site.lines and site.value("given_up_total")))
    assert "gave up a request whose time lies 121 s ahead" in [line.getMessage() for line in lines]
    assert len(site.lines) == 1
    assert {7} & {sent.arguments.get("id") for sent in site.stage.connection.sent} == set()
    assert await site.statuses() == ["failed", "completed"]


async def test_a_request_that_waited_too_long_is_not_run_and_published_as_failed(site: Site) -> None:
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
    assert await site.statuses() == ["failed"]


async def test_a_starved_worker_publishes_an_event_for_each_request_that_expired(site: Site) -> None:
    books = [str(number) for number in range(50)]
    await site.put(*books, scheduled_at=NOON - timedelta(seconds=site.declared.max_age_s + 1))
    await site.work_until(lambda: len(site.lines) == len(books))
    assert sorted(payload["book"] for _, payload in site.stage.bus.published) == sorted(books)


async def test_a_request_that_fails_for_a_passing_reason_is_run_again_after_a_pause(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.put("7")
    monkeypatch.setattr(site.runner, "_requests", FailingOnce(site.runner._requests))
    with capture_logs() as logs:
        running = asyncio.create_task(site.worker.work(site.stop))
        while not site.lines:
            await advance_to_timer(site.clock)
    running.cancel()
    await asyncio.wait({running})
    assert (site.clock.now() - NOON).total_seconds() >= 1
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


async def test_a_result_whose_event_is_deferred_is_written_at_once_and_keeps_its_task_until_the_event_is_sent(
    site: Site,
) -> None:
    site.stage.bus.is_broken = True
    await site.put("7")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: bool(site.lines), running)
    (finding,) = site.lines[0]["deferred"]
    assert (finding["title"], site.lines[0]["success_rate"]) == ("get 7", 1)
    start = site.clock.monotonic()
    while site.clock.monotonic() < start + 4 * site.queue.lease_s:
        await advance_to_timer(site.clock)
        (task,) = await site.tasks()
        assert (task.status, task.attempt, task.is_running) == ("working", 1, True)
        assert await site.store.count_waiting(site.queue) == 0, "its lease is kept"
    assert site.stage.bus.published == []
    site.stage.bus.is_broken = False
    while not site.stage.bus.published:
        await advance_to_timer(site.clock)
    site.stop.set()
    while not running.done():
        await advance_to_timer(site.clock)
    assert site.stage.bus.published == [("findings", finding)]
    assert await site.statuses() == ["completed"]
    assert site.stage.value("publications_total", event="found", outcome="published") == 1
    assert site.stage.value("publications_total", event="found", outcome="deferred") == 1


async def test_a_worker_that_waits_for_a_source_gives_its_task_back_at_its_end(site: Site) -> None:
    site.stage.bus.is_broken = True
    await site.put("7")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: bool(site.lines), running)
    running.cancel()
    await asyncio.wait({running})
    assert await site.store.count_waiting(site.queue) == 1


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
        while not running.done():
            await advance_to_timer(site.clock)
    errors = [line.getMessage() for line in logs if line.levelname == "ERROR"]
    assert errors == ["the event found was not published, and is too old now: nobody answers"]
    assert await site.statuses() == ["completed"]


@pytest.mark.parametrize("attempts, age_s", [(MAX_ATTEMPTS - 1, 0), (0, 120)])
async def test_a_request_without_another_attempt_is_given_up(site: Site, attempts: int, age_s: int) -> None:
    await site.put("7", scheduled_at=NOON - timedelta(seconds=age_s), attempt=attempts)
    site.runner._requests = FailingOnce(site.runner._requests)  # type: ignore[assignment]
    await site.work_until(lambda: bool(site.lines))
    assert site.lines[0]["failed"][0]["error_type"] == "RedisError"
    assert site.value("redelivered_total") == bool(attempts)
    assert await site.statuses() == ["failed"]


async def test_a_request_with_which_workers_died_is_published_as_failed(site: Site) -> None:
    await site.put("7", is_running=True, attempt=MAX_ATTEMPTS, crashes=MAX_ATTEMPTS - 1)
    await site.work_until(lambda: bool(site.lines))
    (failure,) = site.lines[0]["failed"]
    assert failure["error_type"] == "ABANDONED"
    assert site.stage.bus.published == [("losses", failure)]
    assert len(site.stage.bus.markers) == 1, "a worker that dies after this publishes no second one"
    assert await site.statuses() == ["failed"]


async def test_a_fault_of_the_worker_leaves_the_request_for_another_attempt(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write(_text: bytes) -> None:
        raise RuntimeError

    monkeypatch.setattr(site.runner._lines, "write", write)
    await site.put("7")
    with capture_logs() as logs:
        await site.work_until(lambda: any(line.exc_info for line in logs))
    (task,) = await site.tasks()
    assert (task.status, task.is_running, task.message) == ("working", False, "The worker failed.")


async def test_a_worker_whose_results_nobody_takes_gives_back_what_it_has(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write(_text: bytes) -> None:
        raise StartError("nobody reads")

    monkeypatch.setattr(site.runner._lines, "write", write)
    await site.put("7", "8", "9")
    running = asyncio.create_task(site.worker.work(site.stop))
    await until(lambda: len(site.faults) == 2, running)
    running.cancel()
    await asyncio.wait({running})
    assert [(task.status, task.is_running) for task in await site.tasks()] == [("working", False)] * 3
    assert await site.store.count_waiting(site.queue) == 3


def scheduler(site: Site) -> Scheduler:
    return Scheduler(site.batch, site.records, site.metrics)


async def queued(site: Site) -> list[Any]:
    """Return the work of the queue."""
    return [task.work for task in await site.tasks()]


async def test_any_number_of_schedulers_enqueue_a_round_once(site: Site) -> None:
    values = [str(number) for number in range(1200)]
    site.clock.advance(17)
    with capture_logs() as logs:
        await asyncio.gather(*(scheduler(site).run(values, None, site.stop) for _ in range(3)))
    found = await queued(site)
    assert [each["book"] for each in found] == values
    assert {each["scheduled_at"] for each in found} == {"2026-01-01T12:00:00Z"}
    assert site.value("enqueued_total") == 1200
    rounds = [line.fields for line in logs if line.getMessage() == "round"]  # type: ignore[attr-defined]
    assert sum(each["enqueued"] for each in rounds) == 1200
    assert sum(each["known"] for each in rounds) == 2400


async def test_a_request_that_has_ended_is_not_enqueued_again(site: Site) -> None:
    await scheduler(site).run(["7"], None, site.stop)
    await site.work_until(lambda: bool(site.lines))
    await scheduler(site).run(["7"], None, asyncio.Event())
    assert await site.statuses() == ["completed"]
    assert await site.store.count_waiting(site.queue) == 0


async def test_each_round_has_the_time_at_which_it_was_due(site: Site) -> None:
    site.clock.advance(17)
    running = asyncio.create_task(scheduler(site).run(["7"], 60, site.stop))
    for count in range(1, 4):
        await until(lambda: site.value("enqueued_total") == count, running)  # noqa: B023 - see above
        await advance_to_timer(site.clock)
    site.stop.set()
    await running
    assert [each["scheduled_at"][11:] for each in await queued(site)][:3] == ["12:00:00Z", "12:01:00Z", "12:02:00Z"]


async def test_a_round_older_than_a_request_may_be_is_not_enqueued(site: Site) -> None:
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
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = site.store.create
    monkeypatch.setattr(site.store, "create", _failing(NatsError("nobody answers")))
    scheduling = scheduler(site)
    with capture_logs() as logs:
        running = asyncio.create_task(scheduling.run(["7", "8"], 60, site.stop))
        while not scheduling.has_failed:
            await advance_to_timer(site.clock)
        assert (site.clock.now() - NOON).total_seconds() == pytest.approx(54, abs=1.5)
        monkeypatch.setattr(site.store, "create", create)
        await advance_to_timer(site.clock)
        await until(lambda: site.value("enqueued_total") == 2, running)
    assert any("2 requests of 2026-01-01T12:00:00+00:00 were not enqueued" in line.getMessage() for line in logs)
    site.stop.set()
    await running
    assert {each["scheduled_at"] for each in await queued(site)} == {"2026-01-01T12:01:00Z"}


@pytest.mark.parametrize("error", [NatsError("nobody answers"), QueueFull("many wait")])
async def test_an_attempt_ends_with_the_first_failure_so_that_a_dead_queue_costs_one_wait(
    site: Site, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    attempts: list[TaskKey] = []
    monkeypatch.setattr(site.store, "create", _failing(error, attempts))
    scheduling = scheduler(site)
    values = [str(number) for number in range(1200)]
    running = asyncio.create_task(scheduling.run(values, None, site.stop))
    await until(lambda: timer_s(site.clock) is not None, running)
    site.stop.set()
    await running
    assert len(attempts) == 500
    assert scheduling.has_failed


def _failing(error: Exception, attempts: list[TaskKey] | None = None) -> Any:
    """Return the operation of a store that always fails."""

    async def fail(key: TaskKey, *_: Any) -> None:
        if attempts is not None:
            attempts.append(key)
        raise error

    return fail


async def test_a_queue_that_does_not_fit_ends_the_scheduler(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.store, "open", _failing(QueueMismatch("it has the retention limits")))
    with pytest.raises(StartError, match="the queue does not fit: it has the retention limits; delete it"):
        await scheduler(site).run(["7"], None, site.stop)


def test_the_id_of_a_request_is_that_of_its_value_and_time_alone() -> None:
    request = QueuedRequest("7", NOON)
    assert request.id == QueuedRequest("7", NOON).id
    others = {replace(request, value="8").id, replace(request, scheduled_at=NOON + timedelta(1)).id}
    assert request.id not in others
    assert len(others) == 2
