"""Progress reports, from a handler to its caller."""

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.toolaccord.demo import counter
from tests.toolaccord.generated.demo.counter.server import CounterCall
from toolaccord.call.reports import ProgressReporter
from toolaccord.contract.policies import CachePolicy
from toolaccord.declarations.tool import Server
from toolaccord.testing import capture_logs, pipeline

Report = tuple[float, float | None, str | None]


class Recorder:
    """Records reports, and raises *error* for each."""

    def __init__(self, error: Exception | None = None) -> None:
        self.reports: list[Report] = []
        self._error = error

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Record a report."""
        self.reports.append((done, total, message))
        if self._error:
            raise self._error


async def forwarded(*reports: float) -> list[Report]:
    """Return the reports that a receiver gets of *reports*."""
    recorder = Recorder()
    reporter = ProgressReporter(recorder, str.upper)
    for done in reports:
        await reporter(done, 10, "a word")
    return recorder.reports


def cached(server: Server[CounterCall]) -> Server[CounterCall]:
    """Return *server* with cached results."""
    return replace(server, tools=tuple(replace(tool, cache=CachePolicy(ttl_s=60)) for tool in server.tools))


async def test_reports_reach_the_caller_without_secrets() -> None:
    recorder = Recorder()
    answer = await pipeline(counter.server()).call("count", {"to": 3}, progress=recorder)
    assert answer.body["data"] == {"to": 3}
    assert recorder.reports == [(1, 3, "*** 1"), (2, 3, "*** 2"), (3, 3, "*** 3")]


async def test_a_tool_without_progress_reports_nothing() -> None:
    recorder = Recorder()
    answer = await pipeline(counter.server()).call("count_silently", {"to": 3}, progress=recorder)
    assert (answer.code, recorder.reports) == (None, [])


async def test_a_handler_may_report_to_a_caller_who_wants_no_reports() -> None:
    assert (await pipeline(counter.server()).call("count", {"to": 3})).body["data"] == {"to": 3}


async def test_a_report_that_cannot_be_delivered_is_logged_and_the_call_goes_on() -> None:
    recorder = Recorder(ConnectionError("gone"))
    with capture_logs(logging.WARNING) as records:
        answer = await pipeline(counter.server()).call("count", {"to": 2}, progress=recorder)
    assert answer.code is None
    assert [record.getMessage() for record in records] == ["progress could not be reported"] * 2


@pytest.mark.parametrize(
    "reports, expected",
    [
        ([0, 1, 1, 0.5, 2], [0, 1, 2]),
        ([-1, math.nan, 0], [-1, 0]),
        ([1, math.inf, 2], [1, 2]),
        ([0.25, 0.5], [0.25, 0.5]),
    ],
)
async def test_only_increasing_reports_are_forwarded(reports: Sequence[float], expected: Sequence[float]) -> None:
    assert await forwarded(*reports) == [(done, 10, "A WORD") for done in expected]


@pytest.mark.parametrize("total", [math.nan, math.inf])
async def test_a_total_that_is_not_finite_is_left_out(total: float) -> None:
    recorder = Recorder()
    await ProgressReporter(recorder, str.upper)(1, total)
    assert recorder.reports == [(1, None, None)]


async def test_only_the_first_of_the_callers_who_share_a_load_gets_reports() -> None:
    answering = pipeline(cached(counter.server()))
    recorders = [Recorder() for _ in range(3)]
    answers = await asyncio.gather(
        *(answering.call("count", {"to": 2}, progress=recorder) for recorder in recorders[:2])
    )
    answers.append(await answering.call("count", {"to": 2}, progress=recorders[2]))
    assert [answer.body["data"] for answer in answers] == [{"to": 2}] * 3
    assert [len(recorder.reports) for recorder in recorders] == [2, 0, 0]
