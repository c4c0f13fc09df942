"""Tasks of an agent over A2A: each answers one message, on whatever process takes it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from toolaccord.agent.a2a.messages import MessageFormat
from toolaccord.agent.a2a.slots import Busy, RequestSlots
from toolaccord.agent.a2a.stored_messages import failure, join_steps, load_message, store_outcome
from toolaccord.agent.declarations import Agent
from toolaccord.agent.requests import Dependencies, RequestRunner
from toolaccord.handler import Progress as Report
from toolaccord.server.tasks import open_store
from toolaccord.sources.availability import report_failure
from toolaccord.sources.redis.absent import AbsentRedis
from toolaccord.tasks.following import Followers
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.runner import Ended, Failed
from toolaccord.tasks.service import TaskService
from toolaccord.tasks.store import TaskQueue, TaskStore
from toolaccord.tasks.task import Task
from toolaccord.tasks.transitions import ended
from toolaccord.tasks.worker import RunRules, TaskWorker
from toolaccord.telemetry.task_metrics import TaskMetrics

_MAX_BYTES = 64 << 20
"""Bytes of the tasks in memory."""
_STOPPING = failure("STOPPING", "The agent is stopping.")


class MessageTasks:
    """The tasks of one agent, and the worker of this process."""

    def __init__(self, agent: Agent[Any, Any, Any], dependencies: Dependencies) -> None:
        self.requests = RequestRunner(agent, dependencies)
        """Runs the requests of tasks, and plain ones."""
        count_rejection = partial(dependencies.metrics.record_error, Busy.code)
        self.slots = RequestSlots(agent.limits.max_concurrent, on_rejection=count_rejection)
        """The places of both."""
        store = _open_store(agent, dependencies)
        self.is_durable = not isinstance(store, MemoryStore)
        """True if the tasks survive this process."""
        self.policy = agent.tasks
        """The rules of the tasks."""
        self.queue = agent.name
        """The name of their queue."""
        queue = TaskQueue(
            name=self.queue,
            lease_s=self.policy.redeliver_after_s,
            max_waiting=self.policy.max_waiting,
            ttl_s=self.policy.ttl_s,
        )
        self._records = TaskRecords(store, (queue,), dependencies.clock, report_failure)
        self.service = TaskService(self._records)
        """The tasks as their callers see them."""
        self.followers = Followers(self._records)
        """The callers that wait for a task."""
        rules = RunRules(concurrency=agent.limits.max_concurrent, max_attempts=self.policy.max_attempts, repeats=True)
        runner = MessageRunner(MessageFormat(agent), self.requests, self.slots, self.policy.max_result_bytes)
        observer = TaskMetrics([self.queue], dependencies.metrics.registry)
        self._worker = TaskWorker(self._records, queue, rules, runner, observer)

    async def work(self, stop: asyncio.Event) -> None:
        """Run tasks. After *stop*, take none that others can run; if cancelled, give back what runs."""
        await self._worker.work(stop if self.is_durable else asyncio.Event())

    async def end(self) -> None:
        """Let nobody wait in this process any more; without a store, their tasks have failed."""
        self.slots.stop()
        if not self.is_durable:
            for key in self.followers.followed:
                await self._records.change(key, _fail)
            return
        self.followers.end()

    async def close(self) -> None:
        """Close the store."""
        await self._records.close()


def _fail(task: Task) -> Task | None:
    return None if task.is_final else ended(task, Failed(_STOPPING))


def _open_store(agent: Agent[Any, Any, Any], dependencies: Dependencies) -> TaskStore:
    """Return the store of the tasks, not open yet; memory if nobody names one."""
    source = dependencies.sources[agent.tasks.store] if agent.tasks.store else None
    if source is None or isinstance(source, AbsentRedis):
        return MemoryStore(dependencies.clock, max_bytes=_MAX_BYTES, makes_room=True)
    return open_store(source, dependencies.clock, agent.name)


class MessageRunner:
    """Runs each task as one request, with the steps of its plan as progress."""

    def __init__(
        self, messages: MessageFormat, requests: RequestRunner, slots: RequestSlots, max_result_bytes: int
    ) -> None:
        self._messages = messages
        self._requests = requests
        self._slots = slots
        self._max_bytes = max_result_bytes

    async def run(self, task: Task, report: Report) -> Ended:
        """Answer the message of *task*, as soon as plain requests leave a place."""
        steps: list[str] = []

        async def report_step(done: float, /, total: float | None = None, message: str | None = None) -> None:
            steps.append(message or f"{done:g}" + (f" / {total:g}" if total else ""))
            await report(done, total, join_steps(steps))

        request = self._messages.read_request(load_message(task), task.work["earlier"])
        async with self._slots.running:
            outcome = await self._requests.run(request, corr_id=task.work["corr_id"], progress=report_step)
        return store_outcome(outcome, steps, self._max_bytes)
