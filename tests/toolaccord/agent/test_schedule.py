import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.toolaccord.scripted_connection import settle
from toolaccord.agent.schedule import run_every
from toolaccord.testing import ManualClock, capture_logs

START = datetime(2026, 1, 1, 12, 0, 58, tzinfo=UTC)


class Rounds:
    """Rounds of a minute, each of which lasts until it is let go."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.begun: list[str] = []
        self.due: list[str] = []
        self.lets_go = asyncio.Event()
        self.lets_go.set()
        self.stop = asyncio.Event()
        self.running = asyncio.create_task(run_every(clock, 60, self._work, self.stop))

    async def _work(self, due: datetime) -> None:
        self.begun.append(self.clock.now().strftime("%H:%M:%S"))
        self.due.append(due.strftime("%H:%M:%S"))
        await self.lets_go.wait()

    async def advance(self, seconds: float) -> None:
        await settle()
        self.clock.advance(seconds)
        await settle()

    async def end(self) -> None:
        self.stop.set()
        self.lets_go.set()
        await self.running


async def test_rounds_begin_at_once_and_then_at_each_full_minute() -> None:
    rounds = Rounds(ManualClock(START))
    for seconds in (2, 59, 1, 60):
        await rounds.advance(seconds)
    await rounds.end()
    assert rounds.begun == ["12:00:58", "12:01:00", "12:02:00", "12:03:00"]
    assert rounds.due == ["12:00:00", "12:01:00", "12:02:00", "12:03:00"]


async def test_a_round_that_takes_too_long_leaves_out_others_and_overlaps_none() -> None:
    rounds = Rounds(ManualClock(START))
    rounds.lets_go.clear()
    await rounds.advance(150)
    assert rounds.begun == ["12:00:58"]
    with capture_logs() as lines:
        rounds.lets_go.set()
        await settle()
    assert [line.getMessage() for line in lines] == ["rounds left out, because the last one took too long: 3"]
    await rounds.advance(32)
    await rounds.end()
    assert rounds.begun == ["12:00:58", "12:04:00"]


class SteppedClock(ManualClock):
    """A clock whose time of day is set by hand."""

    step = timedelta()

    def now(self) -> datetime:
        return super().now() + self.step


@pytest.mark.parametrize(
    "step, expected",
    [
        (timedelta(milliseconds=-5), ["12:00:58", "12:00:59", "12:02:00"]),
        (timedelta(hours=-2), ["12:00:58", "10:01:00", "10:03:00"]),
    ],
)
async def test_a_clock_that_is_set_back_repeats_no_round_and_delays_the_next_by_two_at_most(
    step: timedelta, expected: list[str]
) -> None:
    clock = SteppedClock(START)
    rounds = Rounds(clock)
    await settle()
    clock.step = step
    await rounds.advance(2)
    await rounds.advance(60.006)
    await rounds.advance(60)
    await rounds.end()
    assert rounds.begun[:3] == expected


async def test_a_stop_ends_the_pause_at_once() -> None:
    rounds = Rounds(ManualClock(START))
    await settle()
    rounds.stop.set()
    await rounds.running
    assert rounds.begun == ["12:00:58"]
