"""Prometheus metrics of the sources of a server: connections, failures, outages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from toolaccord.sources import Pooled, Source
from toolaccord.sources.availability import Observed


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
        for name, source in self._observed.items():
            up.add_metric([name], not source.availability.is_down)
            failures.add_metric([name], source.availability.failures)
        yield up
        yield failures

    def _collect_connections(self) -> Metric:
        connections = GaugeMetricFamily("mcp_pool_connections", "Connections of a source", labels=["source", "state"])
        for name, source in self._pools.items():
            pool = source.pool_state()
            for state, count in (("idle", pool.idle), ("in_use", pool.in_use), ("limit", pool.limit)):
                if count is not None:
                    connections.add_metric([name, state], count)
        return connections
