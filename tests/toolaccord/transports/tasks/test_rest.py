"""Tasks over REST."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.transports.tasks.conftest import FINAL, Wire, wired
from tests.toolaccord.transports.tasks.test_methods import NOBODYS, YES, Absent
from toolaccord.timing.clock import SystemClock

ASYNC = {"prefer": "wait=5, Respond-Async"}


@pytest.fixture
async def wire(tmp_path: Path) -> AsyncIterator[Wire]:
    """Give a client of the jobs; REST has no other way."""
    async with wired(tmp_path) as found:
        yield found


async def create(wire: Wire, tool: str, arguments: Any, **headers: str) -> str:
    """Return the path of the task that a call becomes."""
    response = await wire.http.post(f"/mcp/tools/{tool}", json=arguments, headers=headers)
    assert response.status_code == 202
    assert response.headers["location"] == f"/mcp/tasks/{response.json()['taskId']}"
    assert response.headers["x-correlation-id"]
    return str(response.headers["location"])


async def wait_for(wire: Wire, path: str, *statuses: str) -> dict[str, Any]:
    """Return a task as soon as it has one of *statuses*, or an end."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            response = await wire.http.get(path)
            assert response.status_code == 200
            task: dict[str, Any] = response.json()
            if task["status"] in {*statuses, *FINAL}:
                return task


async def test_a_caller_that_prefers_it_gets_a_task_with_the_answer_of_the_call(wire: Wire) -> None:
    direct = await wire.http.post("/mcp/tools/count", json={"to": 4})
    assert direct.status_code == 200
    task = await wait_for(wire, await create(wire, "count", {"to": 4}, **ASYNC))
    assert task.keys() == {
        *("taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "progress", "result")
    }
    assert task["progress"] == {"progress": 4, "total": 4}
    assert task["result"]["sum"] == direct.json()["sum"] == 10


async def test_the_other_route_of_calls_makes_tasks_too(wire: Wire) -> None:
    response = await wire.http.post("/mcp/tools/call", json={"name": "count", "arguments": {"to": 4}}, headers=ASYNC)
    assert (await wait_for(wire, response.headers["location"]))["result"]["sum"] == 10


@pytest.mark.parametrize("arguments", [{"to": -1}, {"to": "x"}, {}])
async def test_what_is_known_at_once_has_its_usual_status(wire: Wire, arguments: Any) -> None:
    usual = await wire.http.post("/mcp/tools/count", json=arguments)
    preferred = await wire.http.post("/mcp/tools/count", json=arguments, headers=ASYNC)
    assert preferred.status_code == usual.status_code == 400
    assert "location" not in preferred.headers


async def test_a_tool_that_requires_tasks_gives_one_unasked_and_its_questions_are_answered(wire: Wire) -> None:
    path = await create(wire, "pay", {"amount": 100})
    asked = await wait_for(wire, path, "input_required")
    ((key, question),) = asked["inputRequests"].items()
    assert question["method"] == "elicitation/create"
    ignored = await wire.http.post(path, json={"inputResponses": {"other": {}}})
    assert (ignored.status_code, ignored.json()["status"]) == (202, "input_required")
    answered = await wire.http.post(path, json={"inputResponses": {key: YES}})
    assert (answered.status_code, "inputRequests" in answered.json()) == (202, False)
    assert (await wait_for(wire, path))["result"]["paid"] is True


async def test_questions_that_come_first_over_mcp_are_those_of_the_task(tmp_path: Path) -> None:
    async with wired(tmp_path) as wire:
        policies: Any = wire.jobs.tasks.policies
        policies["pay"] = replace(policies["pay"], asks_first=("approval",))
        path = await create(wire, "pay", {"amount": 100})
        assert (await wait_for(wire, path, "input_required"))["status"] == "input_required"


async def test_a_task_is_cancelled_and_stays_so(wire: Wire) -> None:
    path = await create(wire, "pay", {"amount": 100})
    await wait_for(wire, path, "input_required")
    for _ in range(2):
        response = await wire.http.delete(path)
        assert (response.status_code, response.json()["status"]) == (202, "cancelled")


async def test_a_fault_is_the_error_of_a_failed_task(wire: Wire) -> None:
    task = await wait_for(wire, await create(wire, "count", {"to": 1000}, **ASYNC))
    assert (task["status"], task["error"]["code"], "result" in task) == ("failed", -32603, False)


async def test_the_task_of_another_caller_and_no_task_look_alike(wire: Wire) -> None:
    path = await create(wire, "pay", {"amount": 100})
    bob = wire.of("bob").http
    for each in (path, f"/mcp/tasks/{NOBODYS}", "/mcp/tasks/", "/mcp/tasks/a/b", f"{path}/"):
        for response in (
            await bob.get(each),
            await bob.delete(each),
            await bob.post(each, json={"inputResponses": {}}),
        ):
            assert (response.status_code, response.json()["error"]["message"]) == (
                404,
                "You have no such task, or its time is over.",
            )
    assert (await wait_for(wire, path, "input_required"))["status"] == "input_required"


@pytest.mark.parametrize(
    "body", [7, [], {}, {"inputResponses": []}, {"inputResponses": {"a": 1}}, {"inputResponses": {}, "more": 1}]
)
async def test_answers_of_another_form_are_rejected(wire: Wire, body: Any) -> None:
    path = await create(wire, "pay", {"amount": 100})
    assert (await wire.http.post(path, json=body)).status_code == 400


async def test_answers_that_are_too_large_are_rejected(wire: Wire) -> None:
    path = await create(wire, "pay", {"amount": 100})
    asked = await wait_for(wire, path, "input_required")
    large = {key: {"action": "x" * 40_000} for key in asked["inputRequests"]}
    assert (await wire.http.post(path, json={"inputResponses": large})).status_code == 413


async def test_other_methods_are_rejected_with_those_that_exist(wire: Wire) -> None:
    response = await wire.http.put(f"/mcp/tasks/{NOBODYS}", json={})
    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST, DELETE")


async def test_a_store_that_does_not_answer_is_unavailable(tmp_path: Path) -> None:
    async with wired(tmp_path, store=Absent(SystemClock())) as wire:
        response = await wire.http.get(f"/mcp/tasks/{NOBODYS}")
    assert response.status_code == 503
    assert response.json()["error"]["message"] == "The store of tasks does not answer: try again later."


async def test_pages_of_allowed_origins_may_follow_and_cancel_tasks(wire: Wire) -> None:
    origin = {"origin": "https://shop.example", "access-control-request-method": "DELETE"}
    preflight = await wire.http.options(f"/mcp/tasks/{NOBODYS}", headers=origin)
    assert "DELETE" in preflight.headers["access-control-allow-methods"]
    assert "Location" in preflight.headers["access-control-expose-headers"]


async def test_a_rejected_request_leaves_no_id_in_the_log(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "toolaccord")
    path = await create(wire, "pay", {"amount": 100})
    task_id = path.rpartition("/")[2]
    responses: list[httpx.Response] = [
        await wire.of("bob").http.get(path),
        await wire.of("nobody").http.get(path),
        await wire.http.put(path),
    ]
    assert [each.status_code for each in responses] == [404, 401, 405]
    assert [record for record in caplog.records if "rejected" in record.message]
    assert not any(task_id in str(vars(record)) for record in caplog.records)
