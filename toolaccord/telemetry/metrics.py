"""Prometheus metrics of a server: calls, errors, cache lookups, connections."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from toolaccord.contract.dialects import Occasions
from toolaccord.contract.policies import CachePolicy
from toolaccord.declarations.operation import AnyOperation
from toolaccord.declarations.tool import Server
from toolaccord.sources import Source
from toolaccord.telemetry.call_status import CallStatus
from toolaccord.telemetry.source_metrics import SourceMetrics

if TYPE_CHECKING:
    from toolaccord.resources.changes import Changes
    from toolaccord.sources.redis.shared_store import SharedStore

BUCKETS_S = (
    *(0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08),
    *(0.1, 0.2, 0.3, 0.5, 0.8),
    *(1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0, 30.0, 60.0),
)
"""Bounds of the histogram's buckets, in seconds.

A contract's p95 target should be one of them, because Prometheus interpolates quantiles between bounds.
"""
_CLIENT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/@+-]{0,63}")
_MAX_CLIENTS = 20
CacheLevel: TypeAlias = Literal["memory", "shared"]
"""Level of a cache: each replica has its own memory, and all share a store."""


class Metrics:
    """Metrics of one server.

    Every label is bounded: its values come from the contract, or are the first twenty names of clients.
    """

    def __init__(self, server: Server[Any], sources: Mapping[str, Source]) -> None:
        self._clients: set[str] = set()
        self.registry = registry = CollectorRegistry()
        """Registry that the Prometheus library exports."""
        self._durations = Histogram(
            "mcp_tool_duration_seconds", "Duration of calls", ["tool", "status"], buckets=BUCKETS_S, registry=registry
        )
        self._calls = Counter("mcp_tool_calls_total", "Finished calls", ["tool", "client", "status"], registry=registry)
        self._errors = Counter(
            "mcp_errors_total", "Calls answered with an error", ["tool", "error_code"], registry=registry
        )
        self._hits = Counter(
            "mcp_cache_hits_total", "Lookups that found a cached result", ["tool", "level"], registry=registry
        )
        self._misses = Counter(
            "mcp_cache_misses_total", "Lookups that found no cached result", ["tool", "level"], registry=registry
        )
        self._ttls = Gauge(
            "mcp_cache_ttl_seconds", "Time for which results are cached", ["tool", "level"], registry=registry
        )
        self._deprecated = Counter(
            "mcp_deprecated_calls_total",
            "Calls of a deprecated version",
            ["tool", "version"],
            registry=registry,
        )
        self._replays = Counter(
            "mcp_replayed_calls_total",
            "Calls answered with the result of an earlier call with the same idempotency key",
            ["tool"],
            registry=registry,
        )
        self._nulls = Counter(
            "mcp_null_arguments_total", "Calls with null for an optional argument", ["tool"], registry=registry
        )
        self._overloads = Counter(
            "mcp_overload_rejections_total",
            "Calls rejected because the calls ahead would take too long",
            ["tool"],
            registry=registry,
        )
        # The library looks up a labelled child under a lock; there are few, so they are cached here.
        self._duration, self._call = cache(self._durations.labels), cache(self._calls.labels)
        self._hit, self._miss = cache(self._hits.labels), cache(self._misses.labels)
        registry.register(SourceMetrics(sources))
        self._initialise_series(server)

    def record_call(self, tool: str, client: str, status: CallStatus, duration_s: float, code: str | None) -> None:
        """Count a finished call of *tool* by *client*; *code* is that of an error."""
        self._duration(tool, status).observe(duration_s)
        self._call(tool, self._client_label(client), status).inc()
        if code is not None:
            self.record_error(tool, code)

    def record_error(self, tool: str, code: str) -> None:
        """Count an error of *tool*."""
        self._errors.labels(tool, code).inc()

    def record_cache_lookup(self, tool: str, level: CacheLevel, *, is_hit: bool) -> None:
        """Count a lookup of a result of *tool* in one level of the cache."""
        (self._hit if is_hit else self._miss)(tool, level).inc()

    def record_deprecated_call(self, tool: str, version: str) -> None:
        """Count a call of a deprecated *version* of *tool*."""
        self._deprecated.labels(tool, version).inc()

    def record_replay(self, tool: str) -> None:
        """Count a call of *tool* that repeats an earlier one with its idempotency key."""
        self._replays.labels(tool).inc()

    def record_null_arguments(self, tool: str) -> None:
        """Count a call of *tool* with null for an optional argument."""
        self._nulls.labels(tool).inc()

    def record_overload(self, tool: str) -> None:
        """Count a call of *tool* that was rejected because of the calls ahead of it."""
        self._overloads.labels(tool).inc()

    def observe_calls(self, queues: Mapping[str, HasCalls]) -> None:
        """Report at each scrape how many calls of each tool are in flight, which *queues* have."""
        self.registry.register(_CallsInFlight(queues))

    def observe_cache(self, cache: HoldsBytes) -> None:
        """Report the bytes and the evictions of *cache* at each scrape."""
        self.registry.register(_CacheSize(cache))

    def observe_stores(self, stores: Collection[SharedStore]) -> None:
        """Report the state and the failures of *stores* at each scrape."""
        from toolaccord.sources.redis.shared_store import StoreState  # noqa: PLC0415 - only a server with such stores needs it

        self.registry.register(_SharedStores(stores, get_args(StoreState)))

    def observe_listeners(self, changes: Changes) -> None:
        """Report at each scrape how many connections and requests wait for changes of resources."""
        gauge = Gauge("mcp_subscribers", "Connections and requests that wait for changes", registry=self.registry)
        gauge.set_function(lambda: changes.listeners)

    def observe_sessions(self, count: Callable[[], int]) -> None:
        """Report at each scrape how many sessions over HTTP are open, which *count* returns."""
        Gauge("mcp_sessions", "Open sessions over HTTP", registry=self.registry).set_function(count)

    def exposition(self) -> tuple[bytes, str]:
        """Return all metrics in Prometheus's text format, and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_PLAIN_0_0_4

    def _initialise_series(self, server: Server[Any]) -> None:
        """Create every possible series at zero, so that `rate()` sees the first error as a rise."""
        for tool in (*server.tools, *_list_operations(server)):
            self._nulls.labels(tool.name)
            self._overloads.labels(tool.name)
            for status in get_args(CallStatus):
                if status != "deferred" or getattr(tool, "task", None):
                    self._durations.labels(tool.name, status)
            for code in _error_codes(tool, server.dialect.occasions):
                self._errors.labels(tool.name, code)
            for level, ttl_s in _cache_levels(tool.cache).items() if tool.cache else ():
                self._hits.labels(tool.name, level)
                self._misses.labels(tool.name, level)
                self._ttls.labels(tool.name, level).set(ttl_s)
            if tool.idempotency is not None:
                self._replays.labels(tool.name)
            for older in tool.versions:
                self._deprecated.labels(tool.name, older.version)

    def _client_label(self, client: str) -> str:
        """Return the label of *client*: one of the first twenty well-formed names, else `other`."""
        if not client:
            return "unknown"
        if client not in self._clients:
            if len(self._clients) >= _MAX_CLIENTS or not _CLIENT_NAME.fullmatch(client):
                return "other"
            self._clients.add(client)
        return client


