"""Bounds of an agent over A2A: places, tasks and memory."""

import asyncio
from dataclasses import replace

import httpx
import pytest
from a2a.types import Part

from tests.toolaccord.agent.a2a.guide import Guide, declare, serving
from tests.toolaccord.agent.a2a.served import PATIENCE_S, describe, events, message, say, serve
from toolaccord.agent.a2a.slots import Busy, RequestSlots
from toolaccord.contract.agents import AgentTasks
from toolaccord.testing import ManualClock, capture_logs


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
        streamed = await events(await served.client(), message(Part(text="one more")))
        metrics = (await served.http.get("/metrics")).text
    assert [describe(event) for event in streamed] == [
        "rejected: The agent has as many requests as it allows; try again later."
    ]
    status = sent["result"]["task"]["status"]
    assert status["state"] == "TASK_STATE_REJECTED"
    assert status["message"]["parts"][1]["data"]["error"]["code"] == "BUSY"
    assert 'guide_agent_errors_total{type="BUSY"} 2.0' in metrics
    assert 'mcp_task_runs_total{status="completed",tool="guide-agent"} 0.0' in metrics


async def test_plain_requests_beyond_those_that_wait_are_rejected_at_once() -> None:
    body = {"input": {"messages": [{"role": "user", "content": "wait"}]}}
    limits = httpx.Limits(max_connections=None)
    async with (
        asyncio.timeout(PATIENCE_S),
        serving(max_concurrent=1) as (served, guide),
        httpx.AsyncClient(base_url=served.url, timeout=PATIENCE_S, trust_env=False, limits=limits) as client,
    ):
        posting = {asyncio.create_task(client.post("/a2a", json=body)) for _ in range(102)}
        (rejected,), waiting = await asyncio.wait(posting, return_when=asyncio.FIRST_COMPLETED)
        guide.gate.set()
        answers = await asyncio.gather(*waiting)
    posted = rejected.result()
    assert (posted.status_code, posted.json()["error"]["code"]) == (503, "BUSY")
    assert posted.headers["retry-after"] == "1"
    assert {answer.status_code for answer in answers} == {200}


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


async def test_an_ended_task_goes_after_an_hour() -> None:
    clock = ManualClock()
    async with serve(declare(Guide()), {}, clock=clock) as served:
        sent = await served.call("SendMessage", message=say("hi"))
        task = sent["result"]["task"]["id"]
        clock.advance(3599)
        assert (await served.call("GetTask", id=task))["result"]["id"] == task
        clock.advance(2)
        assert (await served.call("GetTask", id=task))["error"]["code"] == -32001


async def test_a_result_larger_than_a_task_keeps_is_a_failure_that_says_so() -> None:
    agent = replace(declare(Guide()), tasks=AgentTasks(max_result_bytes=1024))
    async with serve(agent, {}) as served:
        sent = await served.call("SendMessage", message=say("x" * 1000))
    _, error = sent["result"]["task"]["status"]["message"]["parts"]
    assert error["data"]["error"]["code"] == "RESULT_TOO_LARGE"


async def _hold(slots: RequestSlots) -> None:
    async with slots.take():
        await asyncio.Event().wait()
