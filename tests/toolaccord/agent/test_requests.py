"""Requests and batches with clocks by hand, and a connection with prepared outcomes."""

import asyncio
import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from tests.toolaccord.demo.scout import HANGS, agent
from tests.toolaccord.generated.demo.library.client import LibraryClient
from tests.toolaccord.scripted_connection import ScriptedConnection, settle
from toolaccord.agent.batches import BatchOutcome, BatchRunner
from toolaccord.agent.clients import ClientOptions, create_client
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.missing import MissingLabels
from toolaccord.agent.observer import AgentObserver
from toolaccord.agent.outcomes import Answered, Failed
from toolaccord.agent.requests import Dependencies, RequestRunner
from toolaccord.call.events import bind_events
from toolaccord.contract.agents import IfMissing
from toolaccord.errors import ServerGone
from toolaccord.sources.redis import RedisError, Script
from toolaccord.telemetry.redaction import Redactor
from toolaccord.testing import FakeSource, ManualClock, capture_logs

BOOK = {"id": 7, "title": "get 7"}
SETTINGS = {
    "redis_url": None, "library_url": "", "library_token": "", "library_command": "", "books": "", "shelf": "A",
    "model": "", "model_url": "", "model_token": "",
}  # fmt: skip


class Bus(FakeSource):
    """A Redis that keeps what is published."""

    def __init__(self) -> None:
        super().__init__("redis")
        self.published: list[tuple[str, Any]] = []
        self.markers: list[str] = []
        """Keys of messages that are published once."""
        self.gate = asyncio.Event()
        self.gate.set()
        self.is_broken = False

    async def run_script(self, _script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> bytes:
        """Publish, as the script that does so once."""
        (key,) = keys
        if key in self.markers:
            return b"d"
        channel, _window_ms, _token, payload, *_ = arguments
        await self.publish(channel, payload)
        self.markers.append(key)
        return b"p"

    async def publish(self, channel: str, payload: bytes) -> None:
        """Keep *payload* once the gate is open."""
        await self.gate.wait()
        if self.is_broken:
            raise RedisError("nobody answers")
        self.published.append((channel, json.loads(payload)))


class Stage:
    """An agent whose calls have prepared outcomes."""

    def __init__(self, *outcomes: Any, secrets: tuple[str, ...] = ()) -> None:
        self.agent = agent()
        self.clock = ManualClock()
        self.connection = ScriptedConnection(*outcomes)
        self.bus = Bus()
        self.metrics = AgentMetrics(self.agent)
        (use,) = self.agent.uses
        options = ClientOptions(
            settings=SETTINGS, environ={}, arguments=(), observer=AgentObserver(self.metrics), clock=self.clock
        )
        policies: Any = create_client(self.agent, use, options)._executor
        client = LibraryClient(self.connection, policies=cast("Any", _Started(policies)))
        self.dependencies = Dependencies(
            clients={"library": client},
            sources={"bus": self.bus},
            events={each.event.name: each for each in bind_events(self.agent.events, {"bus": self.bus})},
            settings=SETTINGS,
            metrics=self.metrics,
            redactor=Redactor(secrets),
            clock=self.clock,
        )
        self.runner = RequestRunner(self.agent, self.dependencies)

    def batches(self) -> BatchRunner:
        assert self.agent.batch
        return BatchRunner(self.agent, self.agent.batch, self.runner, self.dependencies)

    def value(self, name: str, **labels: str) -> float | None:
        """Return the value of a metric."""
        return self.metrics.registry.get_sample_value(f"scout_agent_{name}", labels)

    async def advance(self, seconds: float, step: float = 0.1) -> None:
        """Advance the clock in small steps, in which everything runs that can."""
        for _ in range(round(seconds / step)):
            await settle()
            self.clock.advance(step)
        await settle()


@dataclasses.dataclass(frozen=True)
class _Started:
    """Policies whose executor exists."""

    executor: Any
    clock: Any = None
    random: Any = None

    def start(self) -> Any:
        return self.executor


def pages(total: int = 200) -> dict[str, Any]:
    return {"items": [], "pagination": {"offset": 0, "limit": 1, "total": total, "has_more": False}}


def test_the_success_rate_is_unknown_before_the_first_batch_so_that_no_alert_fires() -> None:
    rate = Stage().value("batch_success_rate")
    assert rate is not None
    assert math.isnan(rate)


async def test_a_request_whose_tools_hang_is_answered_without_them_in_the_rest_of_its_time() -> None:
    stage = Stage(BOOK)
    stage.connection.gate.clear()
    running = asyncio.create_task(stage.runner.run({"book": "7"}))
    await stage.advance(7.9)
    assert not running.done()
    await stage.advance(0.3)
    assert running.done()
    outcome = await running
    assert isinstance(outcome, Answered)
    assert outcome.missing == ("title", "shelf")
    assert outcome.confidence_penalty == 0.3
    assert 3 * stage.connection.sent[0].timeout_s + 0.3 == pytest.approx(8), "an attempt leaves time for the others"


async def test_a_slow_first_tool_leaves_the_second_only_the_rest() -> None:
    stage = Stage(BOOK)
    stage.connection.gate.clear()
    running = asyncio.create_task(stage.runner.run({"book": "7"}))
    await stage.advance(2.4)
    stage.connection.gate.set()
    await settle()
    stage.connection.gate.clear()
    await stage.advance(5.9)
    assert running.done()
    outcome = await running
    assert isinstance(outcome, Answered)
    assert outcome.missing == ("shelf",)


async def test_a_handler_that_hangs_fails_at_the_deadline() -> None:
    stage = Stage(BOOK)
    running = asyncio.create_task(stage.runner.run({"book": HANGS}))
    await stage.advance(9.9)
    assert not running.done()
    with capture_logs() as lines:
        await stage.advance(0.2)
    assert running.done()
    outcome = await running
    assert outcome == Failed(error="There was no result within 10000 ms.", error_type="TIMEOUT", retryable=True)
    assert [line.levelname for line in lines if "took longer" in line.getMessage()] == ["WARNING"]
    assert stage.value("errors_total", type="TIMEOUT") == 1
    assert stage.value("latency_ms_bucket", le="8000.0") == 0
    assert stage.value("latency_ms_count") == 1


async def test_the_requests_that_run_are_a_metric_and_end_with_their_answer() -> None:
    stage = Stage(BOOK)
    running = [asyncio.create_task(stage.runner.run({"book": HANGS})) for _ in range(2)]
    await settle()
    assert stage.value("requests_in_flight") == 2
    await stage.advance(10.1)
    assert all(each.done() for each in running)
    assert stage.value("requests_in_flight") == 0


async def test_a_failed_request_tells_its_retries_and_the_code_of_a_declared_error() -> None:
    gone = ServerGone("It is gone.")
    stage = Stage(gone, gone, {"code": "BOOK_NOT_FOUND", "message": "No book; the key is s3cr3t."}, secrets=("s3cr3t",))
    running = asyncio.create_task(stage.runner.run({"book": "7"}))
    await stage.advance(1)
    assert await running == Failed(error="No book; the key is ***.", error_type="BOOK_NOT_FOUND", retries=2)
    assert stage.value("retry_total", tool="get_book", attempt="2") == 1
    assert stage.value("tool_calls_total", tool="get_book") == 3


async def test_calls_carry_the_correlation_id_of_their_request() -> None:
    stage = Stage(BOOK, pages())
    await stage.runner.run({"book": "7"}, corr_id="from-a-queue")
    await stage.runner.run({"book": "8"})
    ids = [sent.meta["corr_id"] for sent in stage.connection.sent]
    assert ids[:2] == ["from-a-queue"] * 2
    assert len(set(ids)) == 2


@pytest.mark.parametrize("arguments", [{}, {"book": 7}, {"book": "7", "page": 1}, "7", None, {"book": "\ud800"}])
async def test_invalid_arguments_of_any_type_fail_without_a_call(arguments: Any) -> None:
    stage = Stage(BOOK)
    outcome = await stage.runner.run(arguments)
    assert isinstance(outcome, Failed)
    assert outcome.error_type == "INVALID_PARAMETERS"
    assert stage.connection.sent == []


async def test_a_violation_is_described_without_secrets() -> None:
    outcome = await Stage(BOOK, secrets=("s3cr3t",)).runner.run({"book": "7", "s3cr3t": 1})
    assert isinstance(outcome, Failed)
    assert "***" in outcome.error
    assert "s3cr3t" not in outcome.error


def test_the_penalties_of_missing_data_are_no_more_than_the_whole_confidence() -> None:
    (use,) = agent().uses
    effects = [IfMissing(label=each.tool.name, confidence_penalty=0.4) for each in use.tools]
    tools = tuple(dataclasses.replace(each, if_missing=effect) for each, effect in zip(use.tools, effects, strict=True))
    missing = MissingLabels([dataclasses.replace(use, tools=tools)])
    for each in tools:
        missing.add(each.tool)
    assert missing.confidence_penalty == 1


async def test_a_result_that_breaks_the_contract_fails_and_is_no_result() -> None:
    stage = Stage(BOOK, pages())
    broken = dataclasses.replace(stage.agent, output={**stage.agent.output, "required": ["is_vague"]})
    outcome = await RequestRunner(broken, stage.dependencies).run({"book": "7"})
    assert isinstance(outcome, Failed)
    assert (outcome.error_type, "is_vague" in outcome.error) == ("BrokenResultError", False)
    assert stage.value("findings_total", kind="NOVEL") == 0


async def search(stage: Stage, *books: str, stop: asyncio.Event | None = None) -> list[BatchOutcome]:
    """Return the outcomes of all batches."""
    return [outcome async for outcome in stage.batches().run(books, stop or asyncio.Event())]


def parsed(outcome: BatchOutcome) -> Mapping[str, Any]:
    result: dict[str, Any] = json.loads(outcome.text)
    return result


async def test_no_more_requests_run_at_once_than_the_limit() -> None:
    stage = Stage(BOOK)
    stage.connection.gate.clear()
    running = asyncio.create_task(search(stage, "1", "2", "3"))
    await settle()
    assert stage.connection.in_flight == 2
    stage.connection.gate.set()
    await running
    assert stage.connection.most_in_flight == 2


async def test_a_batch_begins_the_delay_after_the_end_of_the_one_before() -> None:
    stage = Stage({"code": "BOOK_NOT_FOUND"})
    running = asyncio.create_task(search(stage, "1", "2", "3", "4"))
    await settle()
    assert len(stage.connection.sent) == 3
    await stage.advance(0.9)
    assert len(stage.connection.sent) == 3
    await stage.advance(0.2)
    assert len(stage.connection.sent) == 4
    assert [outcome.success_rate for outcome in await running] == [0, 0]


async def test_after_a_stop_no_request_begins_and_the_outcome_has_the_finished_ones() -> None:
    stage, stop = Stage(BOOK, pages()), asyncio.Event()
    stage.connection.gate.clear()
    running = asyncio.create_task(search(stage, "1", "2", "3", "4", stop=stop))
    await settle()
    stop.set()
    stage.connection.gate.set()
    (outcome,) = await running
    result = parsed(outcome)
    assert len(result["successful"]) + len(result["partial"]) + len(result["failed"]) == 2


@pytest.mark.parametrize("found, is_error", [(0, True), (1, True), (2, False), (3, False)])
async def test_a_batch_is_an_error_below_the_rate_of_the_contract(found: int, is_error: bool) -> None:  # noqa: FBT001
    stage = Stage({"code": "UNAVAILABLE"})
    books = [str(number) for number in range(1, found + 1)] + ["x", "y", "z"]
    with capture_logs() as lines:
        running = asyncio.create_task(search(stage, *books[:3]))
        await stage.advance(3)
        (outcome,) = await running
    assert outcome.is_error == is_error
    assert outcome.success_rate == pytest.approx(found / 3)
    assert stage.value("batch_success_rate") == pytest.approx(found / 3)
    (line,) = (line for line in lines if line.getMessage() == "batch")
    assert line.levelname == ("ERROR" if is_error else "INFO")


async def test_a_batch_that_just_reaches_the_rate_is_no_error() -> None:
    (outcome,) = await search(Stage(BOOK, pages()), "1", "x")
    assert (outcome.success_rate, outcome.is_error) == (0.5, False)


async def test_a_failed_request_is_published_as_the_event_of_its_shape_and_cut_to_its_lengths() -> None:
    stage = Stage(BOOK)
    (outcome,) = await search(stage, "9" * 300, "\udcff")
    assert [loss["book"] for loss in parsed(outcome)["failed"]] == ["9" * 20, "\\udcff"]
    assert sorted(stage.bus.published, key=str) == sorted(
        [("losses", loss) for loss in parsed(outcome)["failed"]], key=str
    )


async def test_an_event_that_cannot_be_published_does_not_stop_the_batch() -> None:
    stage = Stage(BOOK)
    stage.bus.is_broken = True
    with capture_logs() as lines:
        (outcome,) = await search(stage, "x")
    assert len(parsed(outcome)["failed"]) == 1
    assert "the event lost was not published: nobody answers" in [line.getMessage() for line in lines]


async def test_an_event_whose_source_hangs_delays_the_batch_by_a_second() -> None:
    stage = Stage(BOOK)
    stage.bus.gate.clear()
    running = asyncio.create_task(search(stage, "x"))
    await stage.advance(0.9)
    assert not running.done()
    await stage.advance(0.2)
    assert running.done()
    assert len(parsed((await running)[0])["failed"]) == 1


async def test_a_result_that_was_published_before_is_a_duplicate_in_results_log_and_metric() -> None:
    stage = Stage(BOOK, pages(), BOOK, pages())
    with capture_logs() as lines:
        first, second = [(await search(stage, "7"))[0] for _ in range(2)]
    assert [len(parsed(first)[name]) for name in ("successful", "duplicate")] == [1, 0]
    assert [len(parsed(second)[name]) for name in ("successful", "duplicate")] == [0, 1]
    assert len(stage.bus.published) == 1
    fields = [line.fields for line in lines if line.getMessage() in {"request", "batch"}]  # type: ignore[attr-defined]
    assert [each.get("publication") for each in fields[::2]] == ["published", "duplicate"]
    assert [each.get("duplicate") for each in fields[1::2]] == [None, 1]
    assert stage.value("publications_total", event="found", outcome="duplicate") == 1


async def test_a_result_whose_source_is_away_is_written_and_sent_when_that_is_back() -> None:
    stage = Stage(BOOK, pages())
    stage.bus.is_broken = True
    (outcome,) = await search(stage, "7")
    (finding,) = parsed(outcome)["deferred"]
    await stage.advance(30)
    assert stage.bus.published == []
    stage.bus.is_broken = False
    await stage.advance(1.1)
    assert stage.bus.published == [("findings", finding)]
    assert await stage.runner.outbox.drain()


async def test_an_agent_whose_results_have_no_place_for_deferred_ones_fails() -> None:
    stage = Stage(BOOK, pages())
    assert stage.agent.batch
    members = {name: each for name, each in stage.agent.batch.result["properties"].items() if name != "deferred"}
    batch = dataclasses.replace(stage.agent.batch, result={**stage.agent.batch.result, "properties": members})
    stage.bus.is_broken = True
    outcome = await RequestRunner(dataclasses.replace(stage.agent, batch=batch), stage.dependencies).run({"book": "7"})
    assert isinstance(outcome, Failed)
    assert (outcome.error_type, outcome.retryable) == ("RedisError", True)


async def test_the_label_of_an_error_has_a_bounded_number_of_values() -> None:
    stage = Stage(BOOK)
    declared = {found.error.code for use in stage.agent.uses for each in use.tools for found in each.tool.errors}
    room = 100 - len(declared | {"INVALID_PARAMETERS", "TIMEOUT"})
    for number in range(room + 50):
        stage.metrics.record_error(f"CODE_{number}")
    assert stage.value("errors_total", type=f"CODE_{room - 1}") == 1
    assert stage.value("errors_total", type=f"CODE_{room}") is None
    assert stage.value("errors_total", type="other") == 50
