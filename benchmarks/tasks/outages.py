"""Kill workers, replicas and the store in turn while 1,000 tasks are created and read.

Run with `./run bench -- tasks outages`; it takes four minutes for both stores. Each caller creates its task under an
idempotency key, and then looks at it until it ends. At the end, the database tells how often each task wrote.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from benchmarks.pace import log_progress
from benchmarks.tasks.system import Part, StoreKind, System, running
from benchmarks.tasks.wire import FINAL, TaskClient, WireError

TASKS = 1000
ROUNDS = 3
"""Kills of each part."""
_EVERY_S, _DOWN_S = 4.0, 1.5
"""Seconds from one kill to the next, and to the return."""
_POLL_S = 0.25
_PATIENCE_S = 120.0
"""Seconds after the last kill in which every task must have ended."""
_REQUEST_S = 5.0
_UNKNOWN = "400 -32602"
"""Answer of a server that does not know a task."""


@dataclass(slots=True)
class Story:
    """A task, as its caller saw it."""

    key: str
    created_s: float
    """Time of the acknowledgement, in seconds since the begin of the run."""
    states: list[str] = field(default_factory=list)
    """Its states in the order in which they were read, without repetitions."""
    updates: list[str] = field(default_factory=list)
    """The times of its last change, likewise."""
    lost: int = 0
    """Number of reads that found no task."""
    ended_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    kind: StoreKind
    stories: Sequence[Story]
    rejected: Counter[str]
    """Attempts to create that were not acknowledged, by their status."""
    kills: Counter[str]
    entries: Counter[str]
    """Number of entries by key."""

    def find_breaches(self) -> list[str]:
        """Return a sentence for each promise that was broken."""
        breaches = [f"{key} was written {count} times" for key, count in self.entries.items() if count > 1]
        for story in self.stories:
            if story.lost:
                breaches.append(f"{story.key} was not found {story.lost} times")
            if not story.states or story.states[-1] not in FINAL:
                breaches.append(f"{story.key} has not ended: {story.states}")
            if any(state in FINAL for state in story.states[:-1]):
                breaches.append(f"{story.key} left a final state: {story.states}")
            if story.updates != sorted(story.updates):
                breaches.append(f"{story.key} went back in time: {story.updates}")
            if story.states[-1:] == ["completed"] and not self.entries[story.key]:
                breaches.append(f"{story.key} is completed, and not written")
        return breaches


async def run(haproxy: Path, folder: Path, kind: StoreKind) -> Run:
    """Kill parts of a system while callers create and read tasks; then read the database."""
    async with running(haproxy, folder, kind) as system, aiohttp.ClientSession(system.url) as session:
        await _wait_until_ready(session)
        client = TaskClient(session, timeout_s=_REQUEST_S)
        log_progress(f"tasks: {TASKS} callers, tasks in {kind}")
        start = time.perf_counter()
        killing = asyncio.create_task(_kill_in_turn(system.parts))
        rejected: Counter[str] = Counter()
        seconds = len(system.parts) * ROUNDS * _EVERY_S
        callers = [
            asyncio.create_task(_call(client, number, start + number * seconds / TASKS, start, killing, rejected))
            for number in range(TASKS)
        ]
        stories = await asyncio.gather(*callers)
        return Run(kind, stories, rejected, await killing, await _count(system))


async def _count(system: System) -> Counter[str]:
    return Counter(await system.read_entries())


async def _kill_in_turn(parts: Sequence[Part]) -> Counter[str]:
    kills: Counter[str] = Counter()
    for _ in range(ROUNDS):
        for part in parts:
            begun = time.perf_counter()
            log_progress(f"tasks: kills {part.name}")
            await part.kill()
            kills[part.name] += 1
            await asyncio.sleep(_DOWN_S)
            await part.start()
            await asyncio.sleep(max(0.0, begun + _EVERY_S - time.perf_counter()))
    return kills


async def _call(
    client: TaskClient,
    number: int,
    due: float,
    start: float,
    killing: asyncio.Task[Counter[str]],
    rejected: Counter[str],
) -> Story:
    """Create a task at its time, and look at it until it ends."""
    await asyncio.sleep(due - time.perf_counter())
    task_id = await _create(client, f"task-{number}", rejected)
    story = Story(f"task-{number}", time.perf_counter() - start)
    end = None
    while not story.states or story.states[-1] not in FINAL:
        if killing.done():
            end = end or time.perf_counter() + _PATIENCE_S
            if time.perf_counter() > end:
                break
        await asyncio.sleep(_POLL_S)
        await _look(client, task_id, story)
    story.ended_s = time.perf_counter() - start
    await _look(client, task_id, story)
    return story


async def _create(client: TaskClient, key: str, rejected: Counter[str]) -> str:
    """Return the id of an acknowledged task; try again under the same key until there is one."""
    while True:
        try:
            return await client.create("enter", {"text": key}, {"idempotency_key": key})
        except WireError as error:
            rejected[str(error)] += 1
        await asyncio.sleep(_POLL_S)


async def _look(client: TaskClient, task_id: str, story: Story) -> None:
    """Note the state of a task, if somebody tells it."""
    try:
        task = await client.get(task_id)
    except WireError as error:
        story.lost += str(error) == _UNKNOWN
        return
    for seen, value in ((story.states, task["status"]), (story.updates, task["lastUpdatedAt"])):
        if seen[-1:] != [value]:
            seen.append(value)


async def _wait_until_ready(session: aiohttp.ClientSession) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            try:
                async with session.get("/ready") as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(_POLL_S)
