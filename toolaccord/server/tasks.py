"""Tasks of a server: their store, and the workers beside whatever else the process does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from toolaccord.deferral.calls import TaskCalls

if TYPE_CHECKING:
    from toolaccord.call.pipeline import Pipeline
    from toolaccord.shutdown import StopSignal
    from toolaccord.sources import Source
    from toolaccord.sources.nats.client import JetStreamClient
    from toolaccord.sources.redis.client import RedisClient
    from toolaccord.tasks.store import TaskStore
    from toolaccord.telemetry.metrics import Metrics
    from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_SPARE_S = 1.0
"""Seconds before the end of the grace time in which running tasks are given back."""


def open_tasks(pipeline: Pipeline, clock: Clock, metrics: Metrics | None) -> TaskCalls:
    """Return the tasks of a server, whose store is not open yet."""
    observer = None
    if metrics:
        from toolaccord.telemetry.task_metrics import TaskMetrics  # noqa: PLC0415 - not needed without metrics

        observer = TaskMetrics([tool.name for tool in pipeline.server.tools if tool.task], metrics.registry)
    return TaskCalls(pipeline, _open_store(pipeline, clock), clock, observer)


def _open_store(pipeline: Pipeline, clock: Clock) -> TaskStore:
    """Return the store that the contract names; the memory of this process without a name."""
    name = pipeline.server.task_store
    if name is None:
        from toolaccord.tasks.memory_store import MemoryStore  # noqa: PLC0415 - each server needs one of them

        return MemoryStore(clock)
    return open_store(pipeline.sources[name], clock, pipeline.server.name)


def open_store(source: Source, clock: Clock, owner: str) -> TaskStore:
    """Return the store of the server or agent *owner* in *source*, of kind redis or nats."""
    if source.kind == "redis":
        from toolaccord.sources.redis.task_store import RedisTaskStore  # noqa: PLC0415 - each needs one of them

        return RedisTaskStore(cast("RedisClient", source), clock, owner)
    from toolaccord.sources.nats.task_store import JetStreamTaskStore  # noqa: PLC0415 - likewise

    return JetStreamTaskStore(cast("JetStreamClient", source), clock, owner)


async def serve_with_tasks(
    tasks: TaskCalls, serve: Callable[[StopSignal], Coroutine[Any, Any, None]], stop: StopSignal
) -> None:
    """Serve, and run tasks meanwhile.

    After a stop no task is taken. Those that run have the time of calls in flight; then they are given back, and
    another process runs them again.
    """
    working = asyncio.create_task(_work(tasks, stop.requested))
    ending = asyncio.create_task(_end_in_time(working, stop))
    try:
        await serve(stop)
        if not working.done() and stop.requested.is_set():
            await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        working.cancel()
        ending.cancel()
        await asyncio.wait({working})
        if not working.cancelled() and (fault := working.exception()):
            _LOG.error("the workers of tasks have ended", exc_info=fault)
        await tasks.close()


async def _work(tasks: TaskCalls, stop: asyncio.Event) -> None:
    """Run tasks until *stop*; in memory from the first one on, so that a start loads less."""
    if tasks.is_alone:
        created = asyncio.Event()
        end = tasks.service.watch(lambda *_: created.set())
        waits = [asyncio.create_task(event.wait()) for event in (created, stop)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            end()
            for each in waits:
                each.cancel()
        if not created.is_set():
            return
    await tasks.work(stop)


async def _end_in_time(working: asyncio.Task[None], stop: StopSignal) -> None:
    """Cancel *working* before the time for a stop is over."""
    await stop.requested.wait()
    timeouts = stop.timeouts
    await asyncio.sleep(timeouts.drain_s + max(timeouts.grace_s - _SPARE_S, 0))
    if not working.done():
        _LOG.warning("tasks that run are given back, as the time for a stop is over")
        working.cancel()
