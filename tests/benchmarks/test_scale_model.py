"""The model of scale: formulas of queues, conservation of calls, the library's admission."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from statistics import mean, median

import pytest

from benchmarks.scale.calls import Call, Leg, Visit, even
from benchmarks.scale.model import Layout, Outcome, Simulation, Work
from benchmarks.scale.samplers import NOTHING, Sampler, constant, exponential
from toolaccord.timing.retry_budget import RetryBudget
from toolaccord.timing.retrying import Retry

PATIENT_S = 1e6
"""A deadline that no call misses."""


def poisson(rate: float, calls: int, seed: int = 7) -> Iterator[float]:
    """Yield times of independent calls."""
    random, now = Random(seed), 0.0
    for _ in range(calls):
        now += random.expovariate(rate)
        yield now


@pytest.mark.parametrize("load", [0.4, 0.7])
@pytest.mark.parametrize("service,waits", [(exponential(0.01), 1.0), (constant(0.01), 0.5)], ids=["M/M/1", "M/D/1"])
def test_one_replica_keeps_calls_as_long_as_the_formula_of_its_queue_says(
    service: Sampler, waits: float, load: float
) -> None:
    simulation = Simulation(Work(PATIENT_S, even(service)), Layout(["server"]))
    simulation.offer(poisson(load / 0.01, 8000))
    expected = 0.01 * (1 + waits * load / (1 - load))
    assert mean(each.latency_s for each in simulation.run()) == pytest.approx(expected, rel=0.06)


def test_a_pool_of_two_connections_is_a_queue_with_two_servers() -> None:
    work = Work(PATIENT_S, even(NOTHING, ("db", 0, exponential(0.01))))
    simulation = Simulation(work, Layout(["server"], pools={"db": 2}))
    simulation.offer(poisson(140, 8000))
    assert mean(each.latency_s for each in simulation.run()) == pytest.approx(0.01 / (1 - 0.7**2), rel=0.06)


@pytest.mark.parametrize("processes,cores,rate", [(1, 1, 100), (2, 2, 200), (4, 2, 200), (4, 4, 400)])
def test_more_processes_do_more_calls_as_long_as_each_has_a_core(processes: int, cores: int, rate: int) -> None:
    work = Work(PATIENT_S, even(constant(0.01)))
    simulation = Simulation(work, Layout(["machine"] * processes, cores={"machine": cores}))
    simulation.offer(0.0 for _ in range(1000))
    assert 1000 / max(each.latency_s for each in simulation.run()) == pytest.approx(rate, rel=0.02)


@pytest.mark.parametrize("load", [0.5, 1.5, 4.0])
def test_every_call_ends_once_and_the_same_seed_gives_the_same_calls(load: float) -> None:
    work = Work(0.1, even(exponential(0.004), ("db", 0.001, exponential(0.001))), rejection_s=0.0002)
    layout = Layout(["a", "a"], cores={"a": 2}, backends={"db": "b"}, pools={"db": 2}, threads={"db": 3})

    def ended() -> list[object]:
        simulation = Simulation(work, layout, seed=3)
        simulation.offer(poisson(2 * load / 0.004, 1000))
        found = simulation.run()
        assert (len(found), simulation.started, simulation.away) == (1000, 1000, 0)
        return list(found)

    assert ended() == ended()


def test_admission_is_the_librarys_so_an_overloaded_replica_still_answers_about_in_time() -> None:
    simulation = Simulation(Work(0.1, even(constant(0.004))), Layout(["server"]))
    simulation.offer(number / 500 for number in range(3000))
    settled = [each for each in simulation.run() if each.intended > 1]
    latencies_s = [each.latency_s for each in settled if each.outcome is Outcome.RESULT]
    assert len(latencies_s) / 5 == pytest.approx(250, rel=0.05)
    assert (median(latencies_s) < 0.1, max(latencies_s) < 0.115) == (True, True)
    assert {each.outcome for each in settled} == {Outcome.RESULT, Outcome.REJECTED}


def test_a_pool_that_is_too_small_lets_calls_expire_and_they_never_visit() -> None:
    work = Work(0.1, even(NOTHING, ("db", 0, constant(0.06))))
    simulation = Simulation(work, Layout(["server"], pools={"db": 1}))
    simulation.offer([0.0, 0.0, 0.0])
    outcomes = Counter(each.outcome for each in simulation.run())
    assert outcomes == {Outcome.RESULT: 1, Outcome.EXPIRED: 2}
    assert simulation.visited["db"] == 2


def test_a_pace_admits_its_requests_a_second_and_rejects_what_gets_no_slot_in_time() -> None:
    work = Work(2, even(NOTHING, ("exchange", 0, NOTHING)))
    simulation = Simulation(work, Layout(["server"] * 5, paces={"exchange": 3}))
    simulation.offer(number / 20 for number in range(400))
    outcomes = Counter(each.outcome for each in simulation.run())
    assert outcomes[Outcome.RESULT] == simulation.visited["exchange"] == pytest.approx(3 * (20 + 2), abs=2)
    assert outcomes[Outcome.LIMITED] > outcomes[Outcome.REJECTED] > 0


def test_callers_that_think_call_at_the_rate_of_those_that_think() -> None:
    simulation = Simulation(Work(PATIENT_S, even(NOTHING, ("db", 0, constant(5)))), Layout(["server"]))
    simulation.let_think(100, 5, until=500)
    assert len(simulation.run()) == pytest.approx(500 * 100 / (5 + 5), rel=0.03)


def test_rejected_calls_come_back_and_a_budget_bounds_how_many() -> None:
    def attempts(budget: type[RetryBudget] | None) -> int:
        simulation = Simulation(Work(0.1, even(constant(0.004))), Layout(["server"]), retry=Retry(), budget=budget)
        simulation.offer(number / 2000 for number in range(3000))
        return sum(each.attempts for each in simulation.run())

    assert attempts(RetryBudget) < 1.25 * 3000 < 2 * 3000 < attempts(None) < 3 * 3000


def test_the_turns_of_calls_alternate_so_a_short_call_need_not_wait_for_the_whole_of_a_long_one() -> None:
    def draw(_random: Random, idle_s: float) -> Call:
        return Call([Leg([0.001] * (10 if idle_s else 2), 1 if not idle_s else 9)])

    simulation = Simulation(Work(PATIENT_S, draw), Layout(["server"]))
    simulation.offer([0.1, 0.1005])
    latencies_s = [each.latency_s for each in simulation.run()]
    assert latencies_s == pytest.approx([0.0035, 0.012])


def test_an_answer_is_on_its_way_while_its_call_ends_and_what_a_backend_does_afterwards_takes_its_core() -> None:
    def draw(_random: Random, _idle_s: float) -> Call:
        asks, answers = Leg([0.001, 0.001], 0, Visit("db", 0.002, 0.005)), Leg([0.001, 0.004], 0)
        return Call([asks, answers], 0.0001, 0.0002)

    layout = Layout(["a", "b"], cores={"db": 1}, pools={"db": 1}, connections=1)
    simulation = Simulation(Work(PATIENT_S, draw), layout)
    simulation.offer([0.0, 0.003])
    assert [each.latency_s for each in simulation.run()] == pytest.approx([0.0043, 0.0063])
    assert simulation.visited_s["db"] == pytest.approx(0.01)


def test_calls_are_divided_as_the_connections_of_the_client_are() -> None:
    simulation = Simulation(Work(PATIENT_S, even(constant(0.001))), Layout(["a", "b"], connections=(3, 1)))
    simulation.offer(number * 0.01 for number in range(400))
    simulation.run()
    assert [each.loop.busy_s for each in simulation._replicas] == pytest.approx([0.3, 0.1])
