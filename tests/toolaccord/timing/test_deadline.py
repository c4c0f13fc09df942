import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest

from toolaccord.testing import ManualClock
from toolaccord.timing.clock import SystemClock
from toolaccord.timing.deadline import (
    DeadlineExceeded,
    DeadlineQueue,
    DeadlineTask,
    paused_deadline,
    run_within,
    time_left,
)


async def test_a_coroutine_in_time_returns_its_result() -> None:
    async def work() -> int:
        return 1

    assert await run_within(SystemClock(), 60, work()) == 1


async def test_a_late_coroutine_is_abandoned_without_waiting_for_its_cleanup() -> None:
    clock, cleaned = ManualClock(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await cleaned.wait()

    waiting = asyncio.create_task(run_within(clock, 10, work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    clock.advance(9.999)
    await asyncio.sleep(0)
    assert not waiting.done()
    clock.advance(0.001)
    with pytest.raises(DeadlineExceeded):
        await waiting
    cleaned.set()


async def test_a_paused_deadline_stands_still_and_starts_again_whole() -> None:
    clock, paused, answered = ManualClock(), asyncio.Event(), asyncio.Event()

    async def work() -> tuple[float | None, float | None]:
        with paused_deadline():
            paused.set()
            await answered.wait()
            meanwhile = time_left(clock)
        return meanwhile, time_left(clock)

    waiting = asyncio.create_task(run_within(clock, 10, work()))
    await paused.wait()
    clock.advance(1000)
    answered.set()
    assert await waiting == (None, 10)


async def test_a_coroutine_is_cancelled_with_its_caller() -> None:
    stopped = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    waiting = asyncio.create_task(run_within(ManualClock(), 10, work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await stopped.wait()


async def test_a_coroutine_that_cancels_itself_is_an_error() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError):
        await run_within(ManualClock(), 10, work())


@pytest.mark.parametrize("ticks", range(1, 7))
async def test_a_result_goes_to_its_caller_or_is_disposed_of(ticks: int) -> None:
    held: list[int] = []

    async def work() -> int:
        await asyncio.sleep(0)
        held.append(1)
        return 1

    waiting = asyncio.create_task(run_within(ManualClock(), 10, work(), dispose=held.remove))
    for _ in range(ticks):
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    for _ in range(3):
        await asyncio.sleep(0)
    assert held == ([] if waiting.cancelled() else [1])


async def test_a_result_after_the_deadline_is_disposed_of() -> None:
    clock, disposed = ManualClock(), asyncio.get_running_loop().create_future()

    async def work() -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return 5
        return 6

    waiting = asyncio.create_task(run_within(clock, 10, work(), dispose=disposed.set_result))
    await clock.wait_for_timer()
    await asyncio.sleep(0)
    clock.advance(10)
    with pytest.raises(DeadlineExceeded):
        await waiting
    assert await disposed == 5


async def test_time_left_is_the_time_until_the_earliest_deadline() -> None:
    clock = ManualClock()

    async def left() -> float | None:
        return time_left(clock)

    async def work() -> list[float | None]:
        clock.advance(1)
        return [await left(), await run_within(clock, 3, left()), await run_within(clock, 30, left())]

    assert time_left(clock) is None
    assert await run_within(clock, 10, work()) == [9, 3, 9]
    assert time_left(clock) is None


class Panic(BaseException):
    """The BaseException that a Rust extension raises for a bug of its own."""


class Outcomes(list[tuple[int | None, BaseException | None]]):
    """The outcomes reported by tasks."""

    def add(self, result: int | None, error: BaseException | None) -> None:
        """Add an outcome."""
        self.append((result, error))


async def test_the_outcome_is_reported_in_the_turn_in_which_it_is_known() -> None:
    outcomes, next_turn = Outcomes(), (None, None)

    async def work() -> int:
        asyncio.get_running_loop().call_soon(outcomes.append, next_turn)
        return 3

    DeadlineTask(DeadlineQueue(ManualClock(), 10), work(), outcomes.add)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert outcomes == [(3, None), next_turn]


async def test_a_task_abandoned_before_its_start_never_starts() -> None:
    outcomes, starts = Outcomes(), list[int]()

    async def work() -> int:
        starts.append(1)
        return 1

    running = DeadlineTask(DeadlineQueue(ManualClock(), 10), work(), outcomes.add)
    running.abandon()
    ((result, error),) = outcomes
    assert result is None
    assert isinstance(error, asyncio.CancelledError)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not starts


async def test_an_outcome_is_reported_once() -> None:
    clock, outcomes = ManualClock(), Outcomes()

    async def work() -> int:
        return 1

    running = DeadlineTask(DeadlineQueue(clock, 10), work(), outcomes.add)
    await asyncio.sleep(0)
    running.abandon()
    clock.advance(11)
    assert outcomes == [(1, None)]


async def test_cleanup_after_the_deadline_runs_in_the_same_task() -> None:
    clock, outcomes, tasks = ManualClock(), Outcomes(), list[object]()

    async def work() -> int:
        tasks.append(asyncio.current_task())
        try:
            await asyncio.Event().wait()
        finally:
            tasks.append(asyncio.current_task())
        return 1

    DeadlineTask(DeadlineQueue(clock, 10), work(), outcomes.add)
    await asyncio.sleep(0)
    clock.advance(10)
    ((_, error),) = outcomes
    assert isinstance(error, DeadlineExceeded)
    await asyncio.sleep(0)
    assert len(tasks) == 2
    assert len(set(tasks)) == 1


async def test_a_cancellation_by_anybody_but_the_owner_is_an_error() -> None:
    outcomes = Outcomes()

    async def work(*, by_itself: bool) -> int:
        if by_itself:
            asyncio.current_task().cancel()  # type: ignore[union-attr] # it runs in one
        await asyncio.Event().wait()
        return 1

    for by_itself in (True, False):
        DeadlineTask(DeadlineQueue(ManualClock(), 10), work(by_itself=by_itself), outcomes.add)
    await asyncio.sleep(0)
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert [type(error) for _, error in outcomes] == [RuntimeError, RuntimeError]


async def test_a_base_exception_is_an_outcome_and_does_not_escape() -> None:
    outcomes = Outcomes()

    async def work() -> int:
        raise Panic

    DeadlineTask(DeadlineQueue(ManualClock(), 10), work(), outcomes.add)
    (task,) = asyncio.all_tasks() - {asyncio.current_task()}
    await task
    ((_, error),) = outcomes
    assert isinstance(error, Panic)


async def test_a_coroutine_that_advances_the_clock_past_its_deadline_is_late() -> None:
    clock, outcomes = ManualClock(), Outcomes()

    async def work() -> int:
        clock.advance(10)
        return 1

    DeadlineTask(DeadlineQueue(clock, 10), work(), outcomes.add)
    await asyncio.sleep(0)
    ((_, error),) = outcomes
    assert isinstance(error, DeadlineExceeded)


async def test_every_outcome_is_reported_in_the_context_of_the_start() -> None:
    clock, context, reported = ManualClock(), ContextVar("context", default=""), list[str]()
    deadlines = DeadlineQueue(clock, 10)

    async def work(*, ends: bool) -> int:
        if not ends:
            await asyncio.Event().wait()
        return 1

    def on_done(_result: int | None, _error: BaseException | None) -> None:
        reported.append(context.get())

    tasks = []
    for name, ends in (("done", True), ("abandoned", False), ("late", False)):
        token = context.set(name)
        tasks.append(DeadlineTask(deadlines, work(ends=ends), on_done))
        context.reset(token)
    await asyncio.sleep(0)
    tasks[1].abandon()
    clock.advance(10)
    assert reported == ["done", "abandoned", "late"]


async def test_each_task_has_its_own_deadline_on_one_shared_timer() -> None:
    clock, outcomes = ManualClock(), Outcomes()
    deadlines = DeadlineQueue(clock, 10)

    async def work() -> int:
        await asyncio.Event().wait()
        return 1

    DeadlineTask(deadlines, work(), outcomes.add)
    clock.advance(4)
    second = DeadlineTask(deadlines, work(), outcomes.add)
    clock.advance(4)
    DeadlineTask(deadlines, work(), outcomes.add)
    await asyncio.sleep(0)
    clock.advance(1.999)
    assert not outcomes
    clock.advance(0.001)
    assert len(outcomes) == 1  # after ten seconds
    second.abandon()
    clock.advance(7.999)
    assert len(outcomes) == 2
    clock.advance(0.001)
    assert [type(error) for _, error in outcomes] == [DeadlineExceeded, asyncio.CancelledError, DeadlineExceeded]


async def test_a_callback_that_raises_does_not_stop_other_deadlines() -> None:
    clock, outcomes = ManualClock(), Outcomes()
    deadlines = DeadlineQueue(clock, 10)

    async def work() -> int:
        await asyncio.Event().wait()
        return 1

    def fails(_result: int | None, _error: BaseException | None) -> None:
        raise ValueError("broken callback")

    DeadlineTask(deadlines, work(), fails)
    DeadlineTask(deadlines, work(), outcomes.add)
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="broken callback"):
        clock.advance(10)
    clock.advance(0)
    ((_, error),) = outcomes
    assert isinstance(error, DeadlineExceeded)


class CountingClock(ManualClock):
    """A clock that counts its running timers."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[Any] = []

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Any:
        """Call *callback* later."""
        timer = super().call_later(seconds, callback)
        self.timers.append(timer)
        return timer

    @property
    def running(self) -> int:
        """Number of timers that are neither cancelled nor expired."""
        return sum(not timer.cancelled for timer in self.timers if timer.expires_at > self.monotonic())


async def test_one_timer_serves_all_tasks_and_ends_without_any() -> None:
    clock, outcomes = CountingClock(), Outcomes()
    deadlines = DeadlineQueue(clock, 10)

    async def work() -> int:
        return 1

    for _ in range(3):
        DeadlineTask(deadlines, work(), outcomes.add)
    assert clock.running == 1
    await asyncio.sleep(0)
    clock.advance(5)
    DeadlineTask(deadlines, work(), outcomes.add)
    await asyncio.sleep(0)
    assert outcomes == [(1, None)] * 4
    assert len(clock.timers) == 1
    clock.advance(5)
    assert clock.running == 0
    assert len(clock.timers) == 1


async def test_a_deadline_holds_although_the_timer_ran_for_an_earlier_task() -> None:
    clock, outcomes = CountingClock(), Outcomes()
    deadlines = DeadlineQueue(clock, 10)

    DeadlineTask(deadlines, asyncio.sleep(0), outcomes.add)
    await asyncio.sleep(0)
    clock.advance(4)
    DeadlineTask(deadlines, asyncio.sleep(3600), outcomes.add)
    await asyncio.sleep(0)
    clock.advance(6)
    assert len(outcomes) == 1
    clock.advance(4)
    (_, (_, error)) = outcomes
    assert isinstance(error, DeadlineExceeded)


async def test_a_coroutine_within_seconds_leaves_no_timer() -> None:
    clock = CountingClock()
    assert await run_within(clock, 10, asyncio.sleep(0, "done")) == "done"
    assert clock.running == 0
