"""Admission: calls that cannot be finished within their deadline are rejected at once."""

from collections import deque
from contextlib import suppress
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from toolaccord.call.admission import Overloaded, Queue
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

    def arrive(self, after_s: float, work_s: float) -> bool:
        """Let a call arrive after *after_s* that takes *work_s*; return whether it is admitted."""
        self.finish_until(self.clock.monotonic() + after_s)
        try:
            ticket = self.queue.enter()
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
