"""Requests in an agent's work queue, as tasks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Self

import orjson

from toolaccord.agent.declarations import Agent
from toolaccord.contract.agents import Queue
from toolaccord.tasks.store import TaskQueue
from toolaccord.tasks.task import Task, TaskKey

_OWNER = "scheduler"
"""Owner of the tasks, whoever enqueues them."""
_KEPT_AGES = 2
"""Age at which a task is dropped, in multiples of the age at which its request expires.

So a worker that comes late still sees and counts what it has missed. A scheduler enqueues nothing that is older than
one such age, so the store knows each task that could be enqueued again.
"""
_MAX_WAITING = 100_000
"""Requests that wait for a worker; each has some hundred bytes."""
_POLL_MS = 1000


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A request in the queue."""

    value: str
    """Value of the batch's argument."""
    scheduled_at: datetime
    """Time for which it is answered, in UTC."""

    @classmethod
    def read(cls, argument: str, task: Task) -> Self:
        """Return the request that is the work of *task*."""
        return cls(task.work[argument], datetime.fromisoformat(task.work["scheduled_at"]))

    @property
    def id(self) -> str:
        """Id of its task and of the event of its failure, equal for every scheduler."""
        return sha256(orjson.dumps([self.value, _format_time(self.scheduled_at)])).hexdigest()

    def make_task(self, argument: str, queue: TaskQueue, now: datetime) -> Task:
        """Return the task of the request, whose member *argument* has the value."""
        return Task(
            key=TaskKey(_OWNER, self.id),
            queue=queue.name,
            work={argument: self.value, "scheduled_at": _format_time(self.scheduled_at)},
            created_at=now,
            updated_at=now,
            ttl_s=queue.ttl_s,
            poll_ms=_POLL_MS,
        )


def declare_queue(agent: Agent[Any, Any, Any], queue: Queue) -> TaskQueue:
    """Return the queue of *agent*."""
    return TaskQueue(
        name=queue.stream,
        lease_s=agent.limits.redelivery_s,
        max_waiting=_MAX_WAITING,
        ttl_s=_KEPT_AGES * queue.max_age_s,
    )


def _format_time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")
