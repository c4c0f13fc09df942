"""Tasks of a server in the memory of a test, and their worker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.toolaccord.process import PATIENCE_S
from toolaccord.asks.rounds import Rounds, RoundState
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.deferral.calls import TaskCalls
from toolaccord.deferral.stored_answers import decode_answer
from toolaccord.tasks.task import Task, TaskKey
from toolaccord.testing.tasks import running_tasks
from toolaccord.timing.clock import SystemClock


@dataclass(frozen=True)
class Work:
    """The tasks of a server."""

    pipeline: Pipeline
    tasks: TaskCalls

    async def answer(
        self, tool: str, arguments: Mapping[str, Any], identity: str = "", *, can_ask: bool = True
    ) -> Answer:
        """Return the answer to a call that may become a task."""
        call = self.tasks.defer(self.pipeline.receive(tool, dict(arguments), identity=identity))
        channel = Rounds(RoundState(), {}, lambda _method: can_ask) if call.bound.operation.asks else None
        return await self.pipeline.answer(call._replace(channel=channel))

    async def create(
        self, tool: str, arguments: Mapping[str, Any], identity: str = "", *, can_ask: bool = True
    ) -> TaskKey:
        """Return the key of the task that a call becomes."""
        answer = await self.answer(tool, arguments, identity, can_ask=can_ask)
        assert answer.task, answer.body
        return answer.task.key

    async def follow(self, key: TaskKey, status: str = "") -> list[Task]:
        """Return a task as it was after each change, until it has *status* or its end."""
        return await self._follow(key, lambda task: task.is_final or task.status == status)

    async def wait_for(self, key: TaskKey, status: str = "") -> Task:
        """Return a task once it has *status*, or an end."""
        return (await self.follow(key, status))[-1]

    async def wait_until(self, key: TaskKey, is_true: Callable[[Task], bool]) -> Task:
        """Return a task once something is true of it."""
        return (await self._follow(key, is_true))[-1]

    async def finish(self, key: TaskKey) -> Any:
        """Return the body of the answer with which a task ends."""
        return result_of(await self.wait_for(key))

    async def _follow(self, key: TaskKey, is_enough: Callable[[Task], bool]) -> list[Task]:
        changed, seen = asyncio.Event(), list[Task]()
        stop = self.tasks.service.watch(lambda *_: changed.set())
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    seen.append(await self.tasks.service.get(key))
                    if is_enough(seen[-1]):
                        return seen
                    await changed.wait()
                    changed.clear()
        finally:
            stop()


def result_of(task: Task) -> Any:
    """Return the result in the envelope of a completed task."""
    assert task.result, task
    return json.loads(decode_answer(task.result).json)


@asynccontextmanager
async def working(pipeline: Pipeline) -> AsyncIterator[Work]:
    """Give the tasks of a server, with a worker in this process."""
    async with running_tasks(pipeline, SystemClock()) as tasks:
        assert tasks
        yield Work(pipeline, tasks)
