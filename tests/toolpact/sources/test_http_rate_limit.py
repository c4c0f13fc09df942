"""The pace of requests, on a clock that moves by eighths of a second: with these rates every sum is exact."""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpact.sources.http import HttpRateLimited
from toolpact.sources.http.rate_limit import Pace
from toolpact.testing import ManualClock
from toolpact.timing.deadline import run_within

CALLERS = 30
STEP_S = 0.125
RATES = (0.5, 1, 2, 3, 4)


@dataclass(frozen=True)
class Caller:
    """Somebody who comes, and may hang up or have a deadline; times in steps."""

    comes: int
    stays: int | None = None
    """After so many steps it hangs up."""
    patience: int | None = None
    """So many steps after it has come is its deadline."""


@dataclass(frozen=True)
class Begun:
    """A request that began."""

    caller: int
    """Which it was, in the order of coming."""
    came: float
    at: float


async def settled() -> None:
    """Let every task go on as far as it can without the clock."""
    for _ in range(20):
        await asyncio.sleep(0)


async def request(pace: Pace) -> None:
    async with pace.turn():
        await pace.begin()


@dataclass
class Play:
    """Callers who come to one pace."""

    per_second: float
    begun: list[Begun] = field(default_factory=list)
    """The requests that began, in order."""
    refused: set[int] = field(default_factory=set)
    """The callers who were refused."""
    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        self.pace = Pace(self.per_second, self.clock)

    async def call(self, number: int, caller: Caller) -> None:
        came = self.clock.monotonic()
        patience_s = 1e6 if caller.patience is None else caller.patience * STEP_S
        try:
            await run_within(self.clock, patience_s, request(self.pace))
        except HttpRateLimited:
            self.refused.add(number)
        except TimeoutError:
            pass
        else:
            self.begun.append(Begun(number, came, self.clock.monotonic()))

    async def go_on(self) -> None:
        await settled()
        self.clock.advance(STEP_S)
        await settled()


async def played(per_second: float, callers: list[Caller]) -> Play:
    """Let *callers*, in the order of coming, come and go until all are gone."""
    play, tasks = Play(per_second), list[asyncio.Task[None]]()
    step = 0
    while len(tasks) < len(callers) or not all(task.done() for task in tasks):
        for task, caller in zip(tasks, callers, strict=False):
            if caller.stays is not None and caller.comes + caller.stays == step:
                task.cancel()
        for number in range(len(tasks), sum(caller.comes <= step for caller in callers)):
            tasks.append(asyncio.create_task(play.call(number, callers[number])))
        await play.go_on()
        step += 1
    play.clock.advance(10)
    return play


CALLER = st.builds(
    Caller,
    comes=st.integers(0, 24),
    stays=st.none() | st.integers(1, 24),
    patience=st.none() | st.integers(1, 40),
)


def in_order(callers: list[Caller]) -> list[Caller]:
    return sorted(callers, key=lambda caller: caller.comes)


@given(st.sampled_from(RATES), st.lists(CALLER, max_size=14).map(in_order))
def test_slots_are_never_too_many_never_lost_in_order_and_nobodys_who_left(
    per_second: float, callers: list[Caller]
) -> None:
    play = asyncio.run(played(per_second, callers))
    begun = play.begun
    burst = max(1, int(per_second))
    stretch_s = burst / per_second
    assert all(later.at - earlier.at >= stretch_s for earlier, later in zip(begun, begun[burst:], strict=False))
    assert [each.caller for each in begun] == sorted(each.caller for each in begun)
    due = list[float]()
    for each in begun:
        before = due[-burst] + stretch_s if len(due) >= burst else 0
        due.append(max(each.came, before))
    assert [each.at for each in begun] == due, "each begins as if those who left had never come"
    steadfast = {number for number, each in enumerate(callers) if each.stays is None and each.patience is None}
    assert steadfast <= {each.caller for each in begun}
    assert all(callers[number].patience is not None for number in play.refused)
    assert play.pace.is_free()


async def test_thirty_callers_at_once_begin_three_in_any_second() -> None:
    begun = (await played(3, [Caller(0)] * CALLERS)).begun
    assert [each.at for each in begun] == [number // 3 for number in range(CALLERS)]


async def test_a_pace_below_one_a_second_spreads_single_requests() -> None:
    begun = (await played(0.5, [Caller(0)] * 3)).begun
    assert [later.at - earlier.at for earlier, later in pairwise(begun)] == [2, 2]


async def test_a_hundred_who_hung_up_leave_the_next_caller_its_slot() -> None:
    play = await played(3, [*[Caller(0, stays=12)] * 100, Caller(13, patience=8)])
    assert play.refused == set()
    assert (play.begun[-1].caller, play.begun[-1].at) == (100, 2)


async def test_who_waits_for_something_else_at_the_head_of_the_line_lets_nobody_begin_together_with_it() -> None:
    clock, ready, times = ManualClock(), asyncio.Event(), list[float]()
    pace = Pace(2, clock)

    async def call() -> None:
        async with pace.turn():
            await ready.wait()
            await pace.begin()
        times.append(clock.monotonic())

    calls = [asyncio.create_task(call()) for _ in range(6)]
    await settled()
    clock.advance(10)
    ready.set()
    for _ in range(4):
        await settled()
        clock.advance(1)
    await asyncio.gather(*calls)
    assert times == [10, 10, 11, 11, 12, 12]


async def test_a_slot_beyond_the_deadline_is_refused_at_once_and_taken_from_nobody() -> None:
    clock = ManualClock()
    pace = Pace(1, clock)
    await request(pace)
    with pytest.raises(HttpRateLimited) as raised:
        await run_within(clock, 1, request(pace))
    assert raised.value.status is None
    patient = asyncio.create_task(run_within(clock, 1.1, request(pace)))
    await settled()
    clock.advance(1)
    await patient


async def test_a_pause_holds_for_all_and_sends_those_away_at_once_who_cannot_wait_so_long() -> None:
    clock = ManualClock()
    pace = Pace(1, clock)
    await request(pace)
    patient, hasty, last = (asyncio.create_task(run_within(clock, left_s, request(pace))) for left_s in (30, 5, 30))
    await settled()
    pace.pause_until(10)
    await settled()
    assert isinstance(hasty.exception(), HttpRateLimited)
    clock.advance(9.875)
    await settled()
    assert not patient.done()
    clock.advance(0.125)
    await patient
    assert not last.done()
    clock.advance(1)
    await last


async def test_the_first_in_the_line_is_told_of_a_pause_too() -> None:
    clock = ManualClock()
    pace = Pace(1, clock)
    await request(pace)
    first = asyncio.create_task(run_within(clock, 5, request(pace)))
    await settled()
    pace.pause_until(10)
    clock.advance(1)
    with pytest.raises(HttpRateLimited):
        await first
