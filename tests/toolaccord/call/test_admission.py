"""Admission: calls that cannot be finished within their deadline are rejected at once."""

from collections import deque
from contextlib import nullcontext, suppress
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolaccord.call.admission import Overloaded, Queue, rank
from toolaccord.testing import ManualClock, capture_logs

TIMEOUT_S = 0.1
LONGEST_S = 0.07
"""Time in which the calls ahead of an admitted one are finished."""


class Server:
    """One processor that serves calls in order, each admitted by the queue under test.

    A call is cancelled at its deadline, and then takes no more of the processor.
    """

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.queue = Queue(SimpleNamespace(name="work", timeout_ms=1000 * TIMEOUT_S), self.clock)  # type: ignore[arg-type]
        self.waiting: deque[tuple[int, float, float]] = deque()
        """Ticket, arrival and seconds of work of each admitted call."""
        self.free_at = 0.0
        self.times: list[float] = []
        """Seconds that each admitted call took."""
        self.works: list[float] = []
        """Seconds of work of each call that was finished."""

    def arrive(self, after_s: float, work_s: float, caller: str = "") -> bool:
        """Let a call arrive after *after_s* that takes *work_s*; return whether it is admitted."""
        self.finish_until(self.clock.monotonic() + after_s)
        try:
            ticket = self.queue.enter(caller)
        except Overloaded:
            return False
        self.waiting.append((ticket, self.clock.monotonic(), work_s))
        return True

    def finish_until(self, until: float) -> None:
        """Move the clock to *until*; calls that end or expire by then leave."""
        while self.waiting:
            ticket, since, work_s = self.waiting[0]
            ends_at = min(max(self.free_at, since) + work_s, since + TIMEOUT_S)
            if ends_at > until:
                break
            self.waiting.popleft()
            self.free_at = max(self.free_at, ends_at)
            self.clock.advance(max(0.0, ends_at - self.clock.monotonic()))
            self.times.append(ends_at - since)
            is_finished = ends_at < since + TIMEOUT_S
            self.works += [work_s] if is_finished else []
            self.queue.leave(ticket, is_finished=is_finished)
        self.clock.advance(max(0.0, until - self.clock.monotonic()))


