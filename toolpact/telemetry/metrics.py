"""What a server counts, as Prometheus reads it: calls, errors, the cache, connections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from toolpact.declarations.tool import Server
from toolpact.sources import Pooled, Source
from toolpact.telemetry.call_status import CallStatus

BUCKETS_S = (
    *(0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08),
    *(0.1, 0.2, 0.3, 0.5, 0.8),
    *(1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0, 30.0, 60.0),
)
"""The edges of the histogram's buckets, in seconds. A contract's p95 should be one: between two edges a quantile is a guess."""
_CLIENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/@+-]{0,63}")
_MOST_CLIENTS = 20


class Metrics:
    """The numbers of one server. Every label is bounded: its values are the contract's, or the first few that came."""

    def __init__(self, server: Server[Any], sources: Mapping[str, Source]) -> None:
        self._clients: set[str] = set()
        self.registry = registry = CollectorRegistry()
        """What the library reads them from."""
        self._durations = Histogram(
            "mcp_tool_duration_seconds", "How long calls took", ["tool", "status"], buckets=BUCKETS_S, registry=registry
        )
        self._calls = Counter(
            "mcp_tool_calls_total", "Calls that are over", ["tool", "client", "status"], registry=registry
        )
        self._errors = Counter(
            "mcp_errors_total", "Calls answered with an error", ["tool", "error_code"], registry=registry
        )
        self._hits = Counter(
            "mcp_cache_hits_total", "Calls for which the cache had a result", ["tool"], registry=registry
        )
        self._misses = Counter(
            "mcp_cache_misses_total", "Calls for which a result had to be loaded", ["tool"], registry=registry
        )
        self._deprecated = Counter(
            "mcp_deprecated_calls_total",
            "Calls in a version that is to be left",
            ["tool", "version"],
            registry=registry,
        )
        # The library looks a labelled number up under a lock; they are few, and kept here.
        self._duration, self._call = cache(self._durations.labels), cache(self._calls.labels)
        self._hit, self._miss = cache(self._hits.labels), cache(self._misses.labels)
        registry.register(_Pools({name: source for name, source in sources.items() if isinstance(source, Pooled)}))
        self._begin(server)

    def called(self, tool: str, client: str, status: CallStatus, duration_s: float, code: str | None) -> None:
        """Count a call of *tool* that *client* made; *code* is that of an error."""
        self._duration(tool, status).observe(duration_s)
        self._call(tool, self._label(client), status).inc()
        if code is not None:
            self._errors.labels(tool, code).inc()

    def cached(self, tool: str, hit: bool) -> None:  # noqa: FBT001 - what the cache says, and all it says
        """Count a look into the cache for a result of *tool*."""
        (self._hit if hit else self._miss)(tool).inc()

    def deprecated(self, tool: str, version: str) -> None:
        """Count a call of *tool* in an older *version* of its contract, whose callers are told to leave it."""
        self._deprecated.labels(tool, version).inc()

    def exposition(self) -> tuple[bytes, str]:
        """Return all numbers in Prometheus's text format, and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_PLAIN_0_0_4

    def _begin(self, server: Server[Any]) -> None:
        """Let what may be counted stand at nought: a first error is then a rise, which a rule can see."""
        occasions = server.dialect.occasions
        everywhere = [occasions.version, occasions.arguments, occasions.source, occasions.deadline, occasions.internal]
        for tool in server.tools:
            for status in get_args(CallStatus):
                self._durations.labels(tool.name, status)
            for code in (*everywhere, *(declared.error.code for declared in tool.errors)):
                self._errors.labels(tool.name, code)
            if tool.cache is not None:
                self._hits.labels(tool.name)
                self._misses.labels(tool.name)
            for older in tool.versions:
                self._errors.labels(tool.name, occasions.sunset)
                self._deprecated.labels(tool.name, older.version)

    def _label(self, client: str) -> str:
        """Return the label of *client*: its name, while there are few; anybody can make up names without end."""
        if not client:
            return "unknown"
        if client not in self._clients:
            if len(self._clients) >= _MOST_CLIENTS or not _CLIENT.fullmatch(client):
                return "other"
            self._clients.add(client)
        return client


class _Pools(Collector):
    """The connections of each source that has a pool, counted when somebody asks."""

    def __init__(self, sources: Mapping[str, Pooled]) -> None:
        self._sources = sources

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges."""
        gauges = GaugeMetricFamily("mcp_pool_connections", "Connections of a source", labels=["source", "state"])
        for name, source in self._sources.items():
            now = source.pool_state()
            for state, count in (("idle", now.idle), ("in_use", now.in_use), ("limit", now.limit)):
                if count is not None:
                    gauges.add_metric([name, state], count)
        yield gauges
