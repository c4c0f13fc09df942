"""Bounds of an agent over A2A: places, tasks and memory."""

import asyncio
import gc

import httpx
import pytest
from a2a.auth.user import UnauthenticatedUser
from a2a.server.agent_execution.active_task import ActiveTask
from a2a.server.context import ServerCallContext
from a2a.types import ListTasksRequest, Task, TaskState, TaskStatus

from tests.toolaccord.agent.a2a.guide import serving
from tests.toolaccord.agent.a2a.served import PATIENCE_S, say
from toolaccord.agent.a2a.slots import Busy, RequestSlots
from toolaccord.agent.a2a.task_store import BoundedTaskStore, StoreLimits
from toolaccord.testing import ManualClock, capture_logs

CALLER = ServerCallContext(user=UnauthenticatedUser())


async def test_no_more_requests_run_at_once_than_the_contract_allows() -> None:
    async with serving(max_concurrent=2) as (served, guide), asyncio.timeout(PATIENCE_S):
        waiting = [asyncio.create_task(served.call("SendMessage", message=say("wait"))) for _ in range(4)]
        plain = {"input": {"messages": [{"role": "user", "content": "wait"}]}}
        waiting_plainly = [asyncio.create_task(served.post("/a2a", plain)) for _ in range(4)]
        for _ in range(2):
            await guide.started.acquire()
        guide.gate.set()
        sent = await asyncio.gather(*waiting)
        posted = await asyncio.gather(*waiting_plainly)
        assert guide.most_running == 2
    assert {each["result"]["task"]["status"]["state"] for each in sent} == {"TASK_STATE_COMPLETED"}
    assert {each.status_code for each in posted} == {200}


async def test_requests_beyond_those_that_wait_are_rejected_at_once() -> None:
    async with serving(max_concurrent=1) as (served, guide), asyncio.timeout(PATIENCE_S):
        for _ in range(101):
            await served.begin("wait")
        await guide.started.acquire()
        sent = await served.call("SendMessage", message=say("one more"))
        posted = await served.post("/a2a", {"input": {"messages": [{"role": "user", "content": "hi"}]}})
        metrics = (await served.http.get("/metrics")).text
    status = sent["result"]["task"]["status"]
    assert status["state"] == "TASK_STATE_REJECTED"
    assert status["message"]["parts"][1]["data"]["error"]["code"] == "BUSY"
    assert posted.status_code == 503
    assert posted.json()["error"]["code"] == "BUSY"
    assert posted.headers["retry-after"] == "1"
    assert 'guide_agent_errors_total{type="BUSY"} 2.0' in metrics


async def test_a_place_is_free_again_after_a_failure_and_a_cancellation() -> None:
    slots = RequestSlots(1, max_waiting=0)
    with pytest.raises(ZeroDivisionError):
        async with slots.take():
            raise ZeroDivisionError
    holding = asyncio.create_task(_hold(slots))
    await asyncio.sleep(0)
    with pytest.raises(Busy):
        async with slots.take():
            pass
    holding.cancel()
    await asyncio.wait({holding})
    async with slots.take():
        assert holding.cancelled()


async def test_a_large_request_does_not_fill_the_log() -> None:
    with capture_logs() as records:
        async with serving() as (served, _):
            await served.call("SendMessage", message=say("x" * 100_000))
    (line,) = [record.__dict__["fields"] for record in records if record.message == "request"]
    assert line["error_code"] == "INVALID_PARAMETERS"
    assert len(str(line)) < 3000


async def test_a_plain_request_ends_with_its_client() -> None:
    async with serving() as (served, guide), asyncio.timeout(PATIENCE_S):
        async with httpx.AsyncClient(base_url=served.url, trust_env=False) as client:
            body = {"input": {"messages": [{"role": "user", "content": "wait"}]}}
            asking = asyncio.create_task(client.post("/a2a", json=body, timeout=PATIENCE_S))
            await guide.started.acquire()
            asking.cancel()
            await asyncio.wait({asking})
        await guide.cancelled.acquire()
        assert guide.running == 0


@pytest.mark.parametrize("limits", [StoreLimits(max_tasks=3), StoreLimits(max_bytes=400)])
async def test_the_oldest_ended_tasks_make_room(limits: StoreLimits) -> None:
    store = BoundedTaskStore(ManualClock(), limits)
    await store.save(_task("running", TaskState.TASK_STATE_WORKING), CALLER)
    for number in range(10):
        await store.save(_task(f"{number}", TaskState.TASK_STATE_COMPLETED), CALLER)
    kept = {each.id for each in (await store.list(ListTasksRequest(), CALLER)).tasks}
    assert kept == {"running", "7", "8", "9"}


async def test_an_ended_task_goes_after_an_hour() -> None:
    clock = ManualClock()
    store = BoundedTaskStore(clock)
    await store.save(_task("old", TaskState.TASK_STATE_COMPLETED), CALLER)
    clock.advance(3599)
    assert await store.get("old", CALLER) is not None
    clock.advance(2)
    assert await store.get("old", CALLER) is None


async def test_a_deleted_task_counts_no_longer() -> None:
    store = BoundedTaskStore(ManualClock(), StoreLimits(max_tasks=2))
    for name in ("1", "2"):
        await store.save(_task(name, TaskState.TASK_STATE_FAILED), CALLER)
    await store.delete("2", CALLER)
    await store.save(_task("3", TaskState.TASK_STATE_FAILED), CALLER)
    assert await store.get("1", CALLER) is not None


async def test_nothing_of_ended_tasks_stays_but_what_the_store_keeps() -> None:
    async with serving() as (served, _):
        for _ in range(5):
            await asyncio.gather(*(served.call("SendMessage", message=say("hi")) for _ in range(20)))
        ending = [each for each in asyncio.all_tasks() if each.get_name().startswith(("producer:", "consumer:"))]
        await asyncio.gather(*ending)
        await served.call("GetTask", id="x")  # gives their last callbacks a turn
        gc.collect()
        assert [each for each in gc.get_objects() if isinstance(each, ActiveTask)] == []


async def _hold(slots: RequestSlots) -> None:
    async with slots.take():
        await asyncio.Event().wait()


def _task(name: str, state: TaskState) -> Task:
    """Return a task of about 110 bytes."""
    return Task(id=name, context_id="x" * 100, status=TaskStatus(state=state))
