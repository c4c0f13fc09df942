from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.cli.top.metrics import expose, traffic
from toolaccord.telemetry.metrics import BUCKETS_S
from toolaccord.telemetry.worker_metrics import Snapshot
from toolaccord_codegen.cli.top.figures import Figures, add_traffic, compute_figures, compute_quantile
from toolaccord_codegen.cli.top.scraping import Reading, compute_rates, read_metrics


def look(text: str, at: float) -> Reading:
    return Reading(read_metrics(text), at)


def figures(before: str, after: str, seconds: float = 2.0) -> Figures:
    return compute_figures([compute_rates(look(before, 0.0), look(after, seconds))], [read_metrics(after)])


@given(st.lists(st.floats(0.0, 60.0), min_size=1), st.sampled_from((0.5, 0.95, 1.0)))
def test_a_quantile_lies_between_the_bounds_around_the_call_that_it_is_of(durations: list[float], share: float) -> None:
    buckets = {bound: float(sum(each <= bound for each in durations)) for bound in (*BUCKETS_S, inf)}
    found = compute_quantile(buckets, share)
    rank = next(number for number in range(1, len(durations) + 1) if number >= share * len(durations))
    exact = sorted(durations)[rank - 1]
    highest = next(bound for bound in BUCKETS_S if exact <= bound)
    lowest = max((bound for bound in BUCKETS_S if bound < exact), default=0.0)
    assert found is not None
    assert lowest <= found <= highest


def test_a_quantile_of_no_calls_is_none_and_one_above_all_bounds_is_infinite() -> None:
    assert compute_quantile({0.1: 0.0, inf: 0.0}, 0.5) is None
    assert compute_quantile({}, 0.5) is None
    assert compute_quantile({0.1: 1.0, inf: 3.0}, 0.5) == inf


def test_rates_are_the_rise_of_counters_a_second_and_gauges_stay() -> None:
    before = expose(calls=10, errors=1, in_flight=5)
    found = figures(before, expose(calls=30, errors=2, in_flight=7))
    (tool,) = found.tools
    assert (tool.calls, tool.errors, tool.in_flight, tool.total) == (10.0, 0.5, 7.0, 30.0)
    assert found.errors == [(0.5, "get_book", "NO_BOOK")]


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_server_that_began_anew_has_counted_what_it_counts_now(before: int, after: int) -> None:
    (tool,) = figures(expose(calls=before), expose(calls=after), 1.0).tools
    assert tool.calls == (after - before if after >= before else after)


def test_cancelled_calls_have_no_latency() -> None:
    (tool,) = figures(expose(), expose(calls=4, cancelled=3)).tools
    assert (tool.calls, tool.buckets) == (2.0, {0.1: 0.5, inf: 0.5})


def test_a_hit_of_either_level_counts_and_each_lookup_begins_in_memory() -> None:
    after = expose() + (
        'mcp_cache_hits_total{tool="get_book",level="memory"} 4\nmcp_cache_misses_total{tool="get_book",level="memory"} 4\n'
        'mcp_cache_hits_total{tool="get_book",level="shared"} 2\nmcp_cache_misses_total{tool="get_book",level="shared"} 2\n'
    )
    (tool,) = figures(expose(), after).tools
    assert (tool.hits, tool.lookups) == (3.0, 4.0)


def test_replicas_are_added_up_and_a_circuit_is_the_worst_of_them() -> None:
    one, two = (expose(calls=2, circuit=state) for state in ("closed", "open"))
    rates: list[Snapshot] = [compute_rates(look(expose(), 0.0), look(each, 1.0)) for each in (one, two)]
    found = compute_figures(rates, [read_metrics(one), read_metrics(two)])
    assert [each.calls for each in found.tools] == [4.0]
    (source,) = found.sources
    assert (source.in_use, source.limit, source.circuit, source.failures) == (2.0, 20.0, "open", 0.0)


def test_tasks_have_their_numbers_and_what_became_of_them() -> None:
    after = expose() + (
        '# TYPE mcp_tasks_running gauge\nmcp_tasks_running{tool="bake"} 2\n'
        '# TYPE mcp_tasks_waiting gauge\nmcp_tasks_waiting{tool="bake"} 5\n'
        'mcp_task_runs_total{tool="bake",status="completed"} 3\nmcp_task_runs_total{tool="bake",status="failed"} 0\n'
    )
    (task,) = figures(expose(), after).tasks
    assert (task.name, task.running, task.waiting, task.ended) == ("bake", 2.0, 5.0, {"completed": 1.5})


@pytest.mark.parametrize("number", [0, 1, 3])
def test_the_calls_of_all_are_the_sums_of_those_of_each(number: int) -> None:
    total = add_traffic("all", [traffic("a", calls=2.0, seconds=0.05)] * number)
    assert (total.calls, total.buckets.get(inf, 0.0)) == (2.0 * number, 2.0 * number)