@settings(max_examples=40)
@given(work_s=st.floats(0.001, 0.02), load=st.floats(1.1, 10))
def test_under_any_overload_admitted_calls_are_finished_within_the_deadline(work_s: float, load: float) -> None:
    server = Server()
    while server.clock.monotonic() < 2:
        server.arrive(work_s / load, work_s)
    settled = server.times[len(server.times) // 2 :]
    assert max(settled) < TIMEOUT_S
    assert sum(server.works) >= 0.9 * 2 - TIMEOUT_S


@given(st.lists(st.tuples(st.floats(0, 0.2), st.floats(0.0001, 0.5)), max_size=300))
def test_whatever_arrives_no_call_is_admitted_behind_more_than_the_observed_rate_finishes(
    arrivals: list[tuple[float, float]],
) -> None:
    server = Server()
    for after_s, service_s in arrivals:
        server.finish_until(server.clock.monotonic() + after_s)
        wait_s, is_slow = server.queue.wait_s, server.queue.is_slow(server.clock.monotonic())
        admitted = server.arrive(0, service_s)
        assert admitted is not (is_slow and wait_s > LONGEST_S)


@given(st.floats(1, 60), st.integers(1, 500))
def test_an_idle_server_admits_any_burst_however_slow_its_last_calls_were(slow_s: float, burst: int) -> None:
    server = Server()
    for _ in range(50):
        server.arrive(0, slow_s)
    server.finish_until(server.clock.monotonic() + 1000)
    assert all(server.arrive(0, 0.001) for _ in range(burst))


@given(st.integers(1, 200), st.integers(1, 40))
def test_calls_that_only_wait_are_never_rejected_while_they_take_less_than_half_of_the_deadline(
    together: int, rounds: int
) -> None:
    server = Server()
    for _ in range(rounds):
        tickets = [server.queue.enter() for _ in range(together)]
        server.clock.advance(0.049)
        for ticket in tickets:
            server.queue.leave(ticket, is_finished=True)
    assert server.queue.rejected == 0


def overload(server: Server) -> None:
    """Offer the server twice the work that it can do, for two seconds."""
    for _ in range(1000):
        server.arrive(0.002, 0.004)
    assert server.queue.rejected > 300


def test_one_slow_call_beside_quick_ones_rejects_nothing() -> None:
    server = Server()
    queue = server.queue
    slow = queue.enter()
    for _ in range(99):
        tickets = [queue.enter() for _ in range(10)]
        server.clock.advance(0.001)
        for ticket in tickets:
            queue.leave(ticket, is_finished=True)
    queue.leave(slow, is_finished=False)
    assert all(queue.enter() for _ in range(100))


def test_calls_are_admitted_again_as_soon_as_the_load_is_gone() -> None:
    server = Server()
    overload(server)
    server.finish_until(server.clock.monotonic() + TIMEOUT_S)
    assert all(server.arrive(0.006, 0.004) for _ in range(100))


def test_cached_results_do_not_hide_a_queue() -> None:
    server = Server()
    for _ in range(1000):
        with suppress(Overloaded):
            server.queue.leave(server.queue.enter(), is_finished=False)
        server.arrive(0.002, 0.004)
    assert max(server.times[100:]) < TIMEOUT_S


def test_a_warning_is_logged_at_the_first_rejection_and_then_every_ten_seconds() -> None:
    server = Server()
    with capture_logs() as lines:
        overload(server)
        assert len([line for line in lines if "overloaded" in line.getMessage()]) == 1
        for _ in range(5000):
            server.arrive(0.002, 0.004)
    assert len([line for line in lines if "overloaded" in line.getMessage()]) == 2


class Desk:
    """One processor that serves the calls of a cheap read and of a write in order."""

    def __init__(self, *, yields: bool = True, **timeouts_s: float) -> None:
        self.clock = ManualClock()
        timeouts_s = timeouts_s or {"read": 0.1, "write": 1.0}
        effects = {"read": {"reads": ("db",)}, "write": {"writes": ("db",)}}
        operations: list[Any] = [
            SimpleNamespace(
                name=name, timeout_ms=1000 * timeouts_s[name], **{**NO_EFFECTS, **effects.get(name, {"reads": ("db",)})}
            )
            for name in timeouts_s
        ]
        self.timeouts_s = timeouts_s
        self.queues = {each.name: Queue(each, self.clock) for each in operations}
        if yields:
            rank(self.queues, operations)
        self.waiting: deque[tuple[str, int, float, float]] = deque()
        self.free_at = 0.0
        self.results = {name: [0.0] for name in timeouts_s}
        """Times at which calls ended within their deadline."""
        self.offered = dict.fromkeys(timeouts_s, 0)

    def arrive(self, name: str, work_s: float) -> None:
        """Let a call arrive that takes *work_s* of the processor."""
        self.finish()
        self.offered[name] += 1
        with suppress(Overloaded):
            self.waiting.append((name, self.queues[name].enter(), self.clock.monotonic(), work_s))

    def finish(self) -> None:
        """End the calls that are finished or late by now."""
        now = self.clock.monotonic()
        while self.waiting:
            name, ticket, since, work_s = self.waiting[0]
            limit = since + self.timeouts_s[name]
            ends_at = min(max(self.free_at, since) + work_s, max(limit, self.free_at))
            if ends_at > now:
                return
            self.waiting.popleft()
            self.free_at = ends_at
            self.queues[name].leave(ticket, is_finished=ends_at < limit)
            if ends_at < limit:
                self.results[name].append(ends_at)

    def offer(self, seconds: float, reads: int, writes: int, read_s: float = 0.0005, write_s: float = 0.005) -> None:
        """Offer so many reads and writes a second for *seconds*."""
        arrivals = sorted(
            [(number / reads, "read", read_s) for number in range(int(seconds * reads))]
            + [(number / writes, "write", write_s) for number in range(int(seconds * writes))]
        )
        start = self.clock.monotonic()
        for at, name, work_s in arrivals:
            self.clock.advance(max(0.0, start + at - self.clock.monotonic()))
            self.arrive(name, work_s)

    def forget(self) -> None:
        """Count results and calls anew."""
        self.results = {name: [0.0] for name in self.results}
        self.offered = dict.fromkeys(self.offered, 0)

    def share(self, name: str) -> float:
        """Return the share of the offered calls that were answered in time."""
        return (len(self.results[name]) - 1) / self.offered[name]


NO_EFFECTS = {"reads": (), "writes": (), "publishes": (), "asks": ()}


@pytest.mark.parametrize("writes", [300, 3000])
def test_under_overload_cheap_reads_are_answered_and_the_rest_is_rejected(writes: int) -> None:
    desk, unranked = Desk(), Desk(yields=False)
    for each in (desk, unranked):
        each.offer(2, 200, writes)
        each.forget()
        each.offer(5, 200, writes)
    assert desk.share("read") > 0.85
    assert unranked.share("read") < 0.1
    assert len(desk.results["write"]) > 0.7 * len(unranked.results["write"])


def test_the_rest_never_starves_however_many_cheap_reads_there_are() -> None:
    desk = Desk()
    desk.offer(6, 3000, 1000)
    ends = desk.results["write"]
    assert max(later - earlier for earlier, later in pairwise([*ends, 6.0])) < 1
    assert len(desk.results["read"]) > 6 * 1000 > len(ends) > 6 * 5


def test_the_rest_is_admitted_as_before_when_the_load_is_gone() -> None:
    desk = Desk()
    desk.offer(5, 200, 1000)
    desk.offer(3, 100, 50)
    desk.forget()
    desk.offer(5, 100, 50)
    assert [desk.share("read"), desk.share("write")] == [pytest.approx(1, abs=0.01)] * 2


def test_nobody_yields_for_long_to_a_read_that_is_slow_by_itself() -> None:
    desk = Desk()
    read, write = desk.queues["read"], desk.queues["write"]
    tickets: list[int] = []
    for _ in range(100):
        ticket = read.enter()
        with suppress(Overloaded):
            tickets.append(write.enter())
        desk.clock.advance(0.06)
        read.leave(ticket, is_finished=True)
    assert 1 < write.rejected < 30
    assert len(tickets) > 70


READ, WRITE = {"reads": ("db",), "timeout_ms": 100}, {"writes": ("db",), "timeout_ms": 100}


@pytest.mark.parametrize(
    "mine,other,yields",
    [
        (WRITE, READ, True),
        (READ, READ, False),
        (READ | {"timeout_ms": 200}, READ, True),
        (WRITE | {"timeout_ms": 50}, READ, False),
        (WRITE, READ | {"reads": ("elsewhere",)}, False),
        (WRITE, WRITE, False),
        (WRITE, READ | {"asks": ("who",)}, False),
        (READ | {"publishes": ("news",)}, READ, True),
    ],
)
def test_a_call_yields_to_reads_of_its_source_that_promise_to_be_quicker(
    mine: dict[str, Any], other: dict[str, Any], *, yields: bool
) -> None:
    clock = ManualClock()
    operations: list[Any] = [
        SimpleNamespace(**{"name": name, **NO_EFFECTS, **effects})
        for name, effects in (("call", mine), ("read", other))
    ]
    queues = {each.name: Queue(each, clock) for each in operations}
    rank(queues, operations)
    queues["read"].enter()
    clock.advance(0.09)
    queues["read"].enter()
    queues["call"].enter()
    with pytest.raises(Overloaded) if yields else nullcontext():
        queues["call"].enter()
