"""Rate limits, on a clock that moves by eighths of a second, so that every sum is exact."""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolaccord.sources.http import HttpRateLimited
from toolaccord.sources.http.rate_limit import RateLimiter
from toolaccord.testing import ManualClock
from toolaccord.timing.deadline import run_within

CALLERS = 30
STEP_S = 0.125
RATES = (0.5, 1, 2, 3, 4)


@dataclass(frozen=True)
class Caller:
    """A caller that may cancel its request or have a deadline; times in steps."""

    arrives: int
    cancels_after: int | None = None
    """Steps after its arrival."""
    timeout: int | None = None
    """Steps from its arrival to its deadline."""


@dataclass(frozen=True)
class Start:
    """Start of a request."""

    caller: int
    """Number of the caller, in the order of arrival."""
    arrived: float
    at: float


async def run_ready_tasks() -> None:
    """Let every task run until it waits for the clock."""
    for _ in range(20):
        await asyncio.sleep(0)


async def request(limiter: RateLimiter) -> None:
    async with limiter.queued():
        await limiter.take_slot()


@dataclass
class Simulation:
    """Callers of one rate limiter."""

    per_second: float
    starts: list[Start] = field(default_factory=list)
    """Starts of requests, in order."""
    rejected: set[int] = field(default_factory=set)
    """Numbers of the rejected callers."""
    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        self.limiter = RateLimiter(self.per_second, self.clock)

    async def call(self, number: int, caller: Caller) -> None:
        arrived = self.clock.monotonic()
        timeout_s = 1e6 if caller.timeout is None else caller.timeout * STEP_S
        try:
            await run_within(self.clock, timeout_s, request(self.limiter))
        except HttpRateLimited:
            self.rejected.add(number)
        except TimeoutError:
            pass
        else:
            self.starts.append(Start(number, arrived, self.clock.monotonic()))

    async def step(self) -> None:
        await run_ready_tasks()
        self.clock.advance(STEP_S)
        await run_ready_tasks()


async def simulate(per_second: float, callers: list[Caller]) -> Simulation:
    """Run *callers*, in the order of arrival, until each has finished."""
    simulation, tasks = Simulation(per_second), list[asyncio.Task[None]]()
    step = 0
    while len(tasks) < len(callers) or not all(task.done() for task in tasks):
        for task, caller in zip(tasks, callers, strict=False):
            if caller.cancels_after is not None and caller.arrives + caller.cancels_after == step:
                task.cancel()
        for number in range(len(tasks), sum(caller.arrives <= step for caller in callers)):
            tasks.append(asyncio.create_task(simulation.call(number, callers[number])))
        await simulation.step()
        step += 1
    simulation.clock.advance(10)
    return simulation


CALLER = st.builds(
    Caller,
    arrives=st.integers(0, 24),
    cancels_after=st.none() | st.integers(1, 24),
    timeout=st.none() | st.integers(1, 40),
)


def in_order(callers: list[Caller]) -> list[Caller]:
    return sorted(callers, key=lambda caller: caller.arrives)


@given(st.sampled_from(RATES), st.lists(CALLER, max_size=14).map(in_order))
def test_slots_keep_the_limit_and_the_order_and_cancelled_callers_use_none(
    per_second: float, callers: list[Caller]
) -> None:
    simulation = asyncio.run(simulate(per_second, callers))
    starts = simulation.starts
    burst = max(1, int(per_second))
    window_s = burst / per_second
    assert all(later.at - earlier.at >= window_s for earlier, later in zip(starts, starts[burst:], strict=False))
    assert [each.caller for each in starts] == sorted(each.caller for each in starts)
    expected = list[float]()
    for each in starts:
        earliest = expected[-burst] + window_s if len(expected) >= burst else 0
        expected.append(max(each.arrived, earliest))
    assert [each.at for each in starts] == expected, "cancelled callers must not delay others"
    unbounded = {number for number, each in enumerate(callers) if each.cancels_after is None and each.timeout is None}
    assert unbounded <= {each.caller for each in starts}
    assert all(callers[number].timeout is not None for number in simulation.rejected)
    assert simulation.limiter.has_free_slot()


async def test_thirty_callers_at_once_start_three_requests_in_any_second() -> None:
    starts = (await simulate(3, [Caller(0)] * CALLERS)).starts
    assert [each.at for each in starts] == [number // 3 for number in range(CALLERS)]


async def test_a_rate_below_one_a_second_spreads_single_requests() -> None:
    starts = (await simulate(0.5, [Caller(0)] * 3)).starts
    assert [later.at - earlier.at for earlier, later in pairwise(starts)] == [2, 2]


async def test_a_hundred_cancelled_callers_leave_the_next_one_its_slot() -> None:
    simulation = await simulate(3, [*[Caller(0, cancels_after=12)] * 100, Caller(13, timeout=8)])
    assert simulation.rejected == set()
    assert (simulation.starts[-1].caller, simulation.starts[-1].at) == (100, 2)


async def test_a_first_caller_that_waits_for_something_else_does_not_add_to_the_burst() -> None:
    clock, ready, times = ManualClock(), asyncio.Event(), list[float]()
    limiter = RateLimiter(2, clock)

    async def call() -> None:
        async with limiter.queued():
            await ready.wait()
            await limiter.take_slot()
        times.append(clock.monotonic())

    calls = [asyncio.create_task(call()) for _ in range(6)]
    await run_ready_tasks()
    clock.advance(10)
    ready.set()
    for _ in range(4):
        await run_ready_tasks()
        clock.advance(1)
    await asyncio.gather(*calls)
    assert times == [10, 10, 11, 11, 12, 12]


async def test_a_caller_whose_slot_is_beyond_its_deadline_is_rejected_at_once_and_uses_no_slot() -> None:
    clock = ManualClock()
    limiter = RateLimiter(1, clock)
    await request(limiter)
    with pytest.raises(HttpRateLimited) as raised:
        await run_within(clock, 1, request(limiter))
    assert (raised.value.status, raised.value.retry_after_s) == (None, 1)
    patient = asyncio.create_task(run_within(clock, 1.1, request(limiter)))
    await run_ready_tasks()
    clock.advance(1)
    await patient


async def test_a_rejected_caller_reads_when_a_call_with_as_much_time_gets_a_slot() -> None:
    clock = ManualClock()
    limiter = RateLimiter(1, clock)
    waiting = [asyncio.create_task(request(limiter)) for _ in range(8)]
    await run_ready_tasks()
    with pytest.raises(HttpRateLimited) as raised:
        await run_within(clock, 5, request(limiter))
    assert raised.value.retry_after_s == 3
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_pause_rejects_at_once_the_callers_whose_deadline_is_earlier() -> None:
    clock = ManualClock()
    limiter = RateLimiter(1, clock)
    await request(limiter)
    patient, hasty, last = (asyncio.create_task(run_within(clock, left_s, request(limiter))) for left_s in (30, 5, 30))
    await run_ready_tasks()
    limiter.pause_until(10)
    await run_ready_tasks()
    assert isinstance(hasty.exception(), HttpRateLimited)
    clock.advance(9.875)
    await run_ready_tasks()
    assert not patient.done()
    clock.advance(0.125)
    await patient
    assert not last.done()
    clock.advance(1)
    await last


async def test_a_pause_rejects_the_first_caller_in_the_queue_too() -> None:
    clock = ManualClock()
    limiter = RateLimiter(1, clock)
    await request(limiter)
    first = asyncio.create_task(run_within(clock, 5, request(limiter)))
    await run_ready_tasks()
    limiter.pause_until(10)
    clock.advance(1)
    with pytest.raises(HttpRateLimited):
        await first
