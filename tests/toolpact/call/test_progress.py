"""How far a call is: told to who asked, as the handler says it."""

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.toolpact import counter
from tests.toolpact.counter import CounterCall
from toolpact.call.progress import ProgressReporter
from toolpact.declarations.tool import CachePolicy, Server
from toolpact.testing import capture_logs, pipeline

Report = tuple[float, float | None, str | None]


class Listener:
    """Keeps what it hears, and fails where it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.heard: list[Report] = []
        self._error = error

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Keep a report."""
        self.heard.append((done, total, message))
        if self._error:
            raise self._error


async def grown(*reports: float) -> list[Report]:
    """Return what a listener hears of *reports*."""
    listener = Listener()
    growth = ProgressReporter(listener, str.upper)
    for done in reports:
        await growth(done, 10, "a word")
    return listener.heard


def kept(server: Server[CounterCall]) -> Server[CounterCall]:
    """Return *server* with results that are kept."""
    return replace(
        server, tools=tuple(replace(tool, cache=CachePolicy(ttl_s=60, bypass=None)) for tool in server.tools)
    )


async def test_a_listener_hears_what_the_handler_says_without_secrets() -> None:
    listener = Listener()
    answer = await pipeline(counter.server()).call("count", {"to": 3}, progress=listener)
    assert answer.body["data"] == {"to": 3}
    assert listener.heard == [(1, 3, "*** 1"), (2, 3, "*** 2"), (3, 3, "*** 3")]


async def test_a_tool_without_progress_tells_nothing_whoever_listens() -> None:
    listener = Listener()
    answer = await pipeline(counter.server()).call("count_silently", {"to": 3}, progress=listener)
    assert (answer.code, listener.heard) == (None, [])


async def test_a_handler_need_not_know_whether_somebody_listens() -> None:
    assert (await pipeline(counter.server()).call("count", {"to": 3})).body["data"] == {"to": 3}


async def test_a_report_that_cannot_be_delivered_is_logged_and_the_call_goes_on() -> None:
    listener = Listener(ConnectionError("gone"))
    with capture_logs(logging.WARNING) as records:
        answer = await pipeline(counter.server()).call("count", {"to": 2}, progress=listener)
    assert answer.code is None
    assert [record.getMessage() for record in records] == ["progress could not be reported"] * 2


@pytest.mark.parametrize(
    "reports, told",
    [
        ([0, 1, 1, 0.5, 2], [0, 1, 2]),
        ([-1, math.nan, 0], [-1, 0]),
        ([1, math.inf, 2], [1, 2]),
        ([0.25, 0.5], [0.25, 0.5]),
    ],
)
async def test_only_growth_is_told(reports: Sequence[float], told: Sequence[float]) -> None:
    assert await grown(*reports) == [(done, 10, "A WORD") for done in told]


@pytest.mark.parametrize("total", [math.nan, math.inf])
async def test_an_end_that_is_no_number_is_not_told(total: float) -> None:
    listener = Listener()
    await ProgressReporter(listener, str.upper)(1, total)
    assert listener.heard == [(1, None, None)]


async def test_of_callers_who_share_a_load_the_first_alone_hears_of_it() -> None:
    answering = pipeline(kept(counter.server()))
    listeners = [Listener() for _ in range(3)]
    answers = await asyncio.gather(
        *(answering.call("count", {"to": 2}, progress=listener) for listener in listeners[:2])
    )
    answers.append(await answering.call("count", {"to": 2}, progress=listeners[2]))
    assert [answer.body["data"] for answer in answers] == [{"to": 2}] * 3
    assert [len(listener.heard) for listener in listeners] == [2, 0, 0]
