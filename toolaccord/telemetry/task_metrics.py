"""Prometheus metrics of tasks."""

from __future__ import annotations

from collections.abc import Collection
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from toolaccord.tasks.task import Status
from toolaccord.tasks.worker import Observer

_BUCKETS_S = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0)


class TaskMetrics(Observer):
    """Metrics of the workers of one process; every label is bounded by the contract."""

    def __init__(self, queues: Collection[str], registry: CollectorRegistry) -> None:
        self._runs = Counter(
            "mcp_task_runs_total",
            "Runs of tasks, by the state in which they left them",
            ["tool", "status"],
            registry=registry,
        )
        self._waits = Histogram(
            "mcp_task_wait_seconds",
            "Time from the creation of a task to each of its runs",
            ["tool"],
            buckets=_BUCKETS_S,
            registry=registry,
        )
        self._running = Gauge("mcp_tasks_running", "Tasks that run in this process", ["tool"], registry=registry)
        self._deaths = Counter(
            "mcp_task_worker_deaths_total", "Tasks whose worker died while it ran them", ["tool"], registry=registry
        )
        self._waiting = Gauge(
            "mcp_tasks_waiting", "Tasks that wait for a worker, of all processes", ["tool"], registry=registry
        )
        for queue in queues:
            (
                self._waits.labels(queue),
                self._running.labels(queue),
                self._deaths.labels(queue),
                self._waiting.labels(queue),
            )
            for status in get_args(Status):
                self._runs.labels(queue, status)

    def run_began(self, queue: str, waited_s: float) -> None:
        """Count a run, which began *waited_s* seconds after its task was created."""
        self._waits.labels(queue).observe(waited_s)

    def run_ended(self, queue: str, status: str) -> None:
        """Count the end of a run, which left its task in *status*."""
        self._runs.labels(queue, status).inc()

    def worker_died(self, queue: str) -> None:
        """Count a run whose worker died."""
        self._deaths.labels(queue).inc()

    def tasks_waiting(self, queue: str, count: int) -> None:
        """Set the number of tasks that wait for a worker."""
        self._waiting.labels(queue).set(count)

    def running(self, queue: str, count: int) -> None:
        """Set the number of tasks that run."""
        self._running.labels(queue).set(count)
