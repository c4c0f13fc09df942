"""Figures of servers: calls, latencies, errors, sources and tasks, from their metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from toolaccord.telemetry.worker_metrics import Snapshot, add_up

_DURATIONS = "mcp_tool_duration_seconds"
_ERRORS = "mcp_errors_total"
_TASKS = "mcp_tasks_running"


class _Series:
    """Samples by their names."""

    def __init__(self, metrics: Snapshot) -> None:
        self._samples: dict[str, list[tuple[Mapping[str, str], float]]] = {}
        for _, _, _, samples in metrics:
            for name, labels, value in samples:
                self._samples.setdefault(name, []).append((labels, value))

    def by(self, name: str, *labels: str, without: str | None = None) -> Counter[Any]:
        """Return the sums of a metric by its values of *labels*.

        A key is a text for one label, and a tuple for several. Samples with the status *without* do not count.
        """
        sums: Counter[Any] = Counter()
        for found, value in self._samples.get(name, ()):
            if without is None or found.get("status") != without:
                key = tuple(found.get(each, "") for each in labels)
                sums[key if len(labels) > 1 else key[0]] += value  # type: ignore[assignment]
        return sums

    def find_sum(self, name: str) -> float | None:
        """Return the sum of a metric; None without it."""
        return sum(value for _, value in self._samples[name]) if name in self._samples else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The calls of a tool, or of all; rates are a second."""

    name: str
    calls: float = 0.0
    buckets: Mapping[float, float]
    """Calls by the seconds that they took at most, without cancelled ones.

    Those of a bound include those of lower ones.
    """
    errors: float = 0.0
    hits: float = 0.0
    """Lookups that the caches answered."""
    lookups: float = 0.0
    rejected: float = 0.0
    """Calls rejected because of those ahead."""
    in_flight: float = 0.0
    total: float = 0.0
    """Calls since the start."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """The connections and the circuit breaker of a source."""

    name: str
    in_use: float | None
    """Connections in use; None for a source without a pool."""
    limit: float | None
    circuit: str | None
    """The state of its circuit breaker; None for a source without one."""
    failures: float
    """Requests a second that it did not answer."""


@dataclass(frozen=True, slots=True)
class TaskState:
    """The tasks of a tool."""

    name: str
    running: float
    waiting: float
    ended: Mapping[str, float]
    """Runs that ended a second, by the state in which they left their task."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one server, or of several together."""

    tools: Sequence[Traffic]
    """The tools, the busiest first."""
    errors: Sequence[tuple[float, str, str]]
    """Errors a second, each with its tool and its code, the most frequent first."""
    sources: Sequence[SourceState]
    tasks: Sequence[TaskState]
    sessions: float | None
    cache_bytes: float | None


def compute_figures(rates: Iterable[Snapshot], metrics: Iterable[Snapshot]) -> Figures:
    """Return the figures of servers.

    They come from the *rates* between two looks, and the *metrics* at the second.
    """
    flow, now = _Series(add_up(rates)), _Series(add_up(metrics))
    errors = [(rate, tool, code) for (tool, code), rate in flow.by(_ERRORS, "tool", "error_code").items() if rate]
    return Figures(
        tools=sorted(_list_tools(flow, now), key=lambda each: (-each.calls, -each.total, each.name)),
        errors=sorted(errors, key=lambda each: (-each[0], *each[1:])),
        sources=_list_sources(flow, now),
        tasks=_list_tasks(flow, now),
        sessions=now.find_sum("mcp_sessions"),
        cache_bytes=now.find_sum("mcp_cache_bytes"),
    )


def add_traffic(name: str, tools: Iterable[Traffic]) -> Traffic:
    """Return the calls of all *tools* as those of one."""
    sums: Counter[str] = Counter()
    buckets: Counter[float] = Counter()
    for tool in tools:
        buckets.update(tool.buckets)
        sums.update({each: getattr(tool, each) for each in _SUMMED})
    return Traffic(name=name, buckets=buckets, **sums)


_SUMMED = ("calls", "errors", "hits", "lookups", "rejected", "in_flight", "total")


def compute_quantile(buckets: Mapping[float, float], share: float) -> float | None:
    """Return the seconds that a *share* of calls took at most; None without calls.

    Between two bounds of the histogram the calls count as evenly spread, as in Prometheus. Infinity is more than the
    highest bound.
    """
    bounds = sorted(buckets)
    if not bounds or not buckets[bounds[-1]]:
        return None
    rank = share * buckets[bounds[-1]]
    below, calls = 0.0, 0.0
    for bound in bounds:
        if buckets[bound] >= rank and buckets[bound] > calls:
            return inf if bound == inf else below + (bound - below) * (rank - calls) / (buckets[bound] - calls)
        below, calls = bound, buckets[bound]
    return inf


def _list_tools(flow: _Series, now: _Series) -> Iterable[Traffic]:
    calls, total = (each.by(f"{_DURATIONS}_count", "tool") for each in (flow, now))
    buckets: dict[str, dict[float, float]] = {name: {} for name in total}
    for (name, bound), count in flow.by(f"{_DURATIONS}_bucket", "tool", "le", without="cancelled").items():
        buckets.setdefault(name, {})[float(bound)] = count
    errors = flow.by(_ERRORS, "tool")
    hits, misses = (flow.by(f"mcp_cache_{each}_total", "tool", "level") for each in ("hits", "misses"))
    rejected, in_flight = flow.by("mcp_overload_rejections_total", "tool"), now.by("mcp_calls_in_flight", "tool")
    for name in total:
        yield Traffic(
            name=name,
            calls=calls[name],
            buckets=buckets[name],
            errors=errors[name],
            hits=hits[name, "memory"] + hits[name, "shared"],
            lookups=hits[name, "memory"] + misses[name, "memory"],  # only a miss there looks in a shared store
            rejected=rejected[name],
            in_flight=in_flight[name],
            total=total[name],
        )


def _list_sources(flow: _Series, now: _Series) -> list[SourceState]:
    connections = now.by("mcp_pool_connections", "source", "state")
    circuits = now.by("mcp_source_circuit", "source", "state")
    failures = flow.by("mcp_source_failures_total", "source")
    states = {source: state for (source, state), value in circuits.items() if value}
    names = {source for source, _ in (*connections, *circuits)} | failures.keys()
    return [
        SourceState(
            name=name,
            in_use=connections.get((name, "in_use")),
            limit=connections.get((name, "limit")),
            circuit=states.get(name),
            failures=failures[name],
        )
        for name in sorted(names)
    ]


def _list_tasks(flow: _Series, now: _Series) -> list[TaskState]:
    running, waiting = now.by(_TASKS, "tool"), now.by("mcp_tasks_waiting", "tool")
    ended = flow.by("mcp_task_runs_total", "tool", "status")
    return [
        TaskState(
            name=name,
            running=running[name],
            waiting=waiting[name],
            ended={status: rate for (tool, status), rate in ended.items() if tool == name and rate},
        )
        for name in running
    ]
