"""The end of an agent over A2A, with tasks in flight."""

import asyncio

import httpx
import pytest
from a2a.types import Part

from tests.toolaccord.agent.a2a.guide import serving
from tests.toolaccord.agent.a2a.served import BINDINGS, PATIENCE_S, describe, message, say


async def test_a_stop_lets_the_tasks_in_flight_end_and_accepts_no_other() -> None:
    async with serving() as (served, guide), asyncio.timeout(PATIENCE_S):
        await served.http.get("/health")  # opens a connection, on which the next request comes
        client = await served.client()
        stream = client.send_message(message(Part(text="wait")))
        assert describe(await anext(stream)) == "submitted"
        await guide.started.acquire()
        served.stop.requested.set()
        rejected = await served.post("/a2a/v1", {})
        assert rejected.status_code == 503
        assert rejected.json()["error"]["message"].startswith("The server is stopping")
        with pytest.raises(httpx.ConnectError):
            await served.http.get("/health")
        guide.gate.set()
        assert [describe(event) async for event in stream][-1] == "completed"
        await served.serving


@pytest.mark.parametrize("binding, version", BINDINGS)
async def test_a_task_that_outlasts_the_grace_time_fails_before_its_stream_ends(binding: str, version: str) -> None:
    async with serving(grace_s=0.4) as (served, guide), asyncio.timeout(PATIENCE_S):
        client = await served.client(binding, version)
        stream = client.send_message(message(Part(text="wait")))
        await anext(stream)
        await guide.started.acquire()
        served.stop.requested.set()
        assert [describe(event) async for event in stream][-1] == "failed: The agent is stopping."
        await guide.cancelled.acquire()
        await served.serving


async def test_requests_that_outlast_the_grace_time_get_an_answer() -> None:
    async with serving(grace_s=0.4, max_concurrent=1) as (served, guide), asyncio.timeout(PATIENCE_S):
        body = {"input": {"messages": [{"role": "user", "content": "wait"}]}}
        plain = asyncio.create_task(served.post("/a2a", body))
        await guide.started.acquire()
        waiting = asyncio.create_task(served.call("SendMessage", message=say("wait")))
        await served.begin("another")  # after the one before it: one connection may be ahead of the other
        served.stop.requested.set()
        posted, sent = await plain, await waiting
        await served.serving
    assert posted.status_code == 503
    assert posted.json()["error"]["code"] == "INTERNAL"
    status = sent["result"]["task"]["status"]
    assert status["message"]["parts"][1]["data"]["error"]["code"] == "STOPPING"


async def test_a_stop_does_not_wait_for_tasks_whose_callers_have_left() -> None:
    async with serving(grace_s=3600) as (served, guide), asyncio.timeout(PATIENCE_S):
        await served.begin("wait")
        await guide.started.acquire()
        await served.http.aclose()
        served.stop.requested.set()
        await served.serving
        await guide.cancelled.acquire()
