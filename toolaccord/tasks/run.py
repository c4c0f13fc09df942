"""A run of a task in this process: its lease, its progress, and its cancellation.

A run is fenced by its number: it changes the record only while the record has that number. The lease decides who may
begin a run, and the record who may end it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from toolaccord.errors import SourceError
from toolaccord.tasks.records import KnownTask, TaskRecords
from toolaccord.tasks.runner import Abandoned, Ended, Failed, internal_fault
from toolaccord.tasks.store import Delivery
from toolaccord.tasks.task import Progress, Task
from toolaccord.timing.clock import Clock, sleep

_LOG = logging.getLogger(__name__)
_REPORT_INTERVAL_S = 0.5
"""Seconds between two reports of progress that are stored."""


class Run:
    """One run of one task."""

    def __init__(self, records: TaskRecords, begun: KnownTask, delivery: Delivery) -> None:
        self.task, _ = self._known = begun
        """The task as the run began with it."""
        self.delivery = delivery
        """The lease."""
        self.progress: Progress | None = None
        """The last report of progress, which may not be stored yet."""
        self._records = records
        self._running: asyncio.Future[Ended] | None = None
        self._reports = _Reports(self._store_report, records.clock)
        self._looks: set[asyncio.Task[None]] = set()
        self._is_over = False

    async def wait(self, running: Awaitable[Ended]) -> Ended:
        """Return the end of *running*, or Abandoned if its caller cancelled it first."""
        self._running = asyncio.ensure_future(running)
        try:
            await asyncio.wait({self._running})
        finally:
            self._running.cancel()
        if self._running.cancelled():
            return Abandoned()
        if fault := self._running.exception():
            _LOG.error("a runner of tasks is at fault", exc_info=fault)
            return Failed(internal_fault("The server failed to answer."))
        return self._running.result()

    def close(self) -> None:
        """Stop what goes on beside the run."""
        self._is_over = True
        self._reports.close()
        for look in self._looks:
            look.cancel()

    async def report(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Store progress soon, or the next one if that comes earlier."""
        self.progress = Progress(done, total)
        self._reports.add(self.progress, message)

    def note_change(self, revision: int) -> None:
        """Look at the record, unless this run has written *revision* itself."""
        if revision > self._known[1]:
            look = asyncio.create_task(self._look())
            self._looks.add(look)
            look.add_done_callback(self._looks.discard)

    async def extend_lease(self) -> None:
        """Extend the lease, and look at the record in case a change was missed."""
        try:
            if not await self._records.store.extend(self.delivery) and not self._is_over:
                _LOG.warning("a lease of a task was lost; its run ends if another one has begun")
        except SourceError as error:
            _LOG.warning("a lease of a task could not be extended: %s", error)
        await self._look()

    async def change(self, edit: Callable[[Task], Task], release: Delivery | None = None) -> Task | None:
        """Change the record, unless it has another run by now, or an end.

        The lease *release* ends with it. Raises SourceError.
        """
        now = self._records.clock.now()

        def edit_own(task: Task) -> Task | None:
            return edit(task.changed(now)) if self._owns(task) else None

        changed = await self._records.change(self.task.key, edit_own, self._known, release)
        if changed is None:
            return None
        self._known = changed
        return changed[0]

    async def _store_report(self, progress: Progress, message: str | None) -> None:
        def edit(task: Task) -> Task:
            return task.changed(task.updated_at, progress=progress, message=message or task.message)

        try:
            await self.change(edit)
        except SourceError as error:
            _LOG.debug("progress could not be stored: %s", error)

    async def _look(self) -> None:
        """Cancel the run if its caller wants no result, or another run has begun."""
        try:
            task = await self._records.read(self.task.key)
        except SourceError:  # the next extension of the lease looks again
            return
        if self._running and (task is None or task.is_cancelled or not self._owns(task)):
            self._running.cancel()

    def _owns(self, task: Task) -> bool:
        return task.is_running and task.attempt == self.task.attempt and not task.is_final


class _Reports:
    """Reports of progress; of those that come quickly, the last one is stored."""

    def __init__(self, store: Callable[[Progress, str | None], Coroutine[Any, Any, None]], clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._pending: tuple[Progress, str | None] | None = None
        self._storing: asyncio.Task[None] | None = None

    def add(self, progress: Progress, message: str | None) -> None:
        """Store a report after those before it."""
        self._pending = progress, message
        if self._storing is None or self._storing.done():
            self._storing = asyncio.create_task(self._store_pending())

    def close(self) -> None:
        """Store nothing more."""
        if self._storing is not None:
            self._storing.cancel()

    async def _store_pending(self) -> None:
        while (pending := self._pending) is not None:
            self._pending = None
            await self._store(*pending)
            await sleep(self._clock, _REPORT_INTERVAL_S)
