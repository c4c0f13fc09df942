"""Metrics of several processes as those of one: snapshots, and their sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import add
from typing import Any, TypeAlias

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

Snapshot: TypeAlias = list[Any]
"""Metrics at one moment, as JSON: lists of name, description, type and samples.

A sample is a list of name, labels and value.
"""
HIGHEST = frozenset({"mcp_cache_ttl_seconds", "mcp_shared_store_state", "mcp_source_circuit", "mcp_tasks_waiting"})
"""Gauges whose value for all processes is the highest one, apart from `_GOOD_STATES`."""
_GOOD_STATES = ("available", "closed")
"""States that all processes have only together."""
LOWEST = frozenset({"mcp_source_up", "mcp_tls_certificate_expiry_timestamp_seconds"})
"""Gauges whose value for all processes is the lowest one."""


def take_snapshot(registry: CollectorRegistry) -> Snapshot:
    """Return the metrics of *registry*."""
    return [
        [
            metric.name,
            metric.documentation,
            metric.type,
            [[each.name, each.labels, each.value] for each in metric.samples],
        ]
        for metric in registry.collect()
    ]


def add_up(snapshots: Iterable[Snapshot]) -> Snapshot:
    """Return the snapshot of all: sums, apart from `HIGHEST`, `LOWEST` and times of creation."""
    families: dict[str, tuple[str, str, dict[tuple[str, tuple[tuple[str, str], ...]], float]]] = {}
    for snapshot in snapshots:
        for name, description, kind, samples in snapshot:
            values = families.setdefault(name, (description, kind, {}))[2]
            for sample, labels, value in samples:
                key = sample, tuple(labels.items())
                combine = max if key not in values else _choose(name, sample, labels)
                values[key] = combine(value, values.get(key, value))
    return [
        [name, description, kind, [[sample, dict(labels), value] for (sample, labels), value in values.items()]]
        for name, (description, kind, values) in families.items()
    ]


def without_gauges(snapshot: Snapshot) -> Snapshot:
    """Return what still counts of a process that has ended."""
    return [family for family in snapshot if family[2] != "gauge"]


def describe_workers(wanted: int, accepting: int, failures: int) -> Snapshot:
    """Return the metrics of a supervisor."""
    states = [["mcp_workers", {"state": state}, n] for state, n in (("wanted", wanted), ("accepting", accepting))]
    ends = [["mcp_worker_failures_total", {}, failures]]
    return [
        ["mcp_workers", "Processes that serve", "gauge", states],
        ["mcp_worker_failures", "Workers that ended unasked", "counter", ends],
    ]


def expose(snapshots: Iterable[Snapshot]) -> tuple[bytes, str]:
    """Return the sum of *snapshots* in Prometheus's text format, and its content type."""
    registry = CollectorRegistry()
    registry.register(_Sum(add_up(snapshots)))
    return generate_latest(registry), CONTENT_TYPE_PLAIN_0_0_4


class _Sum(Collector):
    """Collects a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        for name, description, kind, samples in self._snapshot:
            metric = Metric(name, description, kind)
            for sample, labels, value in samples:
                metric.add_sample(sample, labels, value)
            yield metric


def _choose(name: str, sample: str, labels: Mapping[str, str]) -> Callable[[float, float], float]:
    """Return the function of two values of one series."""
    if name in LOWEST or sample.endswith("_created") or labels.get("state") in _GOOD_STATES:
        return min
    return max if name in HIGHEST else add
