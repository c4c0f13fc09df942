import asyncio

import pytest

from runtime.clock import SystemClock
from runtime.deadline import Late, time_left, within
from runtime.testing import ManualClock


async def test_work_in_time_gives_its_result() -> None:
    async def work() -> int:
        return 1

    assert await within(SystemClock(), 60, work()) == 1


async def test_late_work_is_given_up_without_waiting_for_its_cleanup() -> None:
    clock, cleaned = ManualClock(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await cleaned.wait()

    waiting = asyncio.create_task(within(clock, 10, work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    clock.advance(9.999)
    await asyncio.sleep(0)
    assert not waiting.done()
    clock.advance(0.001)
    with pytest.raises(Late):
        await waiting
    cleaned.set()


async def test_work_is_cancelled_with_its_caller() -> None:
    stopped = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    waiting = asyncio.create_task(within(ManualClock(), 10, work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await stopped.wait()


async def test_work_that_cancels_itself_is_a_fault_and_no_cancellation() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError):
        await within(ManualClock(), 10, work())


@pytest.mark.parametrize("ticks", range(1, 7))
async def test_a_result_goes_to_its_caller_or_is_disposed_of(ticks: int) -> None:
    held: list[int] = []

    async def work() -> int:
        await asyncio.sleep(0)
        held.append(1)
        return 1

    waiting = asyncio.create_task(within(ManualClock(), 10, work(), dispose=held.remove))
    for _ in range(ticks):
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    for _ in range(3):
        await asyncio.sleep(0)
    assert held == ([] if waiting.cancelled() else [1])


async def test_a_result_in_spite_of_being_late_is_disposed_of() -> None:
    clock, disposed = ManualClock(), asyncio.get_running_loop().create_future()

    async def work() -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return 5
        return 6

    waiting = asyncio.create_task(within(clock, 10, work(), dispose=disposed.set_result))
    await clock.asked()
    await asyncio.sleep(0)
    clock.advance(10)
    with pytest.raises(Late):
        await waiting
    assert await disposed == 5


async def test_work_knows_how_much_time_it_has_left_and_the_nearest_deadline_counts() -> None:
    clock = ManualClock()

    async def left() -> float | None:
        return time_left(clock)

    async def work() -> list[float | None]:
        clock.advance(1)
        return [await left(), await within(clock, 3, left()), await within(clock, 30, left())]

    assert time_left(clock) is None
    assert await within(clock, 10, work()) == [9, 3, 9]
    assert time_left(clock) is None
