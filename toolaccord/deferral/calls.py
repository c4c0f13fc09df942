"""The tools of a server whose calls may become tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from toolaccord.call.admission import Overloaded
from toolaccord.call.context import IncomingCall
from toolaccord.call.execution import PreparedCall
from toolaccord.call.pipeline import Pipeline
from toolaccord.contract.policies import TaskPolicy
from toolaccord.deferral.stored_calls import encode_call, first_rounds
from toolaccord.sources.availability import report_failure
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.service import TaskService, owner_of
from toolaccord.tasks.store import QueueFull, TaskQueue, TaskStore
from toolaccord.tasks.task import Task
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:
    from toolaccord.tasks.worker import Observer


class TaskCalls:
    """Makes tasks of calls, and runs them."""

    def __init__(self, pipeline: Pipeline, store: TaskStore, clock: Clock, observer: Observer | None = None) -> None:
        self._pipeline = pipeline
        self.policies: Mapping[str, TaskPolicy] = {
            tool.name: tool.task for tool in pipeline.server.tools if tool.task is not None
        }
        """The rules of each tool that has tasks, by its name."""
        self.is_alone = pipeline.server.task_store is None
        """True if no other process has its tasks."""
        self._observer = observer
        self._queues = {name: _queue_of(name, policy) for name, policy in self.policies.items()}
        self._records = TaskRecords(store, tuple(self._queues.values()), clock, report_failure)
        self.service = TaskService(self._records)
        """The tasks as their callers see them."""

    def defer(self, call: IncomingCall, *, asks_first: bool = True) -> IncomingCall:
        """Return *call*, which becomes a task where its handler would run.

        Without *asks_first*, the task puts all of its questions.
        """
        return call._replace(defer=partial(self._create, asks_first=asks_first))

    async def work(self, stop: asyncio.Event) -> None:
        """Run tasks until *stop*, and then finish those that run; cancelled, give them back."""
        from toolaccord.deferral.workers import create_workers  # noqa: PLC0415 - not needed before the first task

        workers = create_workers(self._pipeline, self._records, self._queues, self._observer)
        working = [asyncio.create_task(worker.work(stop)) for worker in workers]
        try:
            await asyncio.gather(*working)
        finally:
            for each in working:
                each.cancel()
            await asyncio.wait(working)

    async def close(self) -> None:
        """Close the store of the tasks."""
        await self._records.close()

    async def _create(self, call: IncomingCall, prepared: PreparedCall, *, asks_first: bool) -> Task:
        """Store *call* as a task, once its caller has answered what comes first.

        Raises InputRequired, Overloaded and SourceError.
        """
        tool = call.bound.operation
        policy = self.policies[tool.name]
        if asks_first and policy.asks_first:
            await self._ask_first(policy.asks_first, prepared)
        key = prepared.idempotency_key
        try:
            return await self.service.create(
                owner_of(call.identity),
                tool.name,
                encode_call(call, key.key if key else None),
                rounds=first_rounds(call.channel),
                ttl_s=policy.ttl_s,
                poll_ms=policy.poll_ms,
            )
        except QueueFull:
            raise Overloaded(policy.poll_ms / 1000) from None

    async def _ask_first(self, names: tuple[str, ...], call: PreparedCall) -> None:
        """Put the asks *names* to the caller, all in one round. Raises InputRequired and AskError."""
        asker = self._pipeline.asker(names, call.channel)

        async def ask() -> None:
            await asyncio.gather(*(getattr(asker, name)(**call.arguments) for name in names))

        await (ask() if call.channel is None else call.channel.run(ask()))


def _queue_of(name: str, policy: TaskPolicy) -> TaskQueue:
    return TaskQueue(name=name, lease_s=policy.redeliver_after_s, max_waiting=policy.max_waiting, ttl_s=policy.ttl_s)
