"""Tasks as they change: what those who wait for a task follow."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from toolaccord.errors import SourceError
from toolaccord.tasks.bell import Bell
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.task import Task, TaskKey

_LOOK_S = 2.0
"""Seconds after which a follower looks at a task that nobody said to have changed."""


class Followers:
    """Those who follow tasks in this process."""

    def __init__(self, records: TaskRecords) -> None:
        self._records = records
        self._bells: dict[TaskKey, tuple[Bell, int]] = {}
        """The bell of each followed task, and the number of those who wait for it."""
        self._has_ended = False
        self._stop_watching = records.store.watch(self._on_change)

    @property
    def followed(self) -> tuple[TaskKey, ...]:
        """Return the keys of the tasks that somebody follows."""
        return tuple(self._bells)

    def end(self) -> None:
        """Let all end who follow a task, wherever it stands."""
        self._has_ended = True
        self._stop_watching()
        for bell, _ in self._bells.values():
            bell.ring()

    async def follow(self, task: Task) -> AsyncGenerator[Task, None]:
        """Yield *task* as it is now, and as it is after changes and looks, to its end.

        While the store is away, it is as it was. The last one is no end if the task expires or waits for its caller, or
        if the process ends.
        """
        bell = self._add(task.key)
        try:
            while not self._has_ended:
                rings = bell.rings
                try:
                    found = await self._records.read(task.key)
                except SourceError as error:
                    self._records.note_failure(error)
                else:
                    if found is None:
                        return
                    task = found
                yield task
                if task.status != "working":
                    return
                if bell.rings == rings:
                    await bell.wait(_LOOK_S)
        finally:
            self._remove(task.key)

    def _add(self, key: TaskKey) -> Bell:
        bell, count = self._bells.get(key) or (Bell(self._records.clock), 0)
        self._bells[key] = bell, count + 1
        return bell

    def _remove(self, key: TaskKey) -> None:
        bell, count = self._bells.pop(key)
        if count > 1:
            self._bells[key] = bell, count - 1

    def _on_change(self, key: TaskKey, _revision: int) -> None:
        if followed := self._bells.get(key):
            followed[0].ring()
