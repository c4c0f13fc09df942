"""Prometheus metrics of an agent: those of every agent, and those of its contract."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from toolaccord.agent.declarations import Agent
from toolaccord.contract.agents import Metric
from toolaccord.handler import Publication
from toolaccord.json_values import JsonObject
from toolaccord.semantics.json_pointers import split_pointer

BUCKETS_MS = (10, 20, 50, 100, 200, 300, 500, 800, 1000, 1500, 2000, 3000, 5000, 8000, 10_000, 20_000, 30_000, 60_000)
"""Bounds of the histogram of durations, in milliseconds.

A contract's p95 target should be one of them, because Prometheus interpolates quantiles between bounds.
"""
_MAX_ERROR_TYPES = 100
"""Largest number of values of the label `type`.

Codes of undeclared errors come from other processes.
"""
_Record: TypeAlias = Callable[[JsonObject], None]
_ABSENT = object()


class AgentMetrics:
    """Metrics of one agent; the name of each begins with the agent's."""

    def __init__(self, agent: Agent[Any, Any, Any]) -> None:
        self.registry = CollectorRegistry()
        """Registry that the Prometheus library exports."""
        self._prefix = agent.name.replace("-", "_")
        self._latency = Histogram(
            f"{self._prefix}_latency_ms", "Duration of requests", buckets=BUCKETS_MS, registry=self.registry
        )
        self._running = Gauge(f"{self._prefix}_requests_in_flight", "Requests that run", registry=self.registry)
        self._tool_calls = self._counter("tool_calls_total", "Requests to tools, with retries", "tool")
        self._errors = self._counter("errors_total", "Failed requests and calls, by code or class of the error", "type")
        self._retries = self._counter("retry_total", "Retries by tool and number of the retry", "tool", "attempt")
        self._exhausted = self._counter("retry_exhausted_total", "Calls that failed after all retries", "tool")
        self._hits = self._counter("cache_hit_total", "Results from the cache, by the tool of the data", "data_type")
        self._misses = self._counter("cache_miss_total", "Results that no cache had", "data_type")
        if agent.events:
            self._publications = self._counter("publications_total", "Publications by outcome", "event", "outcome")
        if agent.model:
            self._model_fallbacks = self._counter("model_fallback_total", "Models replaced by the fallback", "from")
        if agent.batch:
            self._success_rate = Gauge(
                f"{self._prefix}_batch_success_rate",
                "Share of the newest batch's requests with a result",
                registry=self.registry,
            )
            self._success_rate.set(math.nan)  # before the first batch; 0 would be an alert
        self._recorders = [self._recorder(metric, agent.output) for metric in agent.metrics]
        self._initialise_series(agent)

    def count_running(self) -> AbstractContextManager[object]:
        """Return a context manager during which one request more runs."""
        return self._running.track_inprogress()

    def record_duration(self, duration_ms: float) -> None:
        """Observe the duration of a request, in milliseconds."""
        self._latency.observe(duration_ms)

    def record_result(self, result: JsonObject) -> None:
        """Record the contract's metrics of *result*."""
        for record in self._recorders:
            record(result)

    def record_error(self, error_type: str) -> None:
        """Count a request or a call that failed."""
        if error_type not in self._error_types and len(self._error_types) >= _MAX_ERROR_TYPES:
            error_type = "other"
        self._error_types.add(error_type)
        self._errors.labels(error_type).inc()

    def record_publication(self, event: str, outcome: Publication | Literal["expired"]) -> None:
        """Count the outcome of a publication of *event*; expired if a deferred one was too old."""
        self._publications.labels(event, outcome).inc()

    def record_attempt(self, tool: str) -> None:
        """Count a request to a tool."""
        self._tool_calls.labels(tool).inc()

    def record_retry(self, tool: str, retry: int) -> None:
        """Count retry number *retry*, from 1, of a call."""
        self._retries.labels(tool, retry).inc()

    def record_exhausted_retries(self, tool: str) -> None:
        """Count a call without a result after all of its attempts."""
        self._exhausted.labels(tool).inc()

    def record_cache_lookup(self, tool: str, *, is_hit: bool) -> None:
        """Count a result of *tool* that the cache had, or had not."""
        (self._hits if is_hit else self._misses).labels(tool).inc()

    def record_model(self, name: str, *, is_replaced: bool) -> None:
        """Count the model *name* of the settings if the fallback replaces it."""
        self._model_fallbacks.labels(name).inc(int(is_replaced))

    def record_batch(self, success_rate: float) -> None:
        """Set the success rate of the newest batch, from 0 to 1."""
        self._success_rate.set(success_rate)

    def _counter(self, name: str, description: str, *labels: str) -> Counter:
        return Counter(f"{self._prefix}_{name}", description, labels, registry=self.registry)

    def _recorder(self, metric: Metric, output: JsonObject) -> _Record:
        """Return the function that records *metric* of a result, as *output* describes it."""
        labels = tuple(metric.labels)
        if metric.value is None:
            counter = self._counter(metric.name, metric.description, *labels)
            _create_series(counter, metric, output)
            return _when(metric, lambda result: _child(counter, metric, result).inc())
        histogram = Histogram(
            f"{self._prefix}_{metric.name}",
            metric.description,
            labels,
            buckets=metric.buckets,
            registry=self.registry,
        )
        _create_series(histogram, metric, output)
        pointer = metric.value

        def observe(result: JsonObject) -> None:
            number = _find(result, pointer)
            if number is not _ABSENT:
                _child(histogram, metric, result).observe(number)

        return _when(metric, observe)

    def _initialise_series(self, agent: Agent[Any, Any, Any]) -> None:
        """Create every series that is known at zero, so that `rate()` sees the first rise."""
        for tool in {each.tool.name: each for use in agent.uses for each in use.tools}.values():
            self._tool_calls.labels(tool.tool.name)
            self._exhausted.labels(tool.tool.name)
            for retry in range(1, agent.retry.max_attempts if agent.retry else 1):
                self._retries.labels(tool.tool.name, retry)
            if tool.cache:
                self._hits.labels(tool.tool.name)
                self._misses.labels(tool.tool.name)
        declared = {found.error.code for use in agent.uses for each in use.tools for found in each.tool.errors}
        self._error_types = {"INVALID_PARAMETERS", "TIMEOUT", *declared}
        for error_type in sorted(self._error_types):
            self._errors.labels(error_type)
        for event in agent.events:
            for outcome in (*get_args(Publication), "expired"):
                self._publications.labels(event.name, outcome)


