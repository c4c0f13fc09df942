import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.clock import within
from runtime.sources.http import HttpRateLimited
from runtime.sources.http_pace import Pace
from runtime.testing import ManualClock

CALLERS = 30


async def settled() -> None:
    """Let every task go on as far as it can without the clock."""
    for _ in range(20):
        await asyncio.sleep(0)


async def begun(per_second: float, callers: int, step_s: float) -> list[float]:
    """When each of many callers begins, all of them there from the start, on a clock that moves in steps."""
    clock, times = ManualClock(), list[float]()
    pace = Pace(per_second, clock)

    async def call() -> None:
        await pace.slot()
        await pace.begin()
        times.append(clock.monotonic())

    calls = [asyncio.create_task(call()) for _ in range(callers)]
    await settled()
    while len(times) < callers:
        clock.advance(step_s)
        await settled()
    await asyncio.gather(*calls)
    return times


def most_in(times: list[float], stretch_s: float) -> int:
    """The most of *times* that lie in any stretch of *stretch_s*, its end aside."""
    return max(sum(start <= other < start + stretch_s for other in times) for start in times)


async def test_thirty_callers_at_once_begin_three_in_any_second() -> None:
    times = await begun(3, CALLERS, 0.25)
    assert most_in(times, 1) == 3
    assert times[-1] == 9, "and none later than it must be"


@given(st.floats(0.3, 20), st.floats(0.2, 3))
def test_no_pace_is_ever_exceeded(per_second: float, step_s: float) -> None:
    times = asyncio.run(begun(per_second, 8, step_s))
    burst = max(1, int(per_second))
    assert most_in(times, burst / per_second * (1 - 1e-9)) <= burst


async def test_a_pace_below_one_a_second_spreads_single_requests() -> None:
    assert [later - earlier for earlier, later in pairwise(await begun(0.5, 3, 0.5))] == [2, 2]


async def test_those_who_were_late_do_not_begin_together() -> None:
    clock = ManualClock()
    pace = Pace(2, clock)
    waiting = [asyncio.create_task(pace.slot()) for _ in range(6)]
    await settled()
    clock.advance(10)
    await asyncio.gather(*waiting)
    beginning = [asyncio.create_task(pace.begin()) for _ in range(6)]
    for expected in (2, 4, 6):
        await settled()
        assert sum(each.done() for each in beginning) == expected
        clock.advance(1)


async def test_a_slot_beyond_the_deadline_is_refused_at_once_and_taken_from_nobody() -> None:
    clock = ManualClock()
    pace = Pace(1, clock)
    await pace.slot()
    with pytest.raises(HttpRateLimited) as raised:
        await within(clock, 1, pace.slot())
    assert raised.value.status is None
    patient = asyncio.create_task(within(clock, 1.1, pace.slot()))
    await settled()
    clock.advance(1)
    await patient
