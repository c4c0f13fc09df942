"""Fair shares of a full queue: whoever has more calls in flight is rejected first."""

from collections import Counter
from copy import deepcopy
from heapq import merge

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.toolaccord.call.test_admission import TIMEOUT_S, Server
from toolaccord.call.admission import Callers

WORK_S = 0.002
SETTLED_S = 1.0


def offer(server: Server, work_s: float = WORK_S, **loads: float) -> dict[str, float]:
    """Offer loads of the processor for two seconds; return what is admitted in the second one."""
    arrivals = merge(
        *(
            [(number * work_s / load, name) for number in range(1, int(2 * load / work_s))]
            for name, load in loads.items()
        )
    )
    offered, admitted = Counter[str](), Counter[str]()
    for at, name in arrivals:
        is_admitted = server.arrive(max(0.0, at - server.clock.monotonic()), work_s, name)
        if at > SETTLED_S:
            offered[name] += 1
            admitted[name] += is_admitted
    return {name: admitted[name] / offered[name] for name in loads}


@settings(max_examples=20)
@given(greedy=st.floats(2, 20), modest=st.floats(0.05, 0.4))
def test_a_caller_with_less_than_its_share_is_served_however_many_calls_another_one_makes(
    greedy: float, modest: float
) -> None:
    server = Server()
    assert offer(server, greedy=greedy, modest=modest)["modest"] > 0.95
    assert max(server.times[len(server.times) // 2 :]) < TIMEOUT_S
    assert sum(server.works) >= 0.9 * 2 - TIMEOUT_S


@settings(max_examples=20)
@given(first=st.floats(1.5, 20), second=st.floats(1.5, 20))
def test_two_callers_who_both_want_everything_get_half_of_it_each(first: float, second: float) -> None:
    admitted = offer(Server(), first=first, second=second)
    assert admitted["first"] * first == pytest.approx(admitted["second"] * second, rel=0.2)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 0.02), st.floats(0.001, 0.1)), max_size=200))
def test_whoever_has_fewer_calls_in_flight_is_admitted_whenever_one_with_more_is(
    arrivals: list[tuple[str, float, float]],
) -> None:
    server, callers = Server(), dict[int, str]()
    for name, after_s, work_s in arrivals:
        server.finish_until(server.clock.monotonic() + after_s)
        in_flight = Counter(callers[ticket] for ticket, _, _ in server.waiting)
        before = deepcopy(server.queue)
        if server.arrive(0, work_s, name):
            callers[server.waiting[-1][0]] = name
            for other in "abcd":
                if in_flight[other] <= in_flight[name]:
                    assert deepcopy(before).enter(other) is not None


def test_of_a_queue_with_room_for_two_calls_nobody_takes_nearly_all() -> None:
    server = Server()
    admitted = offer(server, 0.03, greedy=20, second=2)
    assert admitted["second"] * 2 > 0.25


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["enter", "leave", "turn away"]), st.floats(0, 2))))
def test_callers_without_calls_are_forgotten(steps: list[tuple[str, str, float]]) -> None:
    callers, in_flight, now = Callers(), Counter[str](), 0.0
    for name, step, after_s in steps:
        now += after_s
        if step == "enter":
            callers.enter(name)
            in_flight[name] += 1
        elif step == "leave" and in_flight[name]:
            callers.leave(name)
            in_flight[name] -= 1
        elif step == "turn away":
            callers.turn_away(name, now + 1)
    assert not callers.need_room(now + 1)
    active = +in_flight
    assert [callers.if_all_were(name) for name in "abc"] == [in_flight[name] * len(active) for name in "abc"]


def test_a_lone_caller_has_the_whole_queue() -> None:
    one, nobody = Server(), Server()
    for _ in range(1000):
        assert one.arrive(0.002, 0.004, "one") is nobody.arrive(0.002, 0.004)
    assert one.queue.rejected > 300
    assert one.queue.wait_s > 0.06
