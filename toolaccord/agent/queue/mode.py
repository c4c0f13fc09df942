"""Mode of an agent's process that works on a queue, fills it, or does both."""

from __future__ import annotations

import asyncio
from typing import cast

from toolaccord.agent.declarations import Batch
from toolaccord.agent.mode import ConfiguredAgent, Mode, finish_in_time
from toolaccord.agent.queue.messages import declare_queue
from toolaccord.agent.queue.metrics import QueueMetrics
from toolaccord.agent.queue.scheduler import Scheduler
from toolaccord.agent.queue.worker import Worker
from toolaccord.agent.requests import Dependencies
from toolaccord.agent.settings import list_values
from toolaccord.shutdown import StopSignal
from toolaccord.sources.nats import Nats


class QueueMode(Mode):
    """Runs a worker for `--queue`, and a scheduler for `--enqueue`."""

    def __init__(self, configured: ConfiguredAgent) -> None:
        self._agent = configured.agent
        self._options = configured.options
        self._settings = configured.settings
        self.has_failed = False

    async def run(self, dependencies: Dependencies, stop: StopSignal) -> None:
        """Run until both have ended; a worker ends with a stop only. Raises StartError."""
        work = asyncio.create_task(self._work(dependencies, stop.requested))
        try:
            await finish_in_time(work, stop)
        finally:
            await asyncio.wait({work})  # it gives back what it has not finished

    async def _work(self, dependencies: Dependencies, stop: asyncio.Event) -> None:
        batch = self._agent.batch
        assert batch
        assert batch.queue
        nats = cast("Nats", dependencies.sources[batch.queue.source])
        queue = nats.work_queue(declare_queue(self._agent, batch.queue))
        metrics = QueueMetrics(self._agent.name.replace("-", "_"), dependencies.metrics.registry)
        tasks: list[asyncio.Task[None]] = []
        if self._options.queue:
            tasks.append(asyncio.create_task(Worker(self._agent, batch, queue, dependencies, metrics).work(stop)))
        if self._options.enqueue:
            scheduler = Scheduler(batch, nats, queue, metrics, dependencies.clock)
            tasks.append(asyncio.create_task(self._schedule(scheduler, batch, stop)))
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _schedule(self, scheduler: Scheduler, batch: Batch, stop: asyncio.Event) -> None:
        values = list_values(batch, self._options.requests, self._settings)
        await scheduler.run(values, self._options.every, stop)
        self.has_failed = scheduler.has_failed
