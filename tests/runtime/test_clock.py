import asyncio

import pytest

from runtime.clock import Late, SystemClock, within
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


async def test_a_manual_clock_calls_what_falls_due_in_order() -> None:
    clock, called = ManualClock(), list[str]()
    clock.call_later(2, lambda: called.append("second"))
    clock.call_later(1, lambda: called.append("first"))
    clock.call_later(1.5, lambda: called.append("never")).cancel()
    clock.advance(1)
    assert called == ["first"]
    clock.advance(1)
    assert called == ["first", "second"]
    assert clock.monotonic() == 2
    assert (clock.now() - ManualClock().now()).total_seconds() == 2
