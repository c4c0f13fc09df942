import asyncio
import socket
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import cast

import pytest

from toolaccord.errors import SourceError
from toolaccord.sources.breaker import PAUSE_S
from toolaccord.sources.redis import Redis, RedisError, Script
from toolaccord.sources.redis.shared_store import SharedStore, SharedStoreUnavailable
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.clock import SystemClock, sleep
from toolaccord.timing.deadline import DeadlineExceeded, run_within


class Guarded:
    """A shared store whose operations fail while *error* is set, with a count of those tried."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.store = SharedStore("state", cast("Redis", self), self.clock)
        self.answers_pings = True
        self.error: Exception | None = None
        self.tried = 0

    async def answer(self) -> str:
        self.tried += 1
        if self.error:
            raise self.error
        return "answer"

    async def run_script(self, _script: Script, _keys: list[str], _arguments: list[str], *, is_patient: bool) -> None:
        """Answer a ping, or hang."""
        assert is_patient
        if not self.answers_pings:
            await sleep(self.clock, 3600)

    async def succeeds(self, *, writes: bool = False) -> bool:
        """Return whether an operation succeeds."""
        try:
            return await self.store.run(self.answer, writes=writes) == "answer"
        except SharedStoreUnavailable:
            return False


async def test_a_store_that_failed_is_left_alone_for_a_second_and_then_tried_again() -> None:
    guarded = Guarded()
    guarded.error = SourceError("no connection")
    assert not await guarded.succeeds()
    guarded.clock.advance(PAUSE_S * 0.99)
    assert not await guarded.succeeds()
    assert guarded.tried == 1
    guarded.clock.advance(PAUSE_S * 0.02)
    guarded.error = None
    assert await guarded.succeeds()
    assert await guarded.succeeds()
    assert (guarded.tried, guarded.store.failures, guarded.store.state) == (3, 1, "available")


async def test_one_operation_alone_tries_a_store_that_was_unavailable() -> None:
    guarded = Guarded()
    guarded.error = SourceError("no connection")
    await guarded.succeeds()
    guarded.clock.advance(PAUSE_S)
    answering = asyncio.Event()

    async def wait() -> str:
        await answering.wait()
        return "late"

    first = asyncio.create_task(guarded.store.run(wait))
    await asyncio.sleep(0)
    assert [await guarded.succeeds() for _ in range(10)] == [False] * 10
    answering.set()
    assert await first == "late"
    assert guarded.tried == 1


async def test_a_store_that_rejects_writes_still_answers_reads() -> None:
    guarded = Guarded()
    guarded.error = RedisError("no room", failure="full")
    assert not await guarded.succeeds(writes=True)
    guarded.error = None
    assert await guarded.succeeds()
    assert not await guarded.succeeds(writes=True), "writes are left for a second"
    guarded.clock.advance(PAUSE_S)
    assert await guarded.succeeds(writes=True)
    assert await guarded.succeeds(writes=True)
    assert guarded.tried == 4


async def test_each_change_of_state_is_logged_once() -> None:
    guarded = Guarded()
    with capture_logs() as lines:
        for error in (
            SourceError("cut"),
            SourceError("cut"),
            RedisError("full", failure="full"),
            RedisError("full", failure="full"),
            None,
            None,
        ):
            guarded.error = error
            guarded.clock.advance(PAUSE_S)
            await asyncio.gather(*(guarded.succeeds(writes=True) for _ in range(3)))
    assert [line.getMessage() for line in lines] == [
        "the shared store state is unavailable, and this process goes on without it: cut",
        "the shared store state is read_only, and this process goes on without it: full",
        "the shared store state is available again",
    ]


def run_under(
    guarded: Guarded, seconds: float, operation: Callable[[], Coroutine[None, None, str]]
) -> asyncio.Task[str]:
    """Run *operation* on the store in a call that has *seconds*."""
    return asyncio.create_task(run_within(guarded.clock, seconds, guarded.store.run(operation)))


async def test_an_operation_takes_at_most_a_quarter_of_the_time_that_the_call_has_left() -> None:
    guarded = Guarded()

    async def hang() -> str:
        await sleep(guarded.clock, 3600)
        return "never"

    call = run_under(guarded, 8, hang)
    for _ in range(5):
        await asyncio.sleep(0)
    guarded.clock.advance(1.99)
    await asyncio.sleep(0)
    assert not call.done()
    guarded.clock.advance(0.02)
    for _ in range(5):
        await asyncio.sleep(0)
    assert call.done()
    assert isinstance(call.exception(), SharedStoreUnavailable)
    assert guarded.store.state == "slow"
    assert not await guarded.succeeds(), "a cache is skipped for a second"


async def settle_down() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_an_operation_that_must_count_is_tried_on_a_slow_store_and_has_nine_tenths_of_the_time() -> None:
    guarded = Guarded()
    guarded.store.state = "slow"

    async def answer_late() -> str:
        await sleep(guarded.clock, 8.9)
        return "late"

    counting = partial(guarded.store.run, answer_late, writes=True, must_count=True)
    call = asyncio.create_task(run_within(guarded.clock, 10, counting()))
    await settle_down()
    guarded.clock.advance(8.95)
    assert await call == "late"
    assert guarded.store.state == "slow", "a late answer does not help a cache"


async def test_a_store_that_answers_no_operation_by_nine_tenths_of_the_time_is_away() -> None:
    guarded = Guarded()

    async def hang() -> str:
        await sleep(guarded.clock, 3600)
        return "never"

    counting = partial(guarded.store.run, hang, writes=True, must_count=True)
    call = asyncio.create_task(run_within(guarded.clock, 10, counting()))
    await settle_down()
    guarded.clock.advance(9.1)
    with pytest.raises(SharedStoreUnavailable):
        await call
    assert guarded.store.state == "unavailable"
    assert not await guarded.succeeds()


async def count_late(guarded: Guarded) -> BaseException | None:
    """Count on a store that takes longer than the call; return its outcome."""

    async def hang() -> str:
        await sleep(guarded.clock, 3600)
        return "never"

    counting = guarded.store.run(hang, writes=True, must_count=True)
    call = asyncio.create_task(run_within(guarded.clock, 0.2, counting))
    await settle_down()
    guarded.clock.advance(0.19)
    await settle_down()
    return call.exception()


async def test_a_silent_store_is_away_after_a_second_and_calls_before_are_late() -> None:
    guarded = Guarded()
    guarded.answers_pings = False
    outcomes = [type(await count_late(guarded)) for _ in range(8)]
    assert outcomes == [DeadlineExceeded] * 6 + [SharedStoreUnavailable] * 2
    assert guarded.store.state == "unavailable"


async def test_a_call_that_tries_a_silent_store_again_is_counted_here_and_not_late() -> None:
    guarded = Guarded()
    guarded.store.state = "unavailable"
    assert isinstance(await count_late(guarded), SharedStoreUnavailable)


async def test_a_silent_store_is_away_although_no_other_call_comes() -> None:
    guarded = Guarded()
    guarded.answers_pings = False
    assert isinstance(await count_late(guarded), DeadlineExceeded)
    guarded.clock.advance(1.01)
    await settle_down()
    assert guarded.store.state == "unavailable"


async def test_late_counts_far_apart_show_no_silence_of_a_store_that_answers_pings() -> None:
    guarded = Guarded()
    for pause_s in (0.5, 1, 3600):
        assert isinstance(await count_late(guarded), DeadlineExceeded)
        guarded.clock.advance(pause_s)
        await settle_down()
    assert (guarded.store.state, guarded.store.failures) == ("available", 0)


async def test_a_store_that_answers_others_is_not_away_and_a_call_that_it_does_not_count_is_late() -> None:
    guarded = Guarded()

    async def hang() -> str:
        await sleep(guarded.clock, 3600)
        return "never"

    counting = partial(guarded.store.run, hang, writes=True, must_count=True)
    call = asyncio.create_task(run_within(guarded.clock, 10, counting()))
    await settle_down()
    guarded.clock.advance(5)
    assert await guarded.succeeds()
    guarded.clock.advance(4.1)
    with pytest.raises(DeadlineExceeded):
        await call
    assert guarded.store.state == "available"


async def test_a_store_that_answers_with_an_error_is_not_silent() -> None:
    guarded = Guarded()
    guarded.answers_pings = False
    assert isinstance(await count_late(guarded), DeadlineExceeded)
    guarded.error = RedisError("no room", failure="full")
    assert not await guarded.succeeds(writes=True)
    guarded.clock.advance(PAUSE_S)
    await settle_down()
    assert guarded.store.state == "read_only"


async def test_a_call_without_time_to_count_is_late_and_does_not_blame_the_store() -> None:
    guarded = Guarded()
    counting = partial(guarded.store.run, guarded.answer, writes=True, must_count=True)
    with pytest.raises(DeadlineExceeded):
        await run_within(guarded.clock, 0.005, counting())
    assert (guarded.tried, guarded.store.state) == (0, "available")


async def test_a_call_with_hardly_any_time_left_does_not_blame_the_store() -> None:
    guarded = Guarded()
    with pytest.raises(SharedStoreUnavailable):
        await run_under(guarded, 0.01, guarded.answer)
    assert (guarded.tried, guarded.store.state, guarded.store.failures) == (0, "available", 0)


async def test_a_fault_of_the_program_is_no_fault_of_the_store() -> None:
    guarded = Guarded()
    guarded.error = ValueError("a mistake")
    with pytest.raises(ValueError, match="a mistake"):
        await guarded.succeeds()
    assert (guarded.store.state, guarded.store.failures) == ("available", 0)


async def test_an_answer_that_waits_for_a_busy_process_is_no_failure_of_the_store() -> None:
    clock = SystemClock()
    store = SharedStore("state", cast("Redis", None), clock)
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)

    async def call() -> bytes:
        operation = asyncio.create_task(store.run(partial(reader.readexactly, 6)))
        for _ in range(3):
            await asyncio.sleep(0)
        theirs.send(b"answer")
        spin_until(clock.monotonic() + 0.3)  # the event loop stands still
        return await operation

    assert await run_within(clock, 1, call()) == b"answer"
    assert (store.state, store.failures) == ("available", 0)
    writer.close()
    await writer.wait_closed()
    theirs.close()


def spin_until(limit: float) -> None:
    while time.monotonic() < limit:
        pass
