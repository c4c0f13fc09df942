"""MCP's extension for tasks over HTTP: the same on the fast path and on the SDK's server."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.toolaccord.demo.jobs import Clerk
from tests.toolaccord.transports.tasks.conftest import ABLE, EXTENSION, Wire, headers_of, message, wired
from toolaccord.errors import SourceError
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.tasks.store import StoredTask
from toolaccord.tasks.task import TaskKey
from toolaccord.timing.clock import SystemClock

UNABLE: dict[str, Any] = {"elicitation": {}}
"""The capabilities of a client without tasks."""
NOBODYS = "a" * 43
YES = {"action": "accept", "content": {"yes": True}}
MISSING, MISMATCH = (400, -32021), (400, -32020)
UNKNOWN = (400, -32602)
ABOUT_TASKS: list[tuple[str, dict[str, Any]]] = [
    ("tasks/get", {}),
    ("tasks/update", {"inputResponses": {}}),
    ("tasks/cancel", {}),
]


async def test_discovery_announces_the_extension_and_the_handshake_does_not(wire: Wire) -> None:
    capabilities = (await wire.result("server/discover"))["capabilities"]
    assert capabilities["extensions"] == {EXTENSION: {}}
    assert "tasks" not in capabilities
    params = {"protocolVersion": "2025-11-25", "capabilities": ABLE, "clientInfo": {"name": "test", "version": "1"}}
    answer = await handshake(wire, "initialize", **params)
    assert '"protocolVersion"' in answer
    assert EXTENSION not in answer


async def test_a_call_becomes_a_task_whose_result_is_that_of_the_call(wire: Wire) -> None:
    direct = (await wire.post("tools/call", UNABLE, name="count", arguments={"to": 4})).json()["result"]
    created = await wire.result("tools/call", name="count", arguments={"to": 4}, task={"ttl": 5})
    assert (created["resultType"], created["status"]) == ("task", "working")
    assert (created["ttlMs"], created["pollIntervalMs"]) == (600_000, 100)
    assert created["createdAt"].endswith("Z")
    assert datetime.fromisoformat(created["createdAt"]) <= datetime.fromisoformat(created["lastUpdatedAt"])
    assert not created.keys() & {"task", "result", "error", "inputRequests", "requestState"}
    task = await wire.wait_for(created["taskId"])
    assert (task["resultType"], task["status"]) == ("complete", "completed")
    assert without_measures(task["result"]) == without_measures(direct)


async def test_a_call_of_a_client_without_the_extension_is_answered_at_once(wire: Wire) -> None:
    result = (await wire.post("tools/call", UNABLE, name="count", arguments={"to": 4})).json()["result"]
    assert result["structuredContent"]["sum"] == 10
    assert '"sum":10' in await handshake(wire, "tools/call", name="count", arguments={"to": 4})


async def test_a_tool_that_requires_tasks_rejects_clients_without_them(wire: Wire) -> None:
    response = await wire.post("tools/call", UNABLE, name="pay", arguments={"amount": -1})
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"extensions": {EXTENSION: {}}}})
    assert "-32021" in await handshake(wire, "tools/call", name="pay", arguments={"amount": 100})


async def test_progress_and_its_message_are_seen_while_a_task_runs(way: str, tmp_path: Path) -> None:
    clerk = Clerk(gate=asyncio.Event())
    async with wired(tmp_path, way, clerk=clerk) as wire:
        task_id = await wire.create("count", to=4)
        await clerk.began.get()
        while "statusMessage" not in (task := await wire.result("tasks/get", taskId=task_id)):
            pass
        assert (task["statusMessage"], task["_meta"]["progress"]) == ("Begins.", {"progress": 0, "total": 4})
        clerk.gate.set()
        assert (await wire.wait_for(task_id))["status"] == "completed"


async def test_a_task_asks_and_goes_on_with_the_answer(wire: Wire) -> None:
    task_id = await wire.create("pay", amount=100)
    asked = await wire.wait_for(task_id, "input_required")
    ((key, request),) = asked["inputRequests"].items()
    assert (request["method"], request["params"]["message"]) == ("elicitation/create", "Shall 100 cents be paid?")
    ignored = await wire.result("tasks/update", taskId=task_id, inputResponses={"unknown": {"ignored": True}})
    assert (ignored["resultType"], (await wire.wait_for(task_id, "input_required"))["status"]) == (
        "complete",
        "input_required",
    )
    acknowledged = await wire.result("tasks/update", taskId=task_id, inputResponses={key: YES})
    assert acknowledged.keys() == {"resultType", "_meta"}
    assert (await wire.wait_for(task_id))["result"]["structuredContent"]["paid"] is True
    assert wire.jobs.clerk.paid == [100]


async def test_a_task_fails_if_its_client_cannot_be_asked(wire: Wire) -> None:
    capabilities: dict[str, Any] = {"extensions": {EXTENSION: {}}, "elicitation": {"url": {}}}
    created = (await wire.post("tools/call", capabilities, name="pay", arguments={"amount": 100})).json()["result"]
    task = await wire.wait_for(created["taskId"])
    assert (task["status"], task["error"]["code"]) == ("failed", -32021)
    assert task["error"]["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_fault_of_the_server_fails_a_task_with_a_reason(wire: Wire) -> None:
    task = await wire.wait_for(await wire.create("count", to=1000))
    assert (task["status"], task["error"]["code"]) == ("failed", -32603)
    assert task["statusMessage"] == task["error"]["message"]
    assert "result" not in task
    assert "secret" not in str(task)


async def test_an_error_of_the_tool_completes_a_task(wire: Wire) -> None:
    task = await wire.wait_for(await wire.create("count", to=13))
    assert (task["status"], task["result"]["isError"]) == ("completed", True)


async def test_a_wrong_argument_is_no_task(wire: Wire) -> None:
    result = await wire.result("tools/call", name="count", arguments={"to": -1})
    assert (result["resultType"], result["isError"]) == ("complete", True)


async def test_a_cancelled_task_ends_and_cancelling_it_again_is_acknowledged(wire: Wire) -> None:
    task_id = await wire.create("pay", amount=100)
    await wire.wait_for(task_id, "input_required")
    for _ in range(2):
        acknowledged = await wire.result("tasks/cancel", taskId=task_id)
        assert acknowledged.keys() == {"resultType", "_meta"}
        assert (await wire.wait_for(task_id))["status"] == "cancelled"


@pytest.mark.parametrize("method,params", ABOUT_TASKS)
async def test_the_extension_is_demanded_before_a_task_is_looked_up(
    wire: Wire, method: str, params: dict[str, Any]
) -> None:
    mine = await wire.create("pay", amount=100)
    for task_id in (mine, NOBODYS):
        assert await wire.error(method, UNABLE, taskId=task_id, **params) == MISSING


@pytest.mark.parametrize("method,params", ABOUT_TASKS)
async def test_the_task_of_another_caller_and_no_task_look_alike(
    wire: Wire, method: str, params: dict[str, Any]
) -> None:
    mine = await wire.create("pay", amount=100)
    bob = wire.of("bob")
    for task_id in (mine, NOBODYS, "no id", "a" * 1000, ""):
        response = await bob.post(method, taskId=task_id, **params)
        assert (response.status_code, response.json()["error"]["code"]) == UNKNOWN
        assert response.json()["error"]["message"] == "You have no such task, or its time is over."
    assert (await wire.wait_for(mine, "input_required"))["status"] == "input_required"


@pytest.mark.parametrize("method,params", ABOUT_TASKS)
async def test_headers_must_name_the_method_and_the_task(wire: Wire, method: str, params: dict[str, Any]) -> None:
    task_id = await wire.create("pay", amount=100)
    request = message(method, taskId=task_id, **params)
    encoded = f"=?base64?{base64.b64encode(task_id.encode()).decode()}?="
    for headers, is_right in (
        ({"mcp-name": encoded}, True),
        ({"mcp-name": NOBODYS}, False),
        ({"mcp-name": ""}, False),
        ({"mcp-method": "tasks/list"}, False),
    ):
        response = await wire.http.post("/mcp", json=request, headers=headers_of(request) | headers)
        if is_right:
            assert "result" in response.json()
        else:
            assert (response.status_code, response.json()["error"]["code"]) == MISMATCH


async def test_methods_of_older_drafts_do_not_exist(wire: Wire) -> None:
    for method in ("tasks/result", "tasks/list"):
        assert await wire.error(method, taskId=NOBODYS) == (404, -32601)


@pytest.mark.parametrize("method,params", ABOUT_TASKS)
async def test_the_handshake_era_has_no_tasks(wire: Wire, method: str, params: dict[str, Any]) -> None:
    for given in ({"taskId": NOBODYS, **params}, {}):
        assert "-32601" in await handshake(wire, method, **given)


async def test_a_client_of_the_handshake_gets_no_task_whatever_it_declares(wire: Wire) -> None:
    meta = {"io.modelcontextprotocol/clientCapabilities": ABLE}
    assert '"sum":10' in await handshake(wire, "tools/call", name="count", arguments={"to": 4}, _meta=meta)


async def test_answers_that_are_too_large_are_rejected(wire: Wire) -> None:
    task_id = await wire.create("pay", amount=100)
    asked = await wire.wait_for(task_id, "input_required")
    large = {"action": "accept", "content": {"yes": "x" * 40_000}}
    responses = dict.fromkeys(asked["inputRequests"], large)
    assert await wire.error("tasks/update", taskId=task_id, inputResponses=responses) == UNKNOWN


async def test_answers_that_are_nested_too_deeply_are_rejected(wire: Wire) -> None:
    task_id = await wire.create("pay", amount=100)
    asked = await wire.wait_for(task_id, "input_required")
    deep = {"action": "accept", "content": json.loads('{"a":' * 70 + "1" + "}" * 70)}
    responses = dict.fromkeys(asked["inputRequests"], deep)
    assert await wire.error("tasks/update", taskId=task_id, inputResponses=responses) == UNKNOWN


@pytest.mark.parametrize("answer", [5, "x", [], {}, {"action": 1}, {"action": "accept", "content": [1]}])
async def test_an_answer_of_a_wrong_shape_harms_nothing_but_its_task(wire: Wire, answer: Any) -> None:
    task_id = await wire.create("pay", amount=100)
    asked = await wire.wait_for(task_id, "input_required")
    await wire.post("tasks/update", taskId=task_id, inputResponses=dict.fromkeys(asked["inputRequests"], answer))
    assert (await wire.wait_for(task_id, "input_required"))["status"] in {"completed", "input_required"}
    assert wire.jobs.clerk.paid == []


class Absent(MemoryStore):
    """A store that does not answer any more."""

    async def read(self, _key: TaskKey, /) -> StoredTask | None:
        raise SourceError(reason="it is gone")


async def test_a_store_that_does_not_answer_is_an_internal_error(way: str, tmp_path: Path) -> None:
    async with wired(tmp_path, way, store=Absent(SystemClock())) as wire:
        for method, params in ABOUT_TASKS:
            response = await wire.post(method, taskId=NOBODYS, **params)
            assert response.status_code == 200
            assert response.json()["error"] == {
                "code": -32603,
                "message": "The store of tasks does not answer: try again later.",
            }


async def test_no_log_line_has_the_id_of_a_task(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    task_id = await wire.create("pay", amount=100)
    asked = await wire.wait_for(task_id, "input_required")
    await wire.result("tasks/update", taskId=task_id, inputResponses=dict.fromkeys(asked["inputRequests"], YES))
    await wire.wait_for(task_id)
    await wire.result("tasks/cancel", taskId=task_id)
    await wire.of("bob").error("tasks/get", taskId=task_id)
    assert caplog.records
    assert task_id not in caplog.text
    assert not any(task_id in str(vars(record)) for record in caplog.records)


async def handshake(wire: Wire, method: str, **params: Any) -> str:
    """Return the text of the response to a request of the handshake era."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    return (await wire.http.post("/mcp", json=request, headers=headers)).text


def without_measures(result: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call without its text, its id and its duration."""
    structured = {name: value for name, value in result["structuredContent"].items() if name != "metadata"}
    kept = {name: value for name, value in result.items() if name != "content"}
    return kept | {"structuredContent": structured, "_meta": result["_meta"].keys()}