class HoldsBytes(Protocol):
    """A cache that is bounded in bytes."""

    @property
    def held_bytes(self) -> int:
        """Bytes of all entries."""

    @property
    def evictions(self) -> int:
        """Number of entries that were removed to make room."""


class HasCalls(Protocol):
    """The calls of one tool."""

    @property
    def in_flight(self) -> int:
        """Number of calls that run or wait."""


class _CallsInFlight(Collector):
    """Collects the number of calls in flight, at each scrape."""

    def __init__(self, queues: Mapping[str, HasCalls]) -> None:
        self._queues = queues

    def collect(self) -> Iterator[Metric]:
        """Yield the metric."""
        calls = GaugeMetricFamily("mcp_calls_in_flight", "Calls that run or wait", labels=["tool"])
        for tool, queue in self._queues.items():
            calls.add_metric([tool], queue.in_flight)
        yield calls


class _CacheSize(Collector):
    """Collects the size of the cache, at each scrape."""

    def __init__(self, cache: HoldsBytes) -> None:
        self._cache = cache

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        yield GaugeMetricFamily("mcp_cache_bytes", "Bytes of cached results", self._cache.held_bytes)
        yield CounterMetricFamily("mcp_cache_evictions", "Results evicted to make room", self._cache.evictions)


class _SharedStores(Collector):
    """Collects the state of stores that replicas share, at each scrape."""

    def __init__(self, stores: Collection[SharedStore], states: Collection[str]) -> None:
        self._stores = stores
        self._states = states

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        states = GaugeMetricFamily("mcp_shared_store_state", "1 for the state of a store", labels=["source", "state"])
        failures = CounterMetricFamily("mcp_shared_store_failures", "Failed operations on a store", labels=["source"])
        for store in self._stores:
            failures.add_metric([store.name], store.failures)
            for state in self._states:
                states.add_metric([store.name, state], state == store.state)
        yield states
        yield failures


def _error_codes(tool: AnyOperation, occasions: Occasions) -> set[str]:
    """Return every code with which a call of *tool* may be answered."""
    impossible = {"access", "unknown_tool"}  # these reach no tool
    impossible |= {"rate_limit"} if tool.rate_limit is None else set()
    impossible |= {"conflict"} if tool.idempotency is None else set()
    impossible |= set() if tool.versions else {"sunset"}
    impossible |= {declared.occasion for declared in tool.errors if declared.occasion}
    standard = {getattr(occasions, each.name) for each in fields(occasions) if each.name not in impossible}
    return {declared.error.code for declared in tool.errors} | (standard - {None})


def _cache_levels(policy: CachePolicy) -> dict[CacheLevel, float]:
    """Return the seconds for which each level caches a final result."""
    if policy.store is None:
        return {"memory": policy.ttl_s}
    copy_s = policy.ttl_s if policy.memory_ttl_s is None else min(policy.ttl_s, policy.memory_ttl_s)
    return {"memory": copy_s, "shared": policy.ttl_s}


def _list_operations(server: Server[Any]) -> tuple[AnyOperation, ...]:
    """Return the operations of the resources and prompts of *server*, which count as tools do."""
    found: tuple[AnyOperation, ...] = ()
    if server.resources:
        from toolaccord.resources.operations import list_operations  # noqa: PLC0415 - only a server with resources needs it

        found += list_operations(server)
    if server.prompts:
        from toolaccord.prompts import operations as prompts  # noqa: PLC0415 - only a server with prompts needs it

        found += prompts.list_operations(server)
    return found
