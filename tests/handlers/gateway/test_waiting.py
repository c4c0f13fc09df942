"""Callers who wait for the result of a backtest, beside a Guardian that can be frozen."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from generated.gateway.swimmy.server import server
from handlers.gateway import swimmy
from sandbox.guardian import Guardian
from tests.servers.backends import BACKTEST, RESULT, RUN
from tests.services import guardian
from tests.services.guardian import GuardianServer
from tests.services.tasks import working
from tests.toolaccord.process import PATIENCE_S
from toolaccord import SourceError
from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import ManualClock, pipeline
from toolaccord.timing.clock import Clock, SystemClock

DEADLINE_S = 60


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardianServer]:
    with guardian.running(tmp_path_factory.mktemp("guardian")) as running:
        yield running


@asynccontextmanager
async def connected(running: Guardian, clock: Clock | None = None, **settings: str) -> AsyncIterator[Pipeline]:
    """Give the gateway with both connections to a Guardian."""
    names = ("endpoint", "results_endpoint", "backtest_status_file", "metrics_file")
    values = {name: getattr(running, name) for name in names} | {"swimmy_status_file": running.status_file} | settings
    declared, clock = server(swimmy), clock or SystemClock()
    async with AsyncExitStack() as stack:
        sources: dict[str, Any] = {}
        for source in declared.sources:
            sources[source.name] = opened = source.open(values, clock)
            stack.push_async_callback(opened.close)
            await opened.start()
        async with asyncio.timeout(PATIENCE_S):
            for opened in sources.values():
                await until_connected(opened)
        yield pipeline(declared, sources=sources, settings=values, clock=clock)


async def until_connected(source: Any) -> None:
    """Return once *source* answers; sources of ZeroMQ connect in the background."""
    while True:
        try:
            await source.check()
        except SourceError:
            await asyncio.sleep(0)
        else:
            return


async def run(gateway: Pipeline, **arguments: Any) -> dict[str, Any]:
    """Return the result of a backtest whose caller waits."""
    body: dict[str, Any] = (await gateway.call(RUN, {**BACKTEST, "wait": True, **arguments})).body
    return body


async def test_a_caller_who_waits_gets_what_backtest_status_has(bus: GuardianServer) -> None:
    async with connected(bus.guardian) as gateway:
        answer = await run(gateway)
        status = (await gateway.call(RESULT, {"request_id": answer["request_id"]})).body
    assert (answer["status"], answer["state"]) == (202, "done")
    assert answer["result"] == status["result"]
    assert answer["result"]["trades"] > 0


async def test_a_caller_who_waits_learns_why_a_backtest_has_failed(bus: GuardianServer) -> None:
    async with connected(bus.guardian) as gateway:
        answer = await run(gateway, data_id="XYZUSD_M1")
    assert (answer["state"], "result" in answer) == ("failed", False)
    assert "there are no candles XYZUSD_M1" in answer["reason"]


async def test_a_result_of_before_the_submission_does_not_count(bus: GuardianServer) -> None:
    async with connected(bus.guardian) as gateway:
        first = await run(gateway, request_id="twice", data_id="XYZUSD_M1")
        second = await run(gateway, request_id="twice")
    assert (first["state"], second["state"]) == ("failed", "done")


async def test_a_backtest_without_a_result_is_pending_a_second_before_the_deadline(bus: GuardianServer) -> None:
    clock = ManualClock()
    async with connected(bus.guardian, clock) as gateway:
        with bus.frozen():
            waiting = asyncio.create_task(run(gateway, request_id="late"))
            while (await gateway.call(RESULT, {"request_id": "late"})).body["state"] != "pending":
                pass
            clock.advance(DEADLINE_S - 1)
            answer = await asyncio.wait_for(waiting, PATIENCE_S)
    assert answer == {"status": 202, "request_id": "late", "state": "pending"}


async def test_nobody_waits_where_no_results_arrive(bus: GuardianServer) -> None:
    async with connected(bus.guardian, results_endpoint="") as gateway:
        assert await run(gateway, request_id="deaf") == {"status": 202, "request_id": "deaf"}


async def test_a_task_ends_with_the_result_long_after_the_deadline_of_a_call(bus: GuardianServer) -> None:
    clock = ManualClock()
    async with connected(bus.guardian, clock) as gateway, working(gateway) as work:
        with bus.frozen():
            key = await work.create(RUN, {**BACKTEST, "wait": True, "request_id": "patient"})
            while (await gateway.call(RESULT, {"request_id": "patient"})).body["state"] != "pending":
                pass
            clock.advance(10 * DEADLINE_S)
        answer = await work.finish(key)
    assert (answer["request_id"], answer["state"]) == ("patient", "done")
