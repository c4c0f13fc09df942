"""Tasks as their callers see them: created, looked at, answered and cancelled."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolaccord.json_values import JsonObject, encode_json
from toolaccord.schema.json_safety import is_representable
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.store import Listener
from toolaccord.tasks.task import ANONYMOUS, Task, TaskKey
from toolaccord.tasks.transitions import cancelled

_ID_BYTES = 32
_MAX_ANSWER_BYTES = 1 << 15
"""Bytes of the answers to the questions of a task in one request."""
GIVEN = "given"
"""The member of `rounds` with the answers to the questions of the last run, by key."""


class UnknownTask(LookupError):
    """The caller has no such task, or its time is over."""


class AnswersTooLarge(ValueError):
    """The answers exceed their bounds, or JSON cannot represent them."""


class TaskService:
    """The tasks of one server or agent, each for its caller alone.

    Every coroutine raises SourceError if the store does not answer.
    """

    def __init__(self, records: TaskRecords) -> None:
        self._records = records

    async def create(
        self, owner: str, queue: str, work: JsonObject, *, ttl_s: float, poll_ms: int, rounds: JsonObject | None = None
    ) -> Task:
        """Store a task with a new id, and put it into its queue; then return it. Raises QueueFull."""
        now = self._records.clock.now()
        task = Task(
            key=TaskKey(owner, secrets.token_urlsafe(_ID_BYTES)),
            queue=queue,
            work=work,
            created_at=now,
            updated_at=now,
            ttl_s=ttl_s,
            poll_ms=poll_ms,
            rounds=rounds or {},
        )
        await self._records.create(task)
        return task

    async def get(self, key: TaskKey) -> Task:
        """Return a task as it is now. Raises UnknownTask."""
        task = await self._records.read(key)
        if task is None:
            raise UnknownTask
        return task

    async def list(self, owner: str, limit: int) -> Sequence[Task]:
        """Return up to *limit* tasks of *owner*, those created last first."""
        return await self._records.list(owner, limit)

    async def answer(self, key: TaskKey, responses: Mapping[str, Any]) -> None:
        """Give *responses* to the questions of a task, by key; with the last one it goes on.

        Keys without a question are ignored, whatever their values. Raises UnknownTask and AnswersTooLarge.
        """

        def edit(task: Task) -> Task | None:
            given = {name: responses[name] for name in task.requests if name in responses}
            if task.is_final or not given:
                return None
            if not is_representable(given) or len(encode_json(given)) > _MAX_ANSWER_BYTES:
                raise AnswersTooLarge
            rounds = {**task.rounds, GIVEN: {**task.rounds.get(GIVEN, {}), **given}}
            left = {name: request for name, request in task.requests.items() if name not in given}
            changed = task.changed(self._records.clock.now(), requests=left, rounds=rounds)
            return changed if left else changed.changed(changed.updated_at, status="working", leg=task.leg + 1)

        if await self._records.change(key, edit) is None:
            await self.get(key)  # it may be unknown

    async def cancel(self, key: TaskKey) -> None:
        """Cancel a task: at once if nobody runs it, else as soon as its run ends.

        Raises UnknownTask.
        """

        def edit(task: Task) -> Task | None:
            if task.is_final or task.is_cancelled:
                return None
            now = self._records.clock.now()
            if task.is_running:
                return task.changed(now, is_cancelled=True, message="Its caller has cancelled it.")
            return cancelled(task.changed(now))

        if await self._records.change(key, edit) is None:
            await self.get(key)

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with key and revision of each task that changes; return what ends this."""
        return self._records.store.watch(listener)


def owner_of(identity: str | None) -> str:
    """Return the owner of the tasks of a caller with a proven *identity*, or without one."""
    return identity or ANONYMOUS
