"""The circuit breaker of a source: on its own, and in front of real sources of each kind."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue
from prometheus_client import CollectorRegistry

from tests.services import nats as nats_service
from tests.services.valkey import Valkey
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.sources import test_outages as outages
from tests.toolaccord.sources.test_mcp import Restarting
from tests.toolaccord.sources.test_nats import DECLARED as NATS
from tests.toolaccord.sources.test_postgresql import DECLARED as POSTGRESQL
from tests.toolaccord.sources.test_zmq_pub import DECLARED as ZMQ
from toolaccord.errors import SourceError
from toolaccord.source_faults import BUSY
from toolaccord.sources.availability import Availability, report_deadline
from toolaccord.sources.breaker import LEAST_OUTCOMES, PAUSE_S, Breaker
from toolaccord.sources.custom import CustomSource
from toolaccord.sources.grpc import GrpcError
from toolaccord.sources.http import HttpTimeout, HttpUnavailable
from toolaccord.sources.influxdb import InfluxdbError
from toolaccord.sources.mcp import McpSource, McpUnavailable
from toolaccord.sources.nats import NatsError
from toolaccord.sources.postgresql import PostgresqlError
from toolaccord.sources.redis import RedisError
from toolaccord.sources.zmq import ZmqError
from toolaccord.telemetry.source_metrics import SourceMetrics
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.testing.faults import Relay
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.deadline import DeadlineExceeded

MCP = McpSource(name="original", server="url", max_in_flight=4)


def breaker(clock: ManualClock, answers: int = 0, failures: int = 0) -> Breaker:
    """Return a breaker with so many outcomes."""
    found = Breaker(clock)
    for _ in range(answers):
        found.answered(found.period)
    for _ in range(failures):
        found.failed(found.period)
    return found


@pytest.mark.parametrize(
    "answers,failures,state",
    [
        (0, LEAST_OUTCOMES - 1, "closed"),
        (0, LEAST_OUTCOMES, "open"),
        (30, 29, "closed"),
        (30, 30, "open"),
    ],
)
def test_a_circuit_opens_when_half_of_at_least_twenty_outcomes_are_failures(
    answers: int, failures: int, state: str
) -> None:
    assert breaker(ManualClock(), answers, failures).state == state


def test_failures_that_are_spread_over_a_longer_time_open_nothing() -> None:
    clock = ManualClock()
    found = breaker(clock)
    for _ in range(10 * LEAST_OUTCOMES):
        clock.advance(1)
        found.failed(found.period)
    assert found.state == "closed"


def test_an_open_circuit_admits_one_request_a_second_until_one_is_answered() -> None:
    clock = ManualClock()
    found = breaker(clock, failures=LEAST_OUTCOMES)
    assert [found.admits(), found.rejections, found.retry_after_s] == [False, 1, PAUSE_S]
    for _ in range(3):
        clock.advance(PAUSE_S)
        assert [found.admits(), found.admits(), found.state] == [True, False, "half_open"]
        found.failed(found.period)
        assert [found.admits(), found.state] == [False, "open"]
    clock.advance(PAUSE_S)
    assert found.admits()
    assert found.answered(found.period)
    assert [found.admits(), found.state, found.totals] == [True, "closed", (0, 0)]


def test_a_probe_without_an_outcome_is_followed_by_another_after_a_second() -> None:
    clock = ManualClock()
    found = breaker(clock, failures=LEAST_OUTCOMES)
    for _ in range(3):
        clock.advance(PAUSE_S)
        assert [found.admits(), found.admits()] == [True, False]


def test_late_outcomes_of_requests_from_before_count_neither_way() -> None:
    clock = ManualClock()
    found = breaker(clock)
    before = found.period
    for _ in range(LEAST_OUTCOMES):
        found.failed(before)
    assert not found.answered(before)
    clock.advance(PAUSE_S)
    assert found.admits()
    found.failed(before)
    assert found.state == "half_open"
    assert not found.answered(before)
    assert found.answered(found.period)


@dataclass(frozen=True)
class Kind:
    """A kind of source, a real server of it, and one request."""

    declared: Any
    serving: Callable[[pytest.FixtureRequest], Any]
    """Serves meanwhile, and gives the URL."""
    request: Callable[[Any], Coroutine[Any, Any, object]]
    error: type[SourceError]
    repeats: bool = False
    """True if a request is sent again after the loss of its connection."""

    def open(self, relay: Relay, clock: ManualClock) -> Any:
        settings = {"token": "", "org": "", "bucket": "b", "language": "influxql"}
        return self.declared.open({"url": relay.url, **settings}, clock)


@asynccontextmanager
async def serving_http(_request: pytest.FixtureRequest) -> AsyncIterator[str]:
    async with outages.serving_http(0) as port:
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def serving_grpc(_request: pytest.FixtureRequest) -> AsyncIterator[str]:
    async with outages.serving_grpc(0) as port:
        yield f"127.0.0.1:{port}"


@asynccontextmanager
async def serving_redis(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    valkey = Valkey(request.getfixturevalue("tmp_path"))
    with valkey.running():
        yield valkey.url


@asynccontextmanager
async def serving_postgresql(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    yield request.getfixturevalue("postgresql_server_url")


@asynccontextmanager
async def serving_nats(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    with nats_service.running(request.getfixturevalue("tmp_path")) as server:
        yield server.url


@asynccontextmanager
async def serving_mcp(_request: pytest.FixtureRequest) -> AsyncIterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, Restarting().serve)):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"


def _echo(service: Any) -> Coroutine[Any, Any, object]:
    return service.call("/test.Service/Echo", StringValue(value="x"), StringValue, PATIENCE_S)  # type: ignore[no-any-return]


KINDS = {
    "http": Kind(outages.HTTP, serving_http, lambda http: http.get_json("a"), HttpUnavailable),
    "influxdb": Kind(outages.INFLUXDB, serving_http, lambda bucket: bucket.query("q"), InfluxdbError),
    "grpc": Kind(outages.GRPC, serving_grpc, _echo, GrpcError),
    "redis": Kind(outages.REDIS, serving_redis, lambda redis: redis.get("key"), RedisError, repeats=True),
    "postgresql": Kind(POSTGRESQL, serving_postgresql, lambda each: each.fetch("SELECT 1"), PostgresqlError),
    "nats": Kind(NATS, serving_nats, lambda nats: nats.check(), NatsError, repeats=True),
    "mcp": Kind(MCP, serving_mcp, lambda mcp: mcp.call_tool("tool", {}), McpUnavailable),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
async def test_a_source_that_is_away_is_asked_once_a_second_and_every_call_is_answered_at_once(
    kind: Kind, request: pytest.FixtureRequest
) -> None:
    clock = ManualClock()
    async with asyncio.timeout(PATIENCE_S), kind.serving(request) as url, Relay(url).running() as relay:
        source = kind.open(relay, clock)
        state: Availability = source.availability
        try:
            await kind.request(source)
            await relay.refuse()
            with capture_logs() as records:
                while state.breaker.state == "closed":
                    with pytest.raises(SourceError):
                        await kind.request(source)
                found = [each.getMessage() for each in records if "circuit" in each.getMessage()]
            assert len(found) == 1
            failures = state.failures
            with pytest.raises(kind.error, match="most requests to it failed lately") as rejected:
                await kind.request(source)
            with pytest.raises(kind.error):
                await source.check()
            assert rejected.value.is_rejected
            assert (rejected.value.source, rejected.value.retry_after_s) == (source.availability.name, PAUSE_S)
            assert await outages.ready(source) == "unavailable"
            assert (state.failures, state.is_down) == (failures, True)
            relay.accept()
            clock.advance(PAUSE_S)
            await kind.request(source)
            assert (state.breaker.state, state.is_down) == ("closed", False)
            assert await outages.ready(source) == "ok"
        finally:
            await source.close()


async def test_publications_fail_at_once_until_the_subscriber_is_back() -> None:
    clock = ManualClock()
    publisher: Any = ZMQ.open({"endpoint": "tcp://127.0.0.1:1"}, clock)
    state: Availability = publisher.availability
    while state.breaker.state == "closed":
        publishing = asyncio.create_task(publisher.publish(b"1"))
        await asyncio.sleep(0)
        clock.advance(ZMQ.timeout_s)
        with pytest.raises(ZmqError):
            await publishing
        clock._elapsed -= ZMQ.timeout_s  # as if many had waited together
    with pytest.raises(ZmqError, match="most requests"):
        await publisher.publish(b"1")
    state.connected()
    assert state.breaker.admits()
    await publisher.close()


class Custom(CustomSource):
    """A source of a kind of one's own that is away."""

    async def check(self) -> None:
        with self.attempt(ConnectionError):
            raise ConnectionRefusedError

    async def close(self) -> None:
        pass


