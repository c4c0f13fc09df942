"""Store of tasks, bounded in number, bytes and age."""

from __future__ import annotations

from dataclasses import dataclass

from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore, TaskStore
from a2a.types import ListTasksRequest, ListTasksResponse, Task, TaskState

from toolaccord.timing.clock import Clock

_FINISHED = {
    TaskState.TASK_STATE_COMPLETED,
    TaskState.TASK_STATE_CANCELED,
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_REJECTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLimits:
    """Limits of the finished tasks in a store."""

    max_tasks: int = 1000
    """Number of tasks."""
    max_bytes: int = 16 << 20
    """Bytes of all tasks."""
    max_age_s: float = 3600.0
    """Seconds after the end of a task."""


@dataclass(frozen=True, slots=True)
class _Finished:
    """A finished task."""

    context: ServerCallContext
    """The context with which it is deleted."""
    size: int
    """Its bytes."""
    ended_at: float
    """Time of its end, in seconds of the clock."""


class BoundedTaskStore(TaskStore):
    """Tasks in memory, each of which only its caller sees.

    The finished ones make room, the oldest first. Tasks that run are as many as the process allows.
    """

    def __init__(self, clock: Clock, limits: StoreLimits | None = None) -> None:
        self._clock = clock
        self._limits = limits or StoreLimits()
        self._tasks = InMemoryTaskStore()
        self._finished: dict[tuple[str, str], _Finished] = {}
        """The finished tasks by caller and id, the oldest first."""
        self._bytes = 0

    async def save(self, task: Task, context: ServerCallContext) -> None:
        """Save *task*, and delete finished ones beyond the limits."""
        await self._tasks.save(task, context)
        self._forget(task.id, context)
        if task.status.state in _FINISHED:
            caller = ServerCallContext(user=context.user)  # without the request's headers
            self._finished[_key(task.id, context)] = _Finished(caller, task.ByteSize(), self._clock.monotonic())
            self._bytes += task.ByteSize()
        await self._delete_beyond_limits()

    async def get(self, task_id: str, context: ServerCallContext) -> Task | None:
        """Return a task of the caller; None without it."""
        await self._delete_beyond_limits()
        return await self._tasks.get(task_id, context)

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        """Return a page of the caller's tasks."""
        await self._delete_beyond_limits()
        return await self._tasks.list(params, context)

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        """Delete a task of the caller."""
        self._forget(task_id, context)
        await self._tasks.delete(task_id, context)

    async def _delete_beyond_limits(self) -> None:
        while self._finished and self._is_beyond_limits():
            (_, task_id), oldest = next(iter(self._finished.items()))
            await self.delete(task_id, oldest.context)

    def _is_beyond_limits(self) -> bool:
        oldest = next(iter(self._finished.values()))
        return (
            len(self._finished) > self._limits.max_tasks
            or self._bytes > self._limits.max_bytes
            or self._clock.monotonic() - oldest.ended_at > self._limits.max_age_s
        )

    def _forget(self, task_id: str, context: ServerCallContext) -> None:
        """Count a task no longer."""
        finished = self._finished.pop(_key(task_id, context), None)
        self._bytes -= finished.size if finished else 0


def _key(task_id: str, context: ServerCallContext) -> tuple[str, str]:
    return context.user.user_name, task_id
