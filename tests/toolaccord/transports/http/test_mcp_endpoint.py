"""The MCP endpoint, as clients use it."""

import os
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import ROOT
from tests.toolaccord.transports.http.secured_server import ACCEPT

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_book", {"id": 7}),
    ("get_book", {"id": 700}),
    ("get_book", {"id": 7, "reason": None}),
    ("list_books", {"shelf": "A", "limit": None, "offset": None}),
    ("get_book", {"id": "7", "colour": "red"}),
    ("list_books", {"shelf": "A", "limit": 100}),
    ("list_loans", {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}),
    ("misbehave", {"how": "crash"}),
    ("misbehave", {"how": "source"}),
]


def endpoint(server: Listener) -> str:
    return f"{server.client.base_url}/mcp"


def on_stdio() -> StdioServerParameters:
    environ = os.environ | {"SHELF_URL": "shelf"}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "tests.toolaccord.demo.library"], env=environ, cwd=ROOT
    )


async def observe(target: str | StdioServerParameters, mode: str) -> dict[str, Any]:
    """Return the era, tools and answers that a client receives, without latencies."""
    async with Client(target, mode=mode) as client:
        tools = (await client.list_tools()).model_dump(exclude={"meta"})
        answers = []
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments)
            body = dict(result.structured_content or {})
            assert body.pop("_metadata")["latency_ms"] >= 0
            answers.append((name, result.is_error, body))
        return {"era": client.protocol_version, "tools": tools, "answers": answers}


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_receives_the_same_over_http_and_on_stdio(mode: str) -> None:
    async with listening() as server:
        over_http = await observe(endpoint(server), mode)
    assert over_http == await observe(on_stdio(), mode)
    assert over_http["era"] == ERAS[mode]
    assert len(over_http["answers"]) == len(CALLS)


async def test_the_endpoint_has_no_sessions_and_answers_only_post() -> None:
    async with listening() as server:
        for method in ("GET", "DELETE"):
            response = await server.client.request(method, "/mcp", headers=ACCEPT)
            assert (response.status_code, response.headers["allow"]) == (405, "POST")
        parameters = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
        response = await server.client.post("/mcp", json=message, headers=ACCEPT)
        assert response.status_code == 200
        assert "mcp-session-id" not in response.headers


async def test_metrics_name_the_client_by_its_client_info_or_else_by_its_user_agent() -> None:
    async with listening() as server:
        async with Client(endpoint(server)) as client:
            await client.call_tool("get_book", {"id": 7})
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "get_book", "arguments": {"id": 7}},
        }
        await server.client.post("/mcp", json=call, headers=ACCEPT | {"User-Agent": "opencode/1.18.33 (linux)"})
        await server.client.post("/mcp/tools/get_book", json={"id": 7}, headers={"User-Agent": "curl/8.1"})
        text = (await server.client.get("/metrics")).text
        counted = {line for line in text.splitlines() if line.startswith("mcp_tool_calls_total")}
        for name in ("mcp", "opencode", "curl"):
            assert f'mcp_tool_calls_total{{client="{name}",status="success",tool="get_book"}} 1.0' in counted


async def test_a_correlation_id_in_a_header_is_returned_and_logged() -> None:
    async with listening() as server:
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "get_book", "arguments": {"id": 7}},
        }
        response = await server.client.post("/mcp", json=call, headers=ACCEPT | {"X-Correlation-ID": "order-7"})
        assert '"corr_id":"order-7"' in response.text
        await server.process.log_has('"corr_id":"order-7"')


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"7",
        b"null",
        b"{}",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        b'{"jsonrpc":"1.0","id":1}',
        *(b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % given for given in (b"null", b"1.5", b"[]", b"true")),
    ],
)
async def test_json_that_is_not_one_message_is_answered_400(server: Listener, body: bytes) -> None:
    response = await server.client.post("/mcp", content=body, headers={"Content-Type": "application/json"} | ACCEPT)
    assert response.status_code == 400
    assert response.json()["error"] == {"code": -32600, "message": "Invalid request: not one JSON-RPC message"}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("method", ["nonsense", "tools/list", "initialize"])
async def test_a_message_with_too_much_beside_the_arguments_is_answered_400(server: Listener, method: str) -> None:
    params = {"capabilities": {"experimental": {"a": {"b": [1] * 1000}}}, "clientInfo": {"name": "a", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"protocolVersion": "2025-11-25"} | params}
    response = await server.client.post("/mcp", json=message, headers=ACCEPT)
    assert response.status_code == 400
    assert "beside the arguments" in response.json()["error"]["message"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("item,extra", [(b"NaN", b""), (b"1", b',"unknown":1')], ids=["NaN", "unknown member"])
async def test_arguments_that_hold_too_much_for_the_sdk_are_answered_400(
    server: Listener, item: bytes, extra: bytes
) -> None:
    params = b'{"name":"list_loans","arguments":{"a":[%b]}%b}' % (b",".join([item] * 20_000), extra)
    message = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params
    response = await server.client.post("/mcp", content=message, headers={"Content-Type": "application/json"} | ACCEPT)
    assert response.status_code == 400
    assert "too many values in the arguments" in response.json()["error"]["message"]
