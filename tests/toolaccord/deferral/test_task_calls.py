"""Calls become tasks, and tasks run as calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.services.tasks import Work, result_of
from tests.toolaccord.demo.jobs import Clerk, create_server
from toolaccord.call.pipeline import Pipeline
from toolaccord.deferral.stored_calls import encode_call
from toolaccord.json_values import encode_json
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.service import UnknownTask
from toolaccord.tasks.task import DamagedTask, Task, TaskKey
from toolaccord.testing.tasks import running_tasks
from toolaccord.timing.clock import SystemClock

YES = {"action": "accept", "content": {"yes": True}}


@dataclass(frozen=True)
class Jobs(Work):
    """A server with tasks, and one worker process."""

    clerk: Clerk


@asynccontextmanager
async def opened(clerk: Clerk | None = None, store: MemoryStore | None = None, **policy: Any) -> AsyncIterator[Jobs]:
    """Give a server with a worker."""
    clerk, clock = clerk or Clerk(), SystemClock()
    server = create_server(clerk)
    tools = tuple(replace(tool, task=replace(tool.task, **policy)) for tool in server.tools if tool.task)
    pipeline = Pipeline(replace(server, tools=tools), {}, {}, clock)
    async with running_tasks(pipeline, clock, store) as tasks:
        assert tasks
        yield Jobs(pipeline, tasks, clerk)


async def test_a_call_becomes_a_task_that_ends_with_what_the_call_would_have_answered() -> None:
    async with opened() as jobs:
        direct = await jobs.pipeline.call("count", {"to": 4})
        task = await jobs.wait_for(await jobs.create("count", {"to": 4}))
    assert task.status == "completed"
    assert result_of(task)["sum"] == direct.body["sum"] == 10


async def test_progress_of_a_handler_is_read_while_it_runs() -> None:
    async with opened(Clerk(gate=asyncio.Event())) as jobs:
        key = await jobs.create("count", {"to": 4})
        await jobs.clerk.began.get()
        task = await jobs.wait_until(key, lambda task: task.progress is not None)
        assert task.progress
        assert (task.progress.done, task.progress.total, task.message) == (0, 4, "Begins.")
        jobs.clerk.gate.set()
        task = await jobs.wait_for(key)
    assert task.progress
    assert (task.progress.done, task.progress.total, task.message) == (4, 4, None)


async def test_invalid_arguments_are_rejected_before_there_is_a_task() -> None:
    async with opened() as jobs:
        answer = await jobs.answer("count", {"to": -1})
    assert answer.is_error
    assert answer.task is None


async def test_an_error_that_the_contract_declares_completes_a_task() -> None:
    async with opened() as jobs:
        task = await jobs.wait_for(await jobs.create("count", {"to": 13}))
    assert task.status == "completed"
    assert result_of(task)["error"]["code"] == "UNLUCKY"


async def test_a_fault_of_the_server_fails_a_task_without_its_text() -> None:
    async with opened() as jobs:
        task = await jobs.wait_for(await jobs.create("count", {"to": 1000}))
    assert task.status == "failed"
    assert task.error
    assert task.error["code"] == -32603
    assert "secret" not in json.dumps(task.error)


async def test_a_result_beyond_the_bound_fails_a_task() -> None:
    async with opened(max_result_bytes=9) as jobs:
        task = await jobs.wait_for(await jobs.create("count", {"to": 4}))
    assert task.error
    assert "bytes" in task.error["message"]


async def test_a_question_ends_a_run_and_its_answer_begins_another() -> None:
    async with opened() as jobs:
        key = await jobs.create("pay", {"amount": 100})
        asked = await jobs.wait_for(key, "input_required")
        assert asked.requests["approval"]["params"]["message"] == "Shall 100 cents be paid?"
        await jobs.tasks.service.answer(key, {"unknown": 1})
        assert (await jobs.tasks.service.get(key)).requests == asked.requests
        await jobs.tasks.service.answer(key, {"approval": YES})
        task = await jobs.wait_for(key)
        await jobs.tasks.service.answer(key, {"approval": YES})
    assert result_of(task)["paid"] is True
    assert jobs.clerk.paid == [100]


async def test_a_task_that_waits_for_an_answer_is_cancelled_at_once() -> None:
    async with opened() as jobs:
        key = await jobs.create("pay", {"amount": 100})
        await jobs.wait_for(key, "input_required")
        await jobs.tasks.service.cancel(key)
        assert (await jobs.tasks.service.get(key)).status == "cancelled"
    assert jobs.clerk.paid == []


async def test_a_running_handler_is_cancelled() -> None:
    async with opened(Clerk(gate=asyncio.Event())) as jobs:
        key = await jobs.create("count", {"to": 4})
        await jobs.clerk.began.get()
        await jobs.tasks.service.cancel(key)
        assert (await jobs.wait_for(key)).status == "cancelled"


async def test_a_task_that_waits_in_its_queue_never_runs_once_it_is_cancelled() -> None:
    async with opened(Clerk(gate=asyncio.Event()), concurrency=1) as jobs:
        running, waiting = [await jobs.create("count", {"to": number}) for number in (1, 2)]
        await jobs.clerk.began.get()
        await jobs.tasks.service.cancel(waiting)
        jobs.clerk.gate.set()
        assert (await jobs.wait_for(running)).status == "completed"
        assert (await jobs.wait_for(waiting)).status == "cancelled"
    assert jobs.clerk.began.empty()


async def test_a_stopped_worker_gives_its_task_to_another_one_as_if_it_had_not_begun() -> None:
    store, gate = MemoryStore(SystemClock()), asyncio.Event()
    async with opened(Clerk(gate=gate), store) as first:
        key = await first.create("count", {"to": 4})
        await first.clerk.began.get()
    gate.set()
    async with opened(store=store, max_attempts=1) as second:
        task = await second.wait_for(key)
    assert (task.status, task.crashes, task.attempt) == ("completed", 0, 2)


async def test_a_task_that_may_not_run_twice_fails_when_its_worker_stops() -> None:
    store = MemoryStore(SystemClock())
    async with opened(Clerk(gate=asyncio.Event()), store) as jobs:
        key = await jobs.create("pay", {"amount": 100})
        await jobs.wait_for(key, "input_required")
        await jobs.tasks.service.answer(key, {"approval": YES})
        await jobs.clerk.approved.wait()
    task = Task.decode(key, (await store.read(key)).value)  # type: ignore[union-attr] # it is there
    assert task.status == "failed"


async def test_nobody_else_finds_a_task() -> None:
    async with opened() as jobs:
        key = await jobs.create("count", {"to": 4}, identity="a" * 64)
        await jobs.wait_for(key)
        for owner in ("b" * 64, "anonymous"):
            with pytest.raises(UnknownTask):
                await jobs.tasks.service.get(TaskKey(owner, key.id))
            with pytest.raises(UnknownTask):
                await jobs.tasks.service.cancel(TaskKey(owner, key.id))
            with pytest.raises(UnknownTask):
                await jobs.tasks.service.answer(TaskKey(owner, key.id), {})


async def test_a_full_queue_rejects_a_call_as_overload() -> None:
    async with opened(Clerk(gate=asyncio.Event()), concurrency=1, max_waiting=1) as jobs:
        await jobs.create("count", {"to": 1})
        await jobs.clerk.began.get()
        await jobs.create("count", {"to": 2})
        answer = await jobs.answer("count", {"to": 3})
    assert answer.is_error
    assert answer.retry_after_s == 1


async def test_of_long_texts_beside_the_arguments_the_record_keeps_none() -> None:
    long = "x" * 100_000
    async with opened() as jobs:
        call = jobs.pipeline.receive("count", {"to": 4}, {"traceparent": long, "tracestate": [long]}, caller=long)
        assert len(encode_json(encode_call(call, None))) < 500
        trace = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01", "tracestate": "a=b"}
        kept = encode_call(jobs.pipeline.receive("count", {"to": 4}, trace, caller="Ann"), None)
        assert (kept["caller"], kept["meta"]) == ("Ann", trace | {"corr_id": "a" * 32})


async def test_integers_of_any_size_come_back_from_the_record() -> None:
    async with opened() as jobs:
        key = await jobs.create("count", {"to": 4})
        task = replace(await jobs.tasks.service.get(key), work={"number": 10**400})
        assert Task.decode(key, task.encode()).work == task.work


@pytest.mark.parametrize("wrong", [{"ttl_s": 1e300}, {"ttl_s": "60"}, {"work": 5}, {"crashes": "1"}, {"requests": [1]}])
async def test_a_record_of_wrong_types_is_damaged_even_with_a_right_digest(wrong: dict[str, Any]) -> None:
    async with opened() as jobs:
        task = await jobs.tasks.service.get(await jobs.create("count", {"to": 4}))
    forged = replace(task, **wrong)
    with pytest.raises(DamagedTask):
        Task.decode(task.key, forged.encode())
