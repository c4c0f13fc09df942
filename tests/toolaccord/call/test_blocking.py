"""Handlers that block the event loop are named as the reason of what comes late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.toolaccord.demo import ledger
from tests.toolaccord.demo.ledger import Clerk
from toolaccord.call.response import Answer
from toolaccord.errors import SourceError
from toolaccord.source_faults import NO_ANSWER
from toolaccord.sources.availability import Availability
from toolaccord.sources.http import HttpTimeout, HttpUnavailable
from toolaccord.sources.influxdb import InfluxdbError
from toolaccord.sources.postgresql import PostgresqlError
from toolaccord.testing import FakeSource, ManualClock, capture_logs, pipeline
from toolaccord.timing.blocking import LoopWatch
from toolaccord.timing.deadline import DeadlineExceeded, run_within

Use = Callable[[], Awaitable[object]]


class Busy(Clerk):
    """Handlers of which `count_entries` waits, and `enter` blocks the loop for *seconds*."""

    def __init__(self, clock: ManualClock, seconds: float, wait: Use) -> None:
        super().__init__()
        self._clock, self._seconds, self._wait = clock, seconds, wait

    async def count_entries(self, _request: Any, _call: Any, /) -> Any:
        self.arrived.set()
        await self._wait()

    async def enter(self, request: Any, _call: Any, /) -> Any:
        self._clock.block(self._seconds)
        return ledger.EnterResult(number=1, text=request.text, amount=1.0)


def work_before(clock: ManualClock, seconds: float, error: SourceError) -> Use:
    """Return what blocks the loop, and fails at once after that."""

    async def work() -> None:
        clock.block(seconds)
        raise error

    return work


async def call_both(clock: ManualClock, seconds: float, wait: Use, *, until: float = 0) -> tuple[Answer, list[str]]:
    """Return the answer of the tool that waits while the other one blocks, and the log.

    The clock advances *until* as many seconds after that.
    """
    handlers = Busy(clock, seconds, wait)
    serving = pipeline(ledger.server(handlers), sources={"postgres": FakeSource("x")}, clock=clock)
    with capture_logs() as records:
        waiting = asyncio.create_task(serving.call("count_entries", {}))
        await handlers.arrived.wait()
        await serving.call("enter", {"text": "rent"})
        clock.advance(until)
        answer = await waiting
    return answer, [record.getMessage() for record in records]


def fail_after(clock: ManualClock, seconds: float) -> Use:
    """Return what waits for a source in vain, as it waits for a connection."""
    availability = Availability("postgresql", "postgres", "db:5432", ManualClock())

    async def wait() -> None:
        with availability.attempt():
            try:
                await run_within(clock, seconds, asyncio.Event().wait())
            except DeadlineExceeded as error:
                raise PostgresqlError("no connection", is_lost=True) from error

    return wait


async def test_a_source_that_a_blocking_handler_starves_has_no_outage() -> None:
    clock = ManualClock()
    answer, log = await call_both(clock, 6, fail_after(clock, 5))
    assert answer.cause
    assert answer.cause.startswith("enter blocked the event loop for 6000 ms")
    assert [line for line in log if "is unavailable" in line] == []
    assert "too busy" in str(answer.body)


async def test_a_deadline_that_passes_in_a_block_names_it() -> None:
    clock = ManualClock()
    answer, log = await call_both(clock, 30, asyncio.Event().wait)
    assert answer.cause
    assert answer.cause.startswith("enter blocked the event loop for 30000 ms")
    assert [line for line in log if line.startswith("enter blocked the event loop for 30000 ms")]


async def test_a_source_that_hangs_beside_a_short_block_has_an_outage() -> None:
    clock = ManualClock()
    answer, log = await call_both(clock, 0.2, fail_after(clock, 5), until=6)
    assert [line for line in log if line.startswith("source postgres is unavailable")]
    assert answer.cause
    assert answer.cause.startswith("postgres at db:5432")


@pytest.mark.parametrize(
    "error", [HttpUnavailable("no", status=503), PostgresqlError("no", is_lost=True), InfluxdbError("no", is_lost=True)]
)
async def test_a_handler_that_computes_hides_no_outage(error: SourceError) -> None:
    clock = ManualClock()
    answer, _ = await call_both(clock, 0, work_before(clock, 0.5, error))
    assert answer.cause == error.cause
    assert "too busy" not in str(answer.body)


@pytest.mark.parametrize("error", [HttpTimeout("late"), InfluxdbError("late", is_lost=True, reason=NO_ANSWER)])
async def test_an_answer_that_a_handler_reads_too_late_names_it(error: SourceError) -> None:
    clock = ManualClock()
    answer, _ = await call_both(clock, 0, work_before(clock, 0.5, error))
    assert "count_entries blocked the event loop for 500 ms" in (answer.cause or "")


async def test_the_operation_that_blocked_longest_is_named() -> None:
    clock = ManualClock()
    watch = LoopWatch(clock.monotonic)

    async def block(seconds: float) -> None:
        clock.block(seconds)

    await watch.run("earlier", block(5))
    start = watch.mark()
    for name, seconds in (("long", 0.5), ("long", 0.4), ("short", 0.11)):
        await watch.run(name, block(seconds))
    assert (watch.explain(start) or "").startswith("long blocked the event loop for 900 ms")


@pytest.mark.parametrize("outcome", [3, ValueError("no")])
async def test_a_watched_operation_has_its_own_outcome(outcome: object) -> None:
    async def work() -> object:
        await asyncio.sleep(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    (found,) = await asyncio.gather(LoopWatch(lambda: 0.0).run("work", work()), return_exceptions=True)
    assert found is outcome


async def test_a_watched_operation_is_cancelled_where_it_waits() -> None:
    cancelled = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    running = asyncio.create_task(LoopWatch(lambda: 0.0).run("work", work()))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert cancelled.is_set()
