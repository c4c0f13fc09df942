"""Real servers notify clients of their tasks, over HTTP and on stdio."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

import pytest

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, Process, started
from tests.toolaccord.transports.tasks.conftest import ABLE, FINAL, headers_of, message
from tests.toolaccord.transports.tasks.test_methods import NOBODYS, UNABLE, YES
from toolaccord.tasks.task import TaskKey
from toolaccord.testing import nats, redis
from toolaccord.transports.mcp.sdk import listening as served

MODULE = "tests.toolaccord.demo.jobs"
EVERYTHING = "tests.conformance.everything"
KEY = TaskKey("anonymous", NOBODYS)
LISTEN = "subscriptions/listen"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


async def ask(server: Listener, method: str, capabilities: Any = ABLE, **params: Any) -> Any:
    """Return the answer to a request over HTTP."""
    request = message(method, capabilities, **params)
    return (await server.client.post("/mcp", json=request, headers=headers_of(request))).json()


@asynccontextmanager
async def stream(server: Listener, **notifications: Any) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """Give the messages in the response to a request that listens."""
    request = message(LISTEN, notifications=notifications) | {"id": "watch"}
    async with server.client.stream("POST", "/mcp", json=request, headers=headers_of(request)) as response:

        async def read() -> AsyncIterator[dict[str, Any]]:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    yield json.loads(line.removeprefix("data: "))

        yield read()


async def until(messages: AsyncIterator[dict[str, Any]], *statuses: str) -> dict[str, Any]:
    """Return the first notification of a task with one of *statuses*; each is well-formed."""
    async with asyncio.timeout(PATIENCE_S):
        async for each in messages:
            params: dict[str, Any] = each["params"]
            assert (each["method"], params["_meta"][SUBSCRIPTION]) == ("notifications/tasks", "watch")
            if params["status"] in statuses:
                return params
    raise AssertionError("the stream has ended")


@pytest.mark.parametrize("arguments", [[], ["--reference"]])
async def test_a_listener_over_http_hears_of_its_tasks_until_the_server_stops(arguments: list[str]) -> None:
    async with listening(*arguments, module=MODULE) as server:
        task_id = (await ask(server, "tools/call", name="pay", arguments={"amount": 5}))["result"]["taskId"]
        async with stream(server, taskIds=[task_id, NOBODYS, "no id", task_id], toolsListChanged=True) as messages:
            acknowledged = await anext(messages)
            assert acknowledged["params"]["notifications"] == {"taskIds": [task_id]}
            asked = await until(messages, "input_required")
            got = (await ask(server, "tasks/get", taskId=task_id))["result"]
            assert {**asked, "_meta": None} == {k: v for k, v in got.items() if k != "resultType"} | {"_meta": None}
            responses = dict.fromkeys(asked["inputRequests"], YES)
            await ask(server, "tasks/update", taskId=task_id, inputResponses=responses)
            done = await until(messages, *FINAL)
            assert done["result"]["structuredContent"]["paid"] is True
            server.process.signal(signal.SIGTERM)
            last = await anext(messages)
            assert (last["id"], last["result"]["resultType"]) == ("watch", "complete")
        assert await server.process.exit_code() == 0
    assert task_id.encode() not in server.process.logged


async def test_a_task_that_ended_before_is_told_of_once() -> None:
    async with listening(module=MODULE) as server:
        task_id = (await ask(server, "tools/call", name="count", arguments={"to": 2}))["result"]["taskId"]
        while (await ask(server, "tasks/get", taskId=task_id))["result"]["status"] not in FINAL:
            pass
        async with stream(server, taskIds=[task_id]) as messages:
            assert "acknowledged" in (await anext(messages))["method"]
            assert (await until(messages, *FINAL))["result"]["structuredContent"]["sum"] == 3


@pytest.mark.parametrize("arguments", [[], ["--reference"]])
async def test_listening_to_tasks_needs_the_extension_and_ids(arguments: list[str]) -> None:
    async with listening(*arguments, module=MODULE) as server:
        for capabilities, ids, code in ((UNABLE, [NOBODYS], -32021), (UNABLE, [], -32021), (ABLE, "x", -32602)):
            answer = await ask(server, LISTEN, capabilities, notifications={"taskIds": ids})
            assert answer["error"]["code"] == code
        too_many = await ask(server, LISTEN, notifications={"taskIds": [NOBODYS] * 101})
        assert too_many["error"]["code"] == -32602


@pytest.mark.parametrize("arguments", [[], ["--reference"]])
async def test_a_host_on_stdio_follows_a_task_to_its_end(arguments: list[str]) -> None:
    async with started(*arguments, module=MODULE) as process:
        created = (await roundtrip(process, "tools/call", name="pay", arguments={"amount": 5}))["result"]
        assert created["resultType"] == "task"
        task_id = created["taskId"]
        unknown = await roundtrip(process, "tasks/get", taskId=NOBODYS)
        assert unknown["error"]["code"] == -32602
        missing = await roundtrip(process, "tasks/get", UNABLE, taskId=task_id)
        assert missing["error"]["code"] == -32021
        await process.send(message(LISTEN, notifications={"taskIds": [task_id]}) | {"id": "watch"})
        assert (await process.receive())["params"]["notifications"] == {"taskIds": [task_id]}
        asked = await heard(process, "input_required")
        await process.send(
            message("tasks/update", taskId=task_id, inputResponses=dict.fromkeys(asked["inputRequests"], YES))
        )
        assert (await heard(process, *FINAL))["result"]["structuredContent"]["paid"] is True
        process.close_input()
        assert {each["id"] for each in await process.rest() if "id" in each} <= {"watch", 1}
        assert await process.exit_code() == 0


async def roundtrip(process: Process, method: str, capabilities: Any = ABLE, **params: Any) -> dict[str, Any]:
    """Return the answer to a request on stdio."""
    await process.send(message(method, capabilities, **params))
    return await process.receive()


async def heard(process: Process, *statuses: str) -> dict[str, Any]:
    """Return the first notification of a task with one of *statuses*."""
    while True:
        received = await process.receive()
        if received.get("method") == "notifications/tasks" and received["params"]["status"] in statuses:
            found: dict[str, Any] = received["params"]
            return found


@pytest.mark.parametrize("store", [redis.serve, nats.serve], ids=["Redis", "NATS"])
async def test_a_listener_hears_of_what_other_processes_do(store: Callable[[], AbstractContextManager[str]]) -> None:
    with store() as url:
        environ = {"TASK_STORE": url}
        async with (
            listening(module=EVERYTHING, environ=environ) as one,
            listening(module=EVERYTHING, environ=environ) as two,
        ):
            created = await ask(two, "tools/call", name="confirm_delete", arguments={"filename": "old.txt"})
            task_id = created["result"]["taskId"]
            async with stream(one, taskIds=[task_id]) as messages:
                assert (await anext(messages))["params"]["notifications"] == {"taskIds": [task_id]}
                assert await until(messages, "input_required")
                await ask(two, "tasks/cancel", taskId=task_id)
                assert (await until(messages, *FINAL))["status"] == "cancelled"


async def anybody() -> bool:
    """Let the client read on."""
    return True


async def test_a_task_is_looked_at_again_although_nobody_reported_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "_LOOK_S", 0)
    unheard = served.Unheard([], [KEY], anybody)
    assert [await unheard.next(), await unheard.next()] == [KEY, KEY]


async def test_changes_that_a_client_has_not_heard_of_become_one_of_each_thing() -> None:
    unheard = served.Unheard(["museum://rules"], [KEY], anybody)
    for topic in ("museum://rules", KEY, "museum://rules", "museum://logo", KEY):
        unheard.note(topic)
    unheard.end()
    assert [await unheard.next(), await unheard.next(), await unheard.next()] == [KEY, "museum://rules", None]
