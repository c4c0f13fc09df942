"""The fast path and the SDK give the same answers to requests for tasks, valid and invalid."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.toolaccord.deferral.test_task_calls import Jobs, opened
from tests.toolaccord.open_access import OPEN
from tests.toolaccord.transports.http.test_mcp_fast_path import COMMON, exchange
from tests.toolaccord.transports.tasks.conftest import ABLE, envelope
from tests.toolaccord.twins import answers, line
from toolaccord.transports.http.mcp_endpoint import McpEndpoint
from toolaccord.transports.mcp import request_shapes

CAPABILITIES: list[Any] = [
    ABLE,
    {},
    {"extensions": {}},
    {"extensions": {"io.modelcontextprotocol/tasks": {"more": 1}}},
    {"extensions": {"other": {}}, "elicitation": {"form": {}}},
    {"extensions": ABLE["extensions"], "sampling": {}},
    {"extensions": None},
    {"extensions": {"io.modelcontextprotocol/tasks": None}},
    {"tasks": {"list": {}}},
]
OF_CALLS: list[Any] = [
    {"name": "count", "arguments": {"to": 3}},
    {"name": "count", "arguments": {"to": 3}, "task": {"ttl": 1}},
    {"name": "count", "arguments": {"to": -3}},
    {"name": "count", "arguments": {"to": 3}, "version": "9"},
    {"name": "count", "arguments": []},
    {"name": "pay", "arguments": {"amount": 5}},
    {"name": "pay", "arguments": {"amount": 0}},
    {"name": "nothing", "arguments": {}},
    {"name": 7},
]
MEASURED = ("taskId", "createdAt", "lastUpdatedAt", "statusMessage", "status")
"""Members of a new task that differ from one to the other."""


@pytest.fixture
async def jobs() -> AsyncIterator[Jobs]:
    async with opened() as found:
        yield found


async def ids_of(jobs: Jobs) -> list[Any]:
    """Return ids of tasks in each state, unknown ones, and values that are no id."""
    completed, failed = await jobs.create("count", {"to": 3}), await jobs.create("count", {"to": 1000})
    asking, cancelled = await jobs.create("pay", {"amount": 5}), await jobs.create("pay", {"amount": 6})
    for key in (asking, cancelled):
        await jobs.wait_for(key, "input_required")
    await jobs.tasks.service.cancel(cancelled)
    for key in (completed, failed, cancelled):
        await jobs.wait_for(key)
    foreign = await jobs.create("count", {"to": 3}, identity="somebody")
    return [*(key.id for key in (completed, failed, asking, cancelled, foreign)), "a" * 43, "", "x y", 7, None, [], "é"]


def list_params(ids: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield requests about tasks that change none."""
    for method in ("tasks/get", "tasks/cancel", "tasks/update", "tasks/result", "tasks/list"):
        for task_id in ids if method != "tasks/cancel" else ids[4:]:
            yield method, {"taskId": task_id} | ({"inputResponses": {"x": 1}} if method == "tasks/update" else {})
        yield method, {}
        yield method, {"taskId": ids[0], "more": 1}
    wrong: list[Any] = [{}, [], None, "x", {"x": None}]
    for responses in wrong:
        yield "tasks/update", {"taskId": ids[2], "inputResponses": responses}
    for params in OF_CALLS:
        yield "tools/call", params
    yield "server/discover", {}


def list_requests(ids: list[Any]) -> list[dict[str, Any]]:
    """Return requests of clients that handle tasks, and of others."""
    listed = [(method, params, ABLE) for method, params in list_params(ids)]
    for capabilities in CAPABILITIES:
        listed += [(method, {"taskId": ids[0]}, capabilities) for method in ("tasks/get", "tasks/cancel")]
        listed += [("tools/call", params, capabilities) for params in OF_CALLS]
    return [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params | {"_meta": envelope(capabilities)}}
        for number, (method, params, capabilities) in enumerate(listed)
    ]


def comparable(answer: Any) -> Any:
    """Return an answer without what differs from one call to the next."""
    result = answer.get("result", {})
    if result.get("resultType") == "task":
        assert all(result.pop(name) for name in MEASURED if name in result)
    if "corr_id" in result.get("_meta", {}):
        result["_meta"]["corr_id"] = "made"
        result.pop("content", None)
        result.get("structuredContent", {}).pop("metadata", None)
        result.get("structuredContent", {}).get("error", {}).pop("corr_id", None)
    return json.loads(json.dumps(answer, sort_keys=True))


async def test_requests_over_http_have_equal_answers(jobs: Jobs) -> None:
    fast = McpEndpoint(jobs.pipeline, OPEN, jobs.tasks)
    behind = McpEndpoint(jobs.pipeline, OPEN, jobs.tasks, reference=True)
    async with fast.open(), behind.open():
        for request in list_requests(await ids_of(jobs)):
            params, method = request["params"], request["method"]
            name = params.get("name", params.get("taskId"))
            given = COMMON | {"mcp-protocol-version": request_shapes.STATELESS_VERSION, "mcp-method": method}
            for named in ({"mcp-name": str(name).encode("ascii", "replace").decode()}, {"mcp-name": "other"}, {}):
                body = json.dumps(request).encode()
                first, second = [await exchange(each, given | named, body) for each in (fast, behind)]
                assert (*first[:2], comparable(first[2])) == (*second[:2], comparable(second[2])), request


async def test_requests_on_stdio_have_equal_answers(jobs: Jobs) -> None:
    sent = [line(each) for each in list_requests(await ids_of(jobs))]
    fast = await answers(jobs.pipeline, sent, jobs.tasks, reference=False)
    behind = await answers(jobs.pipeline, sent, jobs.tasks, reference=True)
    assert sorted(map(comparable, fast), key=json.dumps) == sorted(map(comparable, behind), key=json.dumps)
    assert len(fast) == len(sent)


async def test_common_requests_do_without_the_sdk(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = McpEndpoint(jobs.pipeline, OPEN, jobs.tasks)
    asking = (await jobs.create("pay", {"amount": 5})).id
    monkeypatch.setattr(endpoint._sdk, "handle_request", None)
    for method, params in (
        ("server/discover", {}),
        ("tools/call", {"name": "count", "arguments": {"to": 3}}),
        ("tools/call", {"name": "pay", "arguments": {"amount": 5}}),
        ("tasks/get", {"taskId": asking}),
        ("tasks/update", {"taskId": asking, "inputResponses": {}}),
        ("tasks/cancel", {"taskId": asking}),
    ):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": envelope(ABLE)}}
        name = params.get("name", params.get("taskId"))
        headers = COMMON | {"mcp-protocol-version": request_shapes.STATELESS_VERSION, "mcp-method": method}
        status, _, answer = await exchange(endpoint, headers | {"mcp-name": str(name)}, json.dumps(request).encode())
        assert (status, "result" in answer) == (200, True)
