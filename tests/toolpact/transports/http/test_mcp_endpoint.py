"""The MCP endpoint, as a client meets it."""

import os
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.toolpact.listener import Listener, listening
from tests.toolpact.process import ROOT

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_book", {"id": 7}),
    ("get_book", {"id": 700}),
    ("get_book", {"id": "7", "colour": "red"}),
    ("list_books", {"shelf": "A", "limit": 100}),
    ("list_loans", {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}),
    ("misbehave", {"how": "crash"}),
    ("misbehave", {"how": "source"}),
]
ACCEPT = {"Accept": "application/json, text/event-stream"}


def endpoint(server: Listener) -> str:
    return f"{server.client.base_url}/mcp"


def on_stdio() -> StdioServerParameters:
    environ = os.environ | {"SHELF_URL": "shelf"}
    return StdioServerParameters(command=sys.executable, args=["-m", "tests.toolpact.library"], env=environ, cwd=ROOT)


async def seen(where: str | StdioServerParameters, mode: str) -> dict[str, Any]:
    """Return what a client sees of a server, without what differs from call to call."""
    async with Client(where, mode=mode) as client:
        tools = (await client.list_tools()).model_dump(exclude={"meta"})
        answers = []
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments)
            body = dict(result.structured_content or {})
            assert body.pop("_metadata")["latency_ms"] >= 0
            answers.append((name, result.is_error, body))
        return {"era": client.protocol_version, "tools": tools, "answers": answers}


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_sees_over_http_what_it_sees_on_stdio(mode: str) -> None:
    async with listening() as server:
        over_http = await seen(endpoint(server), mode)
    assert over_http == await seen(on_stdio(), mode)
    assert over_http["era"] == ERAS[mode]
    assert len(over_http["answers"]) == len(CALLS)


async def test_the_endpoint_takes_posts_alone_since_no_session_is_kept() -> None:
    async with listening() as server:
        for method in ("GET", "DELETE"):
            answer = await server.client.request(method, "/mcp", headers=ACCEPT)
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        answer = await server.client.post("/mcp", json=message, headers=ACCEPT)
        assert answer.status_code == 200
        assert "mcp-session-id" not in answer.headers


async def test_the_caller_is_named_by_itself_or_else_by_the_product_of_its_user_agent() -> None:
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


async def test_what_the_headers_say_about_a_call_counts_on_the_mcp_endpoint_too() -> None:
    async with listening() as server:
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "get_book", "arguments": {"id": 7}},
        }
        answer = await server.client.post("/mcp", json=call, headers=ACCEPT | {"X-Correlation-ID": "order-7"})
        assert '"corr_id":"order-7"' in answer.text
        await server.process.log_has('"corr_id":"order-7"')
