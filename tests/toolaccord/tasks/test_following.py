"""Callers that wait for tasks, beside the workers of any process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.tasks.stores import QUEUE, OpenStore
from toolaccord.errors import SourceError
from toolaccord.tasks.following import Followers
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.records import TaskRecords
from toolaccord.tasks.service import TaskService
from toolaccord.tasks.task import Task
from toolaccord.testing import ManualClock
from toolaccord.timing.clock import SystemClock


async def create(records: TaskRecords) -> Task:
    return await TaskService(records).create("ann", QUEUE.name, {}, ttl_s=60, poll_ms=100)


async def test_a_task_is_followed_to_its_end_whoever_ends_it(open_store: OpenStore) -> None:
    here, there = [TaskRecords(await open_store(), [QUEUE], SystemClock(), _ignore) for _ in range(2)]
    task, followers = await create(there), Followers(here)
    async with asyncio.timeout(PATIENCE_S), aclosing(followers.follow(task)) as following:
        assert (await anext(following)).status == "working"
        await TaskService(there).cancel(task.key)
        assert [each.status async for each in following] == ["cancelled"]
    assert followers.followed == ()


async def test_a_missed_change_is_found_later_and_an_outage_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, failures = ManualClock(), list[SourceError]()
    records = TaskRecords(MemoryStore(clock), [QUEUE], clock, failures.append)
    task, followers = await create(records), Followers(records)
    reading, failed = records.read, asyncio.Event()

    async def fail(_key: object) -> None:
        monkeypatch.setattr(records, "read", reading)
        failed.set()
        raise SourceError("away")

    async with aclosing(followers.follow(task)) as following:
        assert await anext(following) == task
        next_one = asyncio.ensure_future(anext(following))
        await clock.wait_for_timer()
        followers._stop_watching()
        await TaskService(records).cancel(task.key)
        monkeypatch.setattr(records, "read", fail)
        clock.advance(2)
        await failed.wait()
        assert await next_one == task
        last = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0)
        clock.advance(2)
        assert (await last).status == "cancelled"
    assert len(failures) == 1


async def test_who_follows_a_task_ends_with_the_process_or_the_task() -> None:
    clock = ManualClock()
    records = TaskRecords(MemoryStore(clock), [QUEUE], clock, _ignore)
    task, followers = await create(records), Followers(records)
    expired = followers.follow(task)
    assert await anext(expired) == task
    last = asyncio.ensure_future(anext(expired, None))
    await clock.wait_for_timer()
    clock.advance(60)
    assert await last is None
    following = asyncio.create_task(_drain(followers.follow(await create(records))))
    await asyncio.sleep(0)
    followers.end()
    await asyncio.wait_for(following, PATIENCE_S)


async def _drain(following: AsyncIterator[Task]) -> None:
    async for _ in following:
        pass


def _ignore(_error: SourceError) -> None:
    """Do nothing with a failure that the test does not cause."""
