"""A service with a limit: what probes may take of it, what becomes of those who hang up, and what 429 means to all."""

import asyncio
from dataclasses import dataclass, field

import pytest

from tests.toolpact.sources.test_http import answer, service
from toolpact.sources.http import HttpRateLimited, HttpUnavailable
from toolpact.testing import ManualClock
from toolpact.timing.deadline import run_within


@dataclass
class Service:
    """What answers each request with a status, and counts them."""

    status: str = "200 OK"
    asked: int = 0
    hangs: bool = False
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        self.asked += 1
        self.came.set()
        if not self.hangs:
            await answer(b"1", self.status)(head, writer)


async def test_probes_of_a_service_with_a_limit_ask_it_once_in_a_while() -> None:
    there, clock = Service(), ManualClock()
    async with service(there.serve, clock, requests_per_second=3) as http:
        for _ in range(21):
            await http.check()
            clock.advance(1)
    assert there.asked == 3


async def test_a_probe_takes_no_turn_from_a_call_and_goes_by_what_calls_are_answered() -> None:
    there, clock = Service(), ManualClock()
    async with service(there.serve, clock, requests_per_second=1) as http:
        assert await http.get_json("x") == 1
        await http.check()
        there.status = "503 Busy"
        clock.advance(1)
        with pytest.raises(HttpUnavailable):
            await http.get_json("x")
        with pytest.raises(HttpUnavailable):
            await http.check()
        assert there.asked == 2


async def test_a_probe_with_no_turn_free_waits_for_none() -> None:
    there, clock = Service(hangs=True), ManualClock()
    async with service(there.serve, clock, requests_per_second=1) as http:
        asking = asyncio.create_task(http.get_json("x"))
        await there.came.wait()
        await http.check()
        asking.cancel()
    assert there.asked == 1


async def test_a_probe_with_no_connection_free_waits_for_none() -> None:
    there = Service(hangs=True)
    async with service(there.serve, ManualClock(), max_connections=1) as http:
        asking = asyncio.create_task(http.get_json("x"))
        await there.came.wait()
        await http.check()
        asking.cancel()
    assert there.asked == 1


async def test_a_probe_that_is_given_up_is_not_made_again_at_once() -> None:
    there, clock = Service(hangs=True), ManualClock()
    async with service(there.serve, clock, requests_per_second=3) as http:
        probe = asyncio.create_task(http.check())
        await there.came.wait()
        probe.cancel()
        await asyncio.wait({probe})
        clock.advance(5)
        with pytest.raises(HttpUnavailable):
            await http.check()
        assert there.asked == 1
        there.hangs = False
        clock.advance(5)
        await http.check()


@pytest.mark.parametrize("status", ["429 Slow down", "404 Not Found"])
async def test_a_service_that_refuses_is_there(status: str) -> None:
    there = Service(status)
    async with service(there.serve, ManualClock(), requests_per_second=3) as http:
        await http.check()
    assert there.asked == 1


async def test_a_hundred_calls_that_were_hung_up_keep_nothing_from_the_next() -> None:
    there, clock = Service(), ManualClock()
    async with service(there.serve, clock, requests_per_second=3) as http:
        calls = [asyncio.create_task(http.get_json("x")) for _ in range(100)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        clock.advance(1.5)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        clock.advance(1)
        assert await run_within(clock, 1, http.get_json("x")) == 1


async def test_429_pauses_every_caller_for_as_long_as_it_says() -> None:
    clock, busy, asked = ManualClock(), True, 0

    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        if busy:
            writer.write(b"HTTP/1.1 429 Slow down\r\nRetry-After: 20\r\nContent-Length: 0\r\n\r\n")
        else:
            await answer(b"1")(head, writer)

    async with service(serve, clock, requests_per_second=3) as http:
        with pytest.raises(HttpRateLimited):
            await http.get_json("x")
        busy = False
        clock.advance(10)
        with pytest.raises(HttpRateLimited):
            await run_within(clock, 5, http.get_json("x"))
        assert asked == 1
        patient = asyncio.create_task(run_within(clock, 30, http.get_json("x")))
        await clock.asked()
        clock.advance(9)
        assert not patient.done()
        clock.advance(1)
        assert await patient == 1


async def test_no_answer_pauses_all_callers_for_longer_than_a_minute() -> None:
    clock, busy = ManualClock(), True

    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        if busy:
            writer.write(b"HTTP/1.1 429 No\r\nRetry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n")
        else:
            await answer(b"1")(head, writer)

    async with service(serve, clock, requests_per_second=3) as http:
        with pytest.raises(HttpRateLimited):
            await http.get_json("x")
        busy = False
        clock.advance(60)
        assert await http.get_json("x") == 1
