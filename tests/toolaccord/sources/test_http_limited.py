"""Rate-limited services: probes, cancelled callers, and status 429."""

import asyncio
from dataclasses import dataclass, field

import pytest

from tests.toolaccord.sources.test_http import answer, service
from toolaccord.sources.http import Http, HttpRateLimited, HttpUnavailable
from toolaccord.testing import ManualClock
from toolaccord.timing.deadline import run_within


@dataclass
class Service:
    """A service that answers each request with one status, and counts them."""

    status: str = "200 OK"
    request_count: int = 0
    hangs: bool = False
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        self.request_count += 1
        self.arrived.set()
        if not self.hangs:
            await answer(b"1", self.status)(head, writer)


async def test_a_rate_limited_service_is_probed_every_ten_seconds() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=3) as http:
        for _ in range(21):
            await http.check()
            clock.advance(1)
    assert stub.request_count == 3


async def test_a_probe_takes_no_slot_from_calls_and_uses_their_outcome() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=1) as http:
        assert await http.get_json("x") == 1
        await http.check()
        stub.status = "503 Busy"
        clock.advance(1)
        with pytest.raises(HttpUnavailable):
            await http.get_json("x")
        with pytest.raises(HttpUnavailable):
            await http.check()
        assert stub.request_count == 2


async def test_a_probe_does_not_wait_for_a_slot() -> None:
    stub, clock = Service(hangs=True), ManualClock()
    async with service(stub.serve, clock, requests_per_second=1) as http:
        call = asyncio.create_task(http.get_json("x"))
        await stub.arrived.wait()
        await http.check()
        call.cancel()
    assert stub.request_count == 1


async def test_a_probe_does_not_wait_for_a_connection() -> None:
    stub = Service(hangs=True)
    async with service(stub.serve, ManualClock(), max_connections=1) as http:
        call = asyncio.create_task(http.get_json("x"))
        await stub.arrived.wait()
        await http.check()
        call.cancel()
    assert stub.request_count == 1


async def test_a_cancelled_probe_is_not_repeated_at_once() -> None:
    stub, clock = Service(hangs=True), ManualClock()
    async with service(stub.serve, clock, requests_per_second=3) as http:
        probe = asyncio.create_task(http.check())
        await stub.arrived.wait()
        probe.cancel()
        await asyncio.wait({probe})
        clock.advance(5)
        with pytest.raises(HttpUnavailable, match="no answer"):
            await http.check()
        assert stub.request_count == 1
        stub.hangs = False
        clock.advance(5)
        await http.check()


@pytest.mark.parametrize("status", ["429 Slow down", "404 Not Found"])
async def test_a_service_that_answers_4xx_passes_its_check(status: str) -> None:
    stub = Service(status)
    async with service(stub.serve, ManualClock(), requests_per_second=3) as http:
        await http.check()
    assert stub.request_count == 1


async def test_a_hundred_cancelled_calls_do_not_delay_the_next() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=3) as http:
        calls = [asyncio.create_task(http.get_json("x")) for _ in range(100)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        clock.advance(1.5)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        clock.advance(1)
        assert await run_within(clock, 1, http.get_json("x")) == 1


async def test_429_pauses_every_caller_for_its_retry_after() -> None:
    clock, busy, request_count = ManualClock(), True, 0

    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal request_count
        request_count += 1
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
        assert request_count == 1
        patient = asyncio.create_task(run_within(clock, 30, http.get_json("x")))
        await clock.wait_for_timer()
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


@pytest.mark.parametrize("status, failure", [("503 Busy", HttpUnavailable), ("429 Slow down", HttpRateLimited)])
async def test_the_status_of_a_response_counts_however_large_it_is(status: str, failure: type[Exception]) -> None:
    async with service(answer(b"x" * 5000, status), ManualClock(), max_response_bytes=1024) as http:
        with pytest.raises(failure):
            await http.get_json("x")


async def _run_ready_tasks() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def _queue(http: Http, clock: ManualClock, *deadlines_s: float) -> list[asyncio.Task[object]]:
    """Take the only slot of a second, and start a request for each deadline."""
    await http.get_json("first")
    calls = [asyncio.create_task(run_within(clock, seconds, http.get_json("x", {"a": 1}))) for seconds in deadlines_s]
    await _run_ready_tasks()
    return calls


async def test_equal_requests_that_wait_for_a_slot_are_sent_once() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=1) as http:
        assert not http.is_queueing
        calls = await _queue(http, clock, 10, 10, 11)
        other = asyncio.create_task(http.get_json("x", {"a": 2}))
        assert http.is_queueing
        calls[0].cancel()
        clock.advance(1)
        assert await asyncio.gather(*calls[1:]) == [1, 1]
        assert stub.request_count == 2
        clock.advance(1)
        assert await other == 1


async def test_requests_of_the_same_moment_count_as_waiting() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=2) as http:

        async def is_queueing(path: str) -> bool:
            found = http.is_queueing
            await http.get_json(path)
            return found

        calls = [asyncio.create_task(is_queueing(path)) for path in "abc"]
        await _run_ready_tasks()
        clock.advance(1)
        assert await asyncio.gather(*calls) == [False, False, True]


async def test_a_request_that_was_sent_is_joined_by_nobody() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=1) as http:
        (sent,) = await _queue(http, clock, 10)
        stub.hangs = True
        stub.arrived.clear()
        clock.advance(1)
        await stub.arrived.wait()
        stub.hangs = False
        later = asyncio.create_task(http.get_json("x", {"a": 1}))
        await _run_ready_tasks()
        clock.advance(1)
        assert await later == 1
        assert not sent.done()
        sent.cancel()


async def test_a_request_ends_with_its_last_caller() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=1) as http:
        for call in await _queue(http, clock, 10, 10):
            call.cancel()
        await _run_ready_tasks()
        clock.advance(1)
        assert not http.is_queueing
        assert await http.get_json("x", {"a": 1}) == 1
        assert stub.request_count == 2


async def test_a_caller_with_more_time_starts_another_request_when_a_pause_outlasts_the_joined_one() -> None:
    rejected, clock, arrived = asyncio.Event(), ManualClock(), asyncio.Event()

    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        if b"first" in head:
            arrived.set()
            await rejected.wait()
            await answer(b"1", "429 Slow down\r\nRetry-After: 5")(head, writer)
        else:
            await answer(b"1")(head, writer)

    async with service(serve, clock, requests_per_second=1) as http:
        first = asyncio.create_task(http.get_json("first"))
        await arrived.wait()
        calls = [asyncio.create_task(run_within(clock, seconds, http.get_json("x"))) for seconds in (3, 10, 10)]
        await _run_ready_tasks()
        rejected.set()
        with pytest.raises(HttpRateLimited):
            await first
        clock.advance(1)
        with pytest.raises(HttpRateLimited):
            await calls[0]
        await _run_ready_tasks()
        assert not calls[1].done()
        clock.advance(4)
        assert await asyncio.gather(*calls[1:]) == [1, 1]


async def test_a_caller_joins_no_request_that_may_wait_beyond_its_deadline() -> None:
    stub, clock = Service(), ManualClock()
    async with service(stub.serve, clock, requests_per_second=0.25) as http:
        patient, hurried = await _queue(http, clock, 30, 3)
        with pytest.raises(HttpRateLimited):
            await hurried
        clock.advance(4)
        assert await patient == 1
