"""Workers run tasks, whatever becomes of them, of other workers and of the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

from tests.toolaccord.process import PATIENCE_S
from toolaccord.errors import SourceError
from toolaccord.handler import Progress as Report
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.runner import Completed, Ended, Postponed
from toolaccord.tasks.service import TaskService
from toolaccord.tasks.store import TaskQueue, TaskStore
from toolaccord.tasks.task import Task, TaskKey
from toolaccord.tasks.worker import Observer, RunRules, TaskWorker
from toolaccord.testing.clock import ManualClock

QUEUE = TaskQueue(name="count", lease_s=30, max_waiting=100, ttl_s=600)
RULES = RunRules(concurrency=4, max_attempts=3, repeats=True)


class Away(SourceError):
    """The store does not answer."""

    service = "memory"


class Link:
    """The way of one process to a store; it may be cut."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.is_cut = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return found if name == "watch" else self._guard(found)

    def _guard(self, operation: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def run(*arguments: Any, **options: Any) -> Any:
            if self.is_cut:
                raise Away("cut")
            return await operation(*arguments, **options)

        return run


@dataclass
class Runner:
    """Runs tasks as the test says."""

    ends: list[Ended] = field(default_factory=lambda: [Completed({"sum": 1})])
    """Ends of the runs, the last one for all that follow."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    began: asyncio.Queue[Task] = field(default_factory=asyncio.Queue)
    most: int = 0
    """Largest number of runs at once."""
    running: int = 0

    async def run(self, task: Task, _report: Report) -> Ended:
        self.running += 1
        self.most = max(self.most, self.running)
        self.began.put_nowait(task)
        try:
            await self.gate.wait()
        finally:
            self.running -= 1
        return self.ends.pop(0) if len(self.ends) > 1 else self.ends[0]


@dataclass(frozen=True)
class Process:
    """A process with one worker."""

    runner: Runner
    link: Link
    stop: asyncio.Event
    working: asyncio.Task[None]


@dataclass
class House:
    """A store, its callers, and processes with workers."""

    clock: ManualClock = field(default_factory=ManualClock)
    processes: list[Process] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = MemoryStore(self.clock)
        self.service = TaskService(self._records(cast("TaskStore", self.store)))

    def _records(self, store: TaskStore) -> TaskRecords:
        return TaskRecords(store, [QUEUE], self.clock, lambda _error: None)

    def start(self, runner: Runner | None = None, rules: RunRules = RULES) -> Process:
        """Start a process."""
        runner, link, stop = runner or Runner(), Link(self.store), asyncio.Event()
        worker = TaskWorker(self._records(cast("TaskStore", link)), QUEUE, rules, runner, Observer())
        process = Process(runner, link, stop, asyncio.create_task(worker.work(stop)))
        self.processes.append(process)
        return process

    async def create(self) -> TaskKey:
        """Create a task that can be read for an hour."""
        return (await self.service.create("ann", "count", {}, ttl_s=3600, poll_ms=1000)).key

    async def pass_until(self, is_true: Callable[[], Coroutine[Any, Any, bool]], step_s: float = 1) -> None:
        """Let time pass until something is true."""
        async with asyncio.timeout(PATIENCE_S):
            while not await is_true():
                self.clock.advance(step_s)
                for _ in range(10):
                    await asyncio.sleep(0)

    async def end_of(self, key: TaskKey, step_s: float = 1) -> Task:
        """Return a task once it has ended, for which time passes."""

        async def has_ended() -> bool:
            return (await self.service.get(key)).is_final

        await self.pass_until(has_ended, step_s)
        return await self.service.get(key)


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    opened = House()
    try:
        yield opened
    finally:
        working = [each.working for each in opened.processes]
        for each in working:
            each.cancel()
        if working:
            await asyncio.wait(working)


async def test_the_task_of_a_silent_worker_goes_to_another_one_and_only_its_end_counts() -> None:
    async with house() as town:
        first, second = Runner([Completed({"by": "first"})]), Runner([Completed({"by": "second"})])
        lost = town.start(first)
        key = await town.create()
        await first.began.get()
        lost.link.is_cut = True
        town.start(second)
        second.gate.set()
        task = await town.end_of(key)
        assert (task.result, task.crashes, task.attempt) == ({"by": "second"}, 1, 2)
        lost.link.is_cut = False
        first.gate.set()
        town.clock.advance(60)
        await asyncio.wait({lost.working}, timeout=0.05)
        assert (await town.service.get(key)) == task


async def test_a_run_ends_once_its_worker_learns_that_another_one_has_begun() -> None:
    async with house() as town:
        lost = town.start()
        key = await town.create()
        await lost.runner.began.get()
        lost.link.is_cut = True
        town.start().runner.gate.set()
        await town.end_of(key)
        lost.link.is_cut = False

        async def has_ended() -> bool:
            return lost.runner.running == 0

        await town.pass_until(has_ended)


async def test_a_task_with_which_too_many_workers_died_has_failed() -> None:
    async with house() as town:
        key = await town.create()
        for _ in range(RULES.max_attempts):
            process = town.start()
            await town.pass_until(lambda began=process.runner.began: _is_filled(began))  # type: ignore[misc]
            process.link.is_cut = True
        town.start()
        task = await town.end_of(key)
    assert task.status == "failed"
    assert task.error == {"code": -32603, "message": "Its worker died in each of 3 runs."}


async def _is_filled(queue: asyncio.Queue[Task]) -> bool:
    return not queue.empty()


async def test_a_task_that_may_not_run_twice_has_failed_once_its_worker_died() -> None:
    rules = replace(RULES, repeats=False)
    async with house() as town:
        key = await town.create()
        lost = town.start(rules=rules)
        await lost.runner.began.get()
        lost.link.is_cut = True
        second = town.start(rules=rules)
        task = await town.end_of(key)
        assert second.runner.began.empty()
    assert task.status == "failed"


async def test_a_long_run_keeps_its_lease() -> None:
    async with house() as town:
        process, other = town.start(), town.start()
        key = await town.create()
        process.runner.gate.clear()
        for _ in range(100):
            town.clock.advance(5)
            for _ in range(10):
                await asyncio.sleep(0)
        for each in (process, other):
            each.runner.gate.set()
        task = await town.end_of(key)
    assert (task.attempt, task.crashes) == (1, 0)


async def test_an_end_is_written_however_long_the_store_is_away() -> None:
    async with house() as town:
        process = town.start()
        key = await town.create()
        await process.runner.began.get()
        process.link.is_cut = True
        process.runner.gate.set()
        for _ in range(20):
            town.clock.advance(0.5)
            await asyncio.sleep(0)
        assert (await town.service.get(key)).status == "working"
        process.link.is_cut = False
        assert (await town.end_of(key)).status == "completed"


async def test_a_cancellation_that_was_missed_is_found_with_the_next_extension_of_the_lease() -> None:
    async with house() as town:
        process = town.start()
        key = await town.create()
        await process.runner.began.get()
        process.link.is_cut = True
        await town.service.cancel(key)
        await asyncio.sleep(0)
        process.link.is_cut = False
        assert (await town.end_of(key)).status == "cancelled"


async def test_a_result_that_comes_in_spite_of_a_cancellation_counts() -> None:
    async with house() as town:
        process = town.start()
        key = await town.create()
        await process.runner.began.get()
        process.link.is_cut = True
        await town.service.cancel(key)
        process.runner.gate.set()
        await asyncio.sleep(0)
        process.link.is_cut = False
        assert (await town.end_of(key)).status == "completed"


async def test_a_postponed_task_runs_again_after_its_pause() -> None:
    async with house() as town:
        process = town.start(Runner([Postponed(20, "The exchange is closed."), Completed({})]))
        process.runner.gate.set()
        key = await town.create()
        await process.runner.began.get()
        began = town.clock.monotonic()
        task = await town.end_of(key)
    assert town.clock.monotonic() - began >= 20
    assert (task.status, task.attempt, task.crashes) == ("completed", 2, 0)


async def test_a_worker_runs_as_many_tasks_at_once_as_it_may() -> None:
    async with house() as town:
        process = town.start()
        keys = [await town.create() for _ in range(10)]
        for _ in range(RULES.concurrency):
            await process.runner.began.get()
        process.runner.gate.set()
        for key in keys:
            assert (await town.end_of(key)).status == "completed"
    assert process.runner.most == RULES.concurrency


async def test_a_worker_that_may_run_none_leaves_tasks_to_others_and_stops() -> None:
    async with house() as town:
        idle = town.start(rules=replace(RULES, concurrency=0))
        key = await town.create()
        other = town.start()
        other.runner.gate.set()
        assert (await town.end_of(key)).status == "completed"
        assert idle.runner.began.empty()
        idle.stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await idle.working


async def test_a_worker_that_is_asked_to_stop_takes_nothing_more_and_finishes_what_it_has() -> None:
    async with house() as town:
        process = town.start(rules=replace(RULES, concurrency=1))
        first, second = await town.create(), await town.create()
        await process.runner.began.get()
        process.stop.set()
        process.runner.gate.set()
        await asyncio.wait_for(process.working, PATIENCE_S)
        assert (await town.service.get(first)).status == "completed"
        assert (await town.service.get(second)).attempt == 0


async def test_states_only_go_forward_and_never_back_in_time() -> None:
    async with house() as town:
        process = town.start()
        key = await town.create()
        created = await town.service.get(key)
        await process.runner.began.get()
        town.clock.advance(5)
        process.runner.gate.set()
        ended = await town.end_of(key)
        await town.service.cancel(key)
        assert await town.service.get(key) == ended
    assert created.updated_at <= ended.updated_at