def _when(metric: Metric, record: _Record) -> _Record:
    """Return *record* for the results that *metric* counts."""
    pointer = metric.when
    if pointer is None:
        return record

    def record_some(result: JsonObject) -> None:
        if _find(result, pointer) is True:
            record(result)

    return record_some


def _create_series(metric: Any, declared: Metric, output: JsonObject) -> None:
    """Create the series of *metric* at zero whose labels *output* enumerates."""
    options = [_find_enum(output, pointer) for pointer in declared.labels.values()]
    for values in product(*options) if options else ():
        metric.labels(*values)


def _find_enum(schema: JsonObject, pointer: str) -> Sequence[Any]:
    """Return the values that *schema* enumerates at *pointer*; none if it does not."""
    for name in split_pointer(pointer):
        schema = schema.get("properties", {}).get(name, {})
    enumerated: Sequence[Any] = schema.get("enum", ())
    return enumerated


def _child(metric: Any, declared: Metric, result: JsonObject) -> Any:
    """Return the series of *metric* for *result*."""
    if not declared.labels:
        return metric
    values = (_find(result, pointer) for pointer in declared.labels.values())
    return metric.labels(*("" if value is _ABSENT else value for value in values))


def _find(result: Any, pointer: str) -> Any:
    """Return the value at *pointer* in *result*; _ABSENT without one."""
    for name in split_pointer(pointer):
        if not isinstance(result, dict) or name not in result:
            return _ABSENT
        result = result[name]
    return result
