"""Prometheus metrics of an agent's work queue."""

from __future__ import annotations

from collections import deque

from prometheus_client import CollectorRegistry, Counter, Gauge

from toolaccord.agent.batch_results import success_rate
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.outcomes import Outcome
from toolaccord.tasks.task import Task
from toolaccord.tasks.worker import Observer


class QueueMetrics(Observer):
    """Metrics of workers and schedulers; the name of each begins with the agent's."""

    def __init__(self, prefix: str, registry: CollectorRegistry) -> None:
        def counter(name: str, description: str) -> Counter:
            return Counter(f"{prefix}_queue_{name}", description, registry=registry)

        self._pending = Gauge(f"{prefix}_queue_pending", "Requests that wait for a worker", registry=registry)
        self._redelivered = counter("redelivered_total", "Requests that were run before")
        self.expired = counter("expired_total", "Requests that waited too long, and were not run")
        """Counts requests that are too old."""
        self.given_up = counter("given_up_total", "Requests that failed for good, or in every attempt")
        """Counts requests that are not run again."""
        self.enqueued = counter("enqueued_total", "Requests that were new to the queue")
        """Counts requests that nobody else had enqueued."""

    def record_run(self, task: Task) -> None:
        """Count a run that is not the first."""
        if task.attempt > 1:
            self._redelivered.inc()

    def tasks_waiting(self, queue: str, count: int) -> None:  # noqa: ARG002 - an agent has one queue
        """Set the number of requests that wait."""
        self._pending.set(count)


class NewestOutcomes:
    """The newest outcomes of a worker, which count as a batch."""

    def __init__(self, metrics: AgentMetrics, size: int) -> None:
        self._metrics = metrics
        self._outcomes: deque[Outcome] = deque(maxlen=size)

    def add(self, outcome: Outcome) -> None:
        """Record the success rate with *outcome*."""
        self._outcomes.append(outcome)
        self._metrics.record_batch(success_rate(self._outcomes))
