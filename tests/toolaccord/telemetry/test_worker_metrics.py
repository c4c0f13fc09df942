from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from tests.toolaccord.demo import library
from toolaccord.telemetry import worker_metrics
from toolaccord.telemetry.metrics import Metrics
from toolaccord.telemetry.task_metrics import TaskMetrics
from toolaccord.telemetry.worker_metrics import HIGHEST, LOWEST, Snapshot, add_up, expose, take_snapshot

ADDED = {"mcp_cache_bytes", "mcp_calls_in_flight", "mcp_pool_connections", "mcp_sessions", "mcp_subscribers"}
ADDED |= {"mcp_tasks_running"}
"""Gauges whose values for all workers are sums."""


def measure(calls: int, up: int, state: str) -> Snapshot:
    """Return the metrics of a worker."""
    registry = CollectorRegistry()
    Counter("mcp_calls", "Calls", ["tool"], registry=registry).labels("find").inc(calls)
    Histogram("mcp_seconds", "Time", buckets=[1, 2], registry=registry).observe(1.5)
    Gauge("mcp_source_up", "Up", ["source"], registry=registry).labels("news").set(up)
    Gauge("mcp_cache_bytes", "Bytes", registry=registry).set(10)
    states = Gauge("mcp_shared_store_state", "State", ["state"], registry=registry)
    for each in ("available", "slow"):
        states.labels(each).set(state == each)
    circuits = Gauge("mcp_source_circuit", "State", ["state"], registry=registry)
    for circuit, is_open in (("closed", False), ("open", True)):
        circuits.labels(circuit).set(is_open == (not up))
    return take_snapshot(registry)


def read(snapshots: list[Snapshot]) -> dict[str, float]:
    text, _ = expose(snapshots)
    lines = (line.rpartition(" ") for line in text.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines if "_created" not in name}


def test_counts_and_histograms_of_workers_are_added_and_states_are_the_worst() -> None:
    assert read([measure(3, 1, "available"), measure(4, 0, "slow")]) == {
        'mcp_calls_total{tool="find"}': 7,
        'mcp_seconds_bucket{le="1.0"}': 0,
        'mcp_seconds_bucket{le="2.0"}': 2,
        'mcp_seconds_bucket{le="+Inf"}': 2,
        "mcp_seconds_count": 2,
        "mcp_seconds_sum": 3,
        'mcp_source_up{source="news"}': 0,
        "mcp_cache_bytes": 20,
        'mcp_shared_store_state{state="available"}': 0,
        'mcp_shared_store_state{state="slow"}': 1,
        'mcp_source_circuit{state="closed"}': 0,
        'mcp_source_circuit{state="open"}': 1,
    }


def test_of_a_worker_that_has_ended_only_counts_are_left() -> None:
    ended = worker_metrics.without_gauges(measure(3, 0, "slow"))
    found = read([ended, measure(4, 1, "available")])
    assert found['mcp_calls_total{tool="find"}'] == 7
    assert (found['mcp_source_up{source="news"}'], found["mcp_cache_bytes"]) == (1, 10)


def test_a_series_was_created_when_the_first_worker_made_it() -> None:
    family = ["mcp_calls", "Calls", "counter"]
    (added,) = add_up([[[*family, [["mcp_calls_created", {}, at]]]] for at in (5.0, 3.0, 4.0)])
    assert added == [*family, [["mcp_calls_created", {}, 3.0]]]


def test_tasks_that_wait_for_all_processes_are_counted_once() -> None:
    registry = CollectorRegistry()
    TaskMetrics(["get_book"], registry).tasks_waiting("get_book", 3)
    added = {family[0]: family[3] for family in add_up([take_snapshot(registry)] * 2)}
    assert added["mcp_tasks_waiting"] == [["mcp_tasks_waiting", {"tool": "get_book"}, 3.0]]


def test_the_metrics_of_one_worker_are_those_of_the_process() -> None:
    metrics = Metrics(library.server(library.Librarian()), {})
    metrics.record_call("get_book", "claude", "success", 0.1, None)
    assert expose([take_snapshot(metrics.registry)])[0] == metrics.exposition()[0]


def test_each_gauge_has_a_rule_for_several_workers() -> None:
    metrics = Metrics(library.server(library.Librarian()), {})
    metrics.observe_sessions(int)
    metrics.observe_stores([])
    TaskMetrics(["get_book"], metrics.registry)
    gauges = {family[0] for family in take_snapshot(metrics.registry) if family[2] == "gauge"}
    assert gauges - HIGHEST - LOWEST <= ADDED
