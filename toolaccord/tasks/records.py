"""Tasks in a store as records: read, and changed one after the other by whoever comes first."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from toolaccord.errors import SourceError
from toolaccord.tasks.store import Delivery, StoredTask, TaskQueue, TaskStore
from toolaccord.tasks.task import DamagedTask, Task, TaskKey
from toolaccord.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")

Edit: TypeAlias = Callable[[Task], Task | None]
"""Returns a task as it shall be; None to leave it as it is. It may be called several times."""
KnownTask: TypeAlias = tuple[Task, int]
"""A task, and its revision in the store."""


class TaskRecords:
    """The tasks of one store; it is opened by the first use that reaches it.

    Every coroutine raises SourceError if the store does not answer.
    """

    def __init__(
        self, store: TaskStore, queues: Sequence[TaskQueue], clock: Clock, on_failure: Callable[[SourceError], None]
    ) -> None:
        """*on_failure* takes the failures of the store that nobody else learns of."""
        self.store = store
        """The store itself, for the queues of workers; `open` comes first."""
        self.queues = {queue.name: queue for queue in queues}
        """The queues of all workers, by name."""
        self.clock = clock
        """The clock of all times in records."""
        self._on_failure = on_failure
        self._opening: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the store, unless it is open."""
        if self._opening is None or (self._opening.done() and not _has_succeeded(self._opening)):
            self._opening = asyncio.create_task(self.store.open(tuple(self.queues.values())))
        await asyncio.shield(self._opening)

    def note_failure(self, error: SourceError) -> None:
        """Tell of a failure of the store. One that answered is opened again: its queues may be gone."""
        self._on_failure(error)
        if not error.is_outage:
            self._opening = None

    async def close(self) -> None:
        """Close the store, if it was opened."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait({self._opening})
            await self.store.close()

    async def create(self, task: Task) -> bool:
        """Store *task* and put it into its queue; return False if its key exists. Raises QueueFull."""
        await self.open()
        return await self.store.create(task.key, task.encode(), self.queues[task.queue], task.expires_at)

    async def read(self, key: TaskKey) -> Task | None:
        """Return a task; None if there is none, it has expired, or its record is damaged."""
        found = await self._read(key)
        return found[0] if found else None

    async def list(self, owner: str, limit: int) -> Sequence[Task]:
        """Return up to *limit* tasks of *owner*, those created last first."""
        await self.open()
        tasks = []
        for key, stored in await self.store.list(owner, limit):
            if found := self.decode(key, stored):
                tasks.append(found[0])
            await asyncio.sleep(0)  # a task may have megabytes
        return tasks

    async def change(
        self, key: TaskKey, edit: Edit, known: KnownTask | None = None, release: Delivery | None = None
    ) -> KnownTask | None:
        """Replace a task by what *edit* returns, and return that.

        None if nothing was to change. A task with a greater `leg` than before is put into its queue. What is *known* is
        read only if it has changed. With *release*, the task leaves its queue.
        """
        found = known or await self._read(key)
        while found is not None:
            task, revision = found
            changed = edit(task)
            if changed is None:
                return None
            queue = self.queues[task.queue] if changed.leg > task.leg else None
            written = await self.store.write(
                key, changed.encode(), revision, changed.expires_at, enqueue=queue, release=release
            )
            if written is not None:
                return changed, written
            found = await self._read(key)
        return None

    async def _read(self, key: TaskKey) -> KnownTask | None:
        """Return a task and its revision; None if there is none, or the id is none."""
        if not _ID.fullmatch(key.id):  # no store would take it, and that would look like an outage
            return None
        await self.open()
        stored = await self.store.read(key)
        return self.decode(key, stored) if stored else None

    def decode(self, key: TaskKey, stored: StoredTask) -> KnownTask | None:
        """Return a task and its revision; None if it has expired, or its record is damaged."""
        try:
            task = Task.decode(key, stored.value)
        except DamagedTask as error:
            _LOG.error("a record in the store is no task, and is ignored: %s", error)
            return None
        if task.queue not in self.queues:
            _LOG.error("a task of the unknown queue %.100s is ignored", task.queue)
            return None
        return None if task.expires_at <= self.clock.now() else (task, stored.revision)


def _has_succeeded(task: asyncio.Task[None]) -> bool:
    return not task.cancelled() and task.exception() is None
