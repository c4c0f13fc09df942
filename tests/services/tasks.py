"""Tasks of a server in the memory of a test, and their worker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.toolaccord.process import PATIENCE_S
from toolaccord.asks.rounds import Rounds, RoundState
from toolaccord.call.pipeline import Pipeline
from toolaccord.deferral.calls import TaskCalls
from toolaccord.deferral.stored_answers import decode_answer
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.task import Task, TaskKey
from toolaccord.timing.clock import SystemClock


@dataclass(frozen=True)
class Work:
    """The tasks of a server."""

    pipeline: Pipeline
    calls: TaskCalls

    async def create(self, tool: str, arguments: Mapping[str, Any], *, can_ask: bool = True) -> TaskKey:
        """Return the key of the task that a call becomes."""
        call = self.pipeline.receive(tool, dict(arguments))
        channel = Rounds(RoundState(), {}, lambda _method: can_ask) if call.bound.operation.asks else None
        answer = await self.pipeline.answer(self.calls.defer(call._replace(channel=channel)))
        assert answer.task, answer.body
        return answer.task.key

    async def follow(self, key: TaskKey, status: str = "") -> list[Task]:
        """Return a task as it was after each change, until it has *status* or its end."""
        changed, seen = asyncio.Event(), list[Task]()
        stop = self.calls.service.watch(lambda *_: changed.set())
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    task = await self.calls.service.get(key)
                    seen.append(task)
                    if task.is_final or task.status == status:
                        return seen
                    await changed.wait()
                    changed.clear()
        finally:
            stop()

    async def finish(self, key: TaskKey) -> Any:
        """Return the body of the answer with which a task ends."""
        task = (await self.follow(key))[-1]
        assert task.result, task
        return json.loads(decode_answer(task.result).json)


@asynccontextmanager
async def working(pipeline: Pipeline) -> AsyncIterator[Work]:
    """Give the tasks of a server, with a worker in this process."""
    clock = SystemClock()
    calls = TaskCalls(pipeline, MemoryStore(clock), clock)
    worker = asyncio.create_task(calls.work(asyncio.Event()))
    try:
        yield Work(pipeline, calls)
    finally:
        worker.cancel()
        await asyncio.wait({worker})
        await calls.close()