async def test_a_kind_of_ones_own_has_a_breaker_too() -> None:
    source = Custom("acme.door", "door", clock=ManualClock())
    for _ in range(LEAST_OUTCOMES):
        with pytest.raises(SourceError, match="ConnectionRefusedError"):
            await source.check()
    with pytest.raises(SourceError, match="most requests") as rejected:
        await source.check()
    assert (rejected.value.service, rejected.value.is_outage) == ("acme.door", True)


@contextmanager
def attempting(state: Availability) -> Iterator[None]:
    with suppress(SourceError), state.request():
        yield


@pytest.mark.parametrize(
    "error",
    [
        PostgresqlError("duplicate key", sqlstate="23505", constraint="title"),
        HttpUnavailable("not found", status=404),
        RedisError("wrong type", failure="rejected"),
        GrpcError("no such book", status="NOT_FOUND"),
        NatsError("too long", reason="the message exceeds its max_payload; publish less at once, or raise the limit"),
        InfluxdbError("syntax", status=400),
    ],
    ids=lambda error: type(error).__name__,
)
def test_faults_of_callers_and_rejections_of_one_request_never_open_a_circuit(error: SourceError) -> None:
    state = Availability(str(error.service), "source", "", ManualClock())
    for _ in range(10 * LEAST_OUTCOMES):
        with attempting(state):
            raise error
    assert state.breaker.state == "closed"


