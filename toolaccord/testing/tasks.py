"""Tasks of a server in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from toolaccord.call.pipeline import Pipeline
from toolaccord.deferral.calls import TaskCalls
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.store import TaskStore
from toolaccord.timing.clock import Clock


@asynccontextmanager
async def running_tasks(
    serving: Pipeline, clock: Clock, store: TaskStore | None = None
) -> AsyncIterator[TaskCalls | None]:
    """Run the tasks of a server within the block, in *store* or else in memory.

    The store that its contract names is not used. Yield what makes tasks of calls; None for a server without tasks.
    """
    if not any(tool.task for tool in serving.server.tools):
        yield None
        return
    calls = TaskCalls(serving, store or MemoryStore(clock), clock)
    working = asyncio.create_task(calls.work(asyncio.Event()))
    try:
        yield calls
    finally:
        working.cancel()
        await asyncio.wait({working})
        await calls.close()
