"""Prometheus metrics of an agent's work queue."""

from __future__ import annotations

from collections import deque

from prometheus_client import CollectorRegistry, Counter, Gauge

from toolaccord.agent.batch_results import success_rate
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.outcomes import Outcome
from toolaccord.sources.nats import QueuedMessage


class QueueMetrics:
    """Metrics of workers and schedulers; the name of each begins with the agent's."""

    def __init__(self, prefix: str, registry: CollectorRegistry) -> None:
        def counter(name: str, description: str) -> Counter:
            return Counter(f"{prefix}_queue_{name}", description, registry=registry)

        self._pending = Gauge(f"{prefix}_queue_pending", "Messages behind the newest one taken", registry=registry)
        self._redelivered = counter("redelivered_total", "Messages that were delivered before")
        self.expired = counter("expired_total", "Messages that waited too long, and were not run")
        """Counts messages that are too old."""
        self.given_up = counter("given_up_total", "Messages that are invalid, or failed in every attempt")
        """Counts messages of which no request is run again."""
        self.enqueued = counter("enqueued_total", "Messages that were new to the queue")
        """Counts messages that nobody else had enqueued."""

    def record_delivery(self, message: QueuedMessage) -> None:
        """Count a delivered message."""
        self._pending.set(message.pending)
        if message.delivery > 1:
            self._redelivered.inc()


class NewestOutcomes:
    """The newest outcomes of a worker, which count as a batch."""

    def __init__(self, metrics: AgentMetrics, size: int) -> None:
        self._metrics = metrics
        self._outcomes: deque[Outcome] = deque(maxlen=size)

    def add(self, outcome: Outcome) -> None:
        """Record the success rate with *outcome*."""
        self._outcomes.append(outcome)
        self._metrics.record_batch(success_rate(self._outcomes))