def test_a_process_without_a_free_connection_opens_no_circuit() -> None:
    state = Availability("http", "source", "", ManualClock())
    for _ in range(10 * LEAST_OUTCOMES):
        with attempting(state):
            raise HttpTimeout("busy", reason=BUSY)
    assert state.breaker.state == "closed"


@pytest.mark.parametrize("late_s,state", [(0.0, "open"), (0.2, "closed")])
def test_timeouts_count_unless_the_event_loop_was_busy(late_s: float, state: str) -> None:
    found = Availability("http", "source", "", ManualClock())
    for _ in range(LEAST_OUTCOMES):
        with attempting(found):
            raise HttpTimeout("late") from DeadlineExceeded(late_s=late_s)
    assert found.breaker.state == state


def test_short_deadlines_open_no_circuit_while_the_source_answers_others() -> None:
    clock = ManualClock()
    found = Availability("http", "source", "", clock)
    for _ in range(10 * LEAST_OUTCOMES):
        attempt = found.attempt()
        clock.advance(0.05)
        report_deadline(DeadlineExceeded(at=clock.monotonic(), waits={attempt: clock.monotonic() - 0.05}))
        with attempting(found):
            pass
    assert found.breaker.state == "closed"


def test_a_source_that_answers_nobody_opens_the_circuit_however_short_the_deadlines_are() -> None:
    clock = ManualClock()
    found = Availability("http", "source", "", clock)
    for _ in range(20 + LEAST_OUTCOMES):
        attempt = found.attempt()
        clock.advance(0.05)
        report_deadline(DeadlineExceeded(at=clock.monotonic(), waits={attempt: clock.monotonic() - 0.05}))
    assert found.breaker.state == "open"


async def test_a_pool_that_calls_use_up_is_no_failure_of_the_database(postgresql_server_url: str) -> None:
    clock = ManualClock()
    source: Any = POSTGRESQL.open({"url": postgresql_server_url}, clock)
    async with source.session(), source.session():
        waiting = [asyncio.create_task(source.fetch("SELECT 1")) for _ in range(2 * LEAST_OUTCOMES)]
        for _ in range(10):
            await asyncio.sleep(0)
        clock.advance(POSTGRESQL.connection_timeout_s)
        failures = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(each) for each in failures} == {PostgresqlError}
    assert source.availability.breaker.state == "closed"
    assert await source.fetch_one("SELECT 1 AS one") == {"one": 1}
    await source.close()


async def test_a_wrong_address_is_neither_an_answer_nor_a_reason_to_open_the_circuit() -> None:
    source: Any = POSTGRESQL.open({"url": "postgresql://joe@127.0.0.1:99999/db"}, ManualClock())
    with capture_logs() as records:
        source.availability.go_down("away")
        for _ in range(2 * LEAST_OUTCOMES):
            with pytest.raises(PostgresqlError):
                await source.fetch("SELECT 1")
    assert source.availability.is_down
    assert "available again" not in str([each.getMessage() for each in records])


def test_metrics_show_each_circuit_its_rejections_and_refused_retries() -> None:
    source = Custom("acme.door", "door", clock=ManualClock())
    collectors = CollectorRegistry()
    collectors.register(SourceMetrics({"door": source}))

    def read(name: str, **labels: str) -> float | None:
        return collectors.get_sample_value(name, {"source": "door", **labels})

    states = ("closed", "open", "half_open")
    assert [read("mcp_source_circuit", state=state) for state in states] == [1, 0, 0]
    for _ in range(LEAST_OUTCOMES):
        with attempting(source.availability):
            raise _failure(source)
    with suppress(SourceError):
        source.availability.admit()
    while source.availability.retries.take():
        continue
    assert [read("mcp_source_circuit", state=state) for state in states] == [0, 1, 0]
    assert read("mcp_source_rejections_total") == read("mcp_source_refused_retries_total") == 1
    assert (read("mcp_source_failures_total"), read("mcp_source_up")) == (LEAST_OUTCOMES, 0)


def _failure(source: Custom) -> SourceError:
    failure = SourceError("away")
    failure.service = source.kind
    return failure
