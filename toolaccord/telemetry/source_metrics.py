"""Prometheus metrics of the sources of a server: connections, failures, outages, circuits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from toolaccord.sources import Pooled, Source
from toolaccord.sources.availability import Observed
from toolaccord.sources.breaker import BreakerState


class SourceMetrics(Collector):
    """Collects the state of each source that reports one, at each scrape."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._pools = {name: source for name, source in sources.items() if isinstance(source, Pooled)}
        self._observed = {name: source for name, source in sources.items() if isinstance(source, Observed)}

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        yield self._collect_connections()
        up = GaugeMetricFamily("mcp_source_up", "0 for a source in an outage", labels=["source"])
        failures = CounterMetricFamily(
            "mcp_source_failures", "Requests that a source did not answer", labels=["source"]
        )
        circuits = GaugeMetricFamily(
            "mcp_source_circuit", "1 for the state of a source's circuit breaker", labels=["source", "state"]
        )
        rejections = CounterMetricFamily(
            "mcp_source_rejections", "Requests that a circuit breaker did not send", labels=["source"]
        )
        refused = CounterMetricFamily(
            "mcp_source_refused_retries", "Retries for which no budget was left", labels=["source"]
        )
        for name, source in self._observed.items():
            availability = source.availability
            up.add_metric([name], not availability.is_down)
            failures.add_metric([name], availability.failures)
            rejections.add_metric([name], availability.breaker.rejections)
            refused.add_metric([name], availability.retries.refused)
            for state in get_args(BreakerState):
                circuits.add_metric([name, state], state == availability.breaker.state)
        yield from (up, failures, circuits, rejections, refused)

    def _collect_connections(self) -> Metric:
        connections = GaugeMetricFamily("mcp_pool_connections", "Connections of a source", labels=["source", "state"])
        for name, source in self._pools.items():
            pool = source.pool_state()
            for state, count in (("idle", pool.idle), ("in_use", pool.in_use), ("limit", pool.limit)):
                if count is not None:
                    connections.add_metric([name, state], count)
        return connections
