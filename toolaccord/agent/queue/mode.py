"""Mode of an agent's process that works on a queue, fills it, or does both."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from toolaccord.agent.mode import Mode, finish_in_time
from toolaccord.agent.queue.metrics import QueueMetrics
from toolaccord.agent.queue.requests import declare_queue
from toolaccord.agent.queue.runner import QueueRunner
from toolaccord.agent.queue.scheduler import Scheduler, unfit
from toolaccord.agent.requests import Dependencies
from toolaccord.agent.settings import list_values
from toolaccord.contract.agents import Batch
from toolaccord.errors import SourceError
from toolaccord.server.startup import StartError
from toolaccord.server.tasks import open_store
from toolaccord.shutdown import StopSignal
from toolaccord.sources.availability import report_failure
from toolaccord.sources.nats import QueueMismatch
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.worker import TaskWorker


class QueueMode(Mode):
    """Runs a worker for `--queue`, and a scheduler for `--enqueue`."""

    async def run(self, dependencies: Dependencies, stop: StopSignal) -> None:
        """Run until both have ended; a worker ends with a stop only. Raises StartError."""
        self._fault: asyncio.Future[StartError] = asyncio.get_running_loop().create_future()
        work = asyncio.create_task(self._work(dependencies, stop.requested))
        try:
            await finish_in_time(work, stop)
        finally:
            await asyncio.wait({work})  # it gives back what it has not finished

    async def _work(self, dependencies: Dependencies, stop: asyncio.Event) -> None:
        batch = self._agent.batch
        assert batch
        assert batch.queue
        queue = declare_queue(self._agent, batch.queue)
        store = open_store(dependencies.sources[batch.queue.source], dependencies.clock, self._agent.name)
        records = TaskRecords(store, (queue,), dependencies.clock, self._on_failure)
        metrics = QueueMetrics(self._agent.name.replace("-", "_"), dependencies.metrics.registry)
        modes: list[Coroutine[Any, Any, None]] = []
        if self._options.queue:
            runner = QueueRunner(self._agent, batch, dependencies, metrics, self._fail)
            modes.append(TaskWorker(records, queue, runner.rules, runner, metrics).work(stop))
        if self._options.enqueue:
            modes.append(self._schedule(Scheduler(batch, records, metrics), batch, stop))
        tasks = [asyncio.create_task(each) for each in modes]
        working: asyncio.Future[Any] = asyncio.gather(*tasks)
        ends: set[asyncio.Future[Any]] = {working, self._fault}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self._fault.done():
                raise self._fault.result()
            await working
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, working, return_exceptions=True)
            await records.close()

    def _fail(self, error: StartError) -> None:
        """End the process with *error*."""
        if not self._fault.done():
            self._fault.set_result(error)

    def _on_failure(self, error: SourceError) -> None:
        """Note that the store failed, perhaps for good."""
        report_failure(error)
        if isinstance(error, QueueMismatch):
            self._fail(unfit(error))

    async def _schedule(self, scheduler: Scheduler, batch: Batch, stop: asyncio.Event) -> None:
        values = list_values(batch, self._options.requests, self._settings)
        await scheduler.run(values, self._options.every, stop)
        self.has_failed = scheduler.has_failed
