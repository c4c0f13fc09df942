"""Worker of a queue: takes tasks, runs them under a lease, and writes their ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from toolaccord.errors import SourceError
from toolaccord.tasks.records import KnownTask, TaskRecords
from toolaccord.tasks.run import Run
from toolaccord.tasks.runner import Ended, Postponed, Runner
from toolaccord.tasks.store import Delivery, TaskQueue
from toolaccord.tasks.task import Task, TaskKey
from toolaccord.tasks.transitions import cancelled, ended, failed
from toolaccord.timing.clock import sleep

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_EXTENSIONS = 3
"""Extensions of a lease in its length."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 1.0
"""Seconds between two attempts to reach a store; each pause is twice as long."""
_GIVE_BACK_S = 1.0
"""Seconds that a worker which must end has for giving a task back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRules:
    """Rules for the runs of one queue."""

    concurrency: int
    """Largest number of runs at once in this process."""
    max_attempts: int
    """Number of workers that may die with a task."""
    repeats: bool
    """True if a task whose worker died is run again."""


class Observer:
    """Learns of what workers do; this one counts nothing."""

    def run_began(self, queue: str, waited_s: float) -> None:
        """Count a run of a task, *waited_s* seconds after the task was created."""

    def run_ended(self, queue: str, status: str) -> None:
        """Count the end of a run, and the state in which it left its task."""

    def worker_died(self, queue: str) -> None:
        """Count a run whose worker died."""

    def running(self, queue: str, count: int) -> None:
        """Note the number of runs in this process."""

    def tasks_waiting(self, queue: str, count: int) -> None:
        """Note the number of tasks that wait for a worker."""


class TaskWorker:
    """Runs the tasks of one queue in this process."""

    def __init__(
        self, records: TaskRecords, queue: TaskQueue, rules: RunRules, runner: Runner, observer: Observer
    ) -> None:
        self._records = records
        self._store = records.store
        self._queue = queue
        self._rules = rules
        self._runner = runner
        self._observer = observer
        self._runs: dict[TaskKey, Run] = {}

    async def work(self, stop: asyncio.Event) -> None:
        """Take tasks until *stop*, and then finish those that run.

        If this is cancelled, they are cancelled and given back.
        """
        handling: set[asyncio.Task[None]] = set()
        beside = [asyncio.create_task(each) for each in (stop.wait(), self._tend())]
        stop_watching = self._store.watch(self._on_change)
        try:
            while not stop.is_set():
                if room := self._rules.concurrency - len(handling):
                    handling |= {asyncio.create_task(self._handle(each, stop)) for each in await self._take(room, stop)}
                else:
                    await asyncio.wait({*handling, beside[0]}, return_when=asyncio.FIRST_COMPLETED)
                handling = {each for each in handling if not each.done()}
            await _wait_for(handling)
        finally:
            stop_watching()
            for each in (*beside, *handling):
                each.cancel()
            await _wait_for(handling)

    async def _take(self, room: int, stop: asyncio.Event) -> Sequence[Delivery]:
        """Return tasks of the queue, as soon as the store answers; none after *stop*."""

        async def take() -> Sequence[Delivery]:
            await self._records.open()
            return await self._store.take(self._queue, room)

        return await self._persist(take, lambda: not stop.is_set()) or ()

    def _on_change(self, key: TaskKey, revision: int) -> None:
        if run := self._runs.get(key):
            run.note_change(revision)

    async def _tend(self) -> None:
        """Extend the leases in time, and count the tasks that wait."""
        while True:
            await sleep(self._records.clock, self._queue.lease_s / _EXTENSIONS)
            await asyncio.gather(*(run.extend_lease() for run in self._runs.values()))
            try:
                await self._records.open()
                self._observer.tasks_waiting(self._queue.name, await self._store.count_waiting(self._queue))
            except SourceError as error:
                self._records.note_failure(error)

    async def _handle(self, delivery: Delivery, stop: asyncio.Event) -> None:
        """Run the task of *delivery*, and take it out of the queue."""
        try:
            if stop.is_set():
                await self._store.give_back(delivery)
            elif begun := await self._begin(delivery):
                await self._run(Run(self._records, begun, delivery))
            else:
                await self._store.release(delivery)
        except SourceError as error:  # the lease runs out, and another worker takes the task
            self._records.note_failure(error)
        except Exception:
            _LOG.exception("the worker is at fault; another one takes the task")

    async def _begin(self, delivery: Delivery) -> KnownTask | None:
        """Return the task as a run begins with it, and its revision; None if nobody shall run it."""
        known = self._records.decode(delivery.key, delivery.stored) if delivery.stored else None
        begun = await self._records.change(delivery.key, self._start, known)
        if begun is None:
            return None
        task = begun[0]
        if not task.is_running:
            self._observer.run_ended(self._queue.name, task.status)
            return None
        self._observer.run_began(self._queue.name, (task.updated_at - task.created_at).total_seconds())
        return begun

    def _start(self, task: Task) -> Task | None:
        """Return *task* with a new run, or its end if it cannot have one; None if it needs none."""
        if task.status != "working":
            return None
        task = task.changed(self._records.clock.now())
        if task.is_running:
            self._observer.worker_died(self._queue.name)
            task = task.changed(task.updated_at, crashes=task.crashes + 1)
            if not self._rules.repeats:
                return failed(task, "Its worker died. Nobody knows what it did, so the task is not run again.")
            if task.crashes >= self._rules.max_attempts:
                return failed(task, f"Its worker died in each of {task.crashes} runs.")
        if task.is_cancelled:
            return cancelled(task)
        return task.changed(task.updated_at, is_running=True, attempt=task.attempt + 1)

    async def _run(self, run: Run) -> None:
        """Run a task to an end, and write that. A worker that must end gives the task back."""
        self._runs[run.task.key] = run
        self._observer.running(self._queue.name, len(self._runs))
        try:
            end = await run.wait(self._runner.run(run.task, run.report))
            self._observer.run_ended(self._queue.name, await self._end(run, end))
        except asyncio.CancelledError:
            await _briefly(self._give_back(run))
            raise
        finally:
            del self._runs[run.task.key]
            self._observer.running(self._queue.name, len(self._runs))
            run.close()

    async def _end(self, run: Run, end: Ended) -> str:
        """Write the end of *run*, however long the store is away; return the state of the task."""

        def is_wanted() -> bool:
            return self._records.clock.now() < run.task.expires_at

        def edit(task: Task) -> Task:
            return ended(task.changed(task.updated_at, progress=run.progress or task.progress), end)

        released = None if isinstance(end, Postponed) else run.delivery
        task = await self._persist(lambda: run.change(edit, released), is_wanted)
        if task is None:
            _LOG.warning("a task ended after another worker had taken it, or after its time; its end is dropped")
        if isinstance(end, Postponed) and task is not None and not task.is_final:
            await self._store.give_back(run.delivery, end.delay_s)
        elif task is None or released is None:
            await self._store.release(run.delivery)
        return task.status if task else "dropped"

    async def _give_back(self, run: Run) -> None:
        """Let another worker run the task, as if this run had not begun."""
        message = "The server stopped while it ran. Nobody knows what it did, so the task is not run again."

        def edit(task: Task) -> Task:
            return task.changed(task.updated_at, is_running=False) if self._rules.repeats else failed(task, message)

        task = await run.change(edit)
        if task is not None and not task.is_final:
            await self._store.give_back(run.delivery)
        else:
            await self._store.release(run.delivery)

    async def _persist(self, attempt: Callable[[], Awaitable[T]], is_wanted: Callable[[], bool]) -> T | None:
        """Return the result of *attempt*, made again while the store is away.

        None once it is not wanted any more.
        """
        pause_s = _FIRST_PAUSE_S
        while is_wanted():
            try:
                return await attempt()
            except SourceError as error:
                self._records.note_failure(error)
            await sleep(self._records.clock, pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return None


async def _wait_for(handling: set[asyncio.Task[None]]) -> None:
    if handling:
        await asyncio.wait(handling)


async def _briefly(giving_back: Awaitable[None]) -> None:
    """Await *giving_back* for a moment, although the current task is cancelled."""
    try:
        async with asyncio.timeout(_GIVE_BACK_S):
            await giving_back
    except (SourceError, TimeoutError) as error:
        _LOG.warning("a task could not be given back, and waits until its lease runs out: %s", error)
