import asyncio

from toolaccord.testing import ManualClock
from toolaccord.timing.clock import sleep


async def test_a_manual_clock_calls_expired_timers_in_order() -> None:
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


async def test_sleep_ends_when_the_clock_has_advanced() -> None:
    clock = ManualClock()
    sleeping = asyncio.create_task(sleep(clock, 2))
    await clock.wait_for_timer()
    clock.advance(1.999)
    await asyncio.sleep(0)
    assert not sleeping.done()
    clock.advance(0.001)
    await sleeping
