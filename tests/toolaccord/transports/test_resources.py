"""The fast path beside the SDK, and the SDK alone, serve resources alike."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.museum.server import server
from tests.toolaccord.open_access import OPEN
from tests.toolaccord.transports.http.test_mcp_fast_path import COMMON, exchange, stateless_headers
from tests.toolaccord.transports.mcp.test_fast_path import CLIENT
from tests.toolaccord.twins import both, line
from toolaccord.call.pipeline import Pipeline
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import Era, pipeline
from toolaccord.transports.http.mcp_endpoint import McpEndpoint
from toolaccord.transports.mcp import request_shapes

ENVELOPE = {
    request_shapes.PROTOCOL_VERSION: request_shapes.STATELESS_VERSION,
    request_shapes.CLIENT_CAPABILITIES: {},
    request_shapes.CLIENT_INFO: CLIENT,
}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ARGUMENT = {"name": "room", "value": "n"}
PARAMS: list[tuple[str, Any]] = [
    ("tools/call", {"name": "move_piece", "arguments": {"room": "north", "number": 1, "place": "door"}}),
    ("resources/list", {}),
    ("resources/list", {"cursor": "x"}),
    ("resources/templates/list", {}),
    ("resources/templates/list", {"cursor": "x"}),
    ("resources/read", {"uri": "museum://rules"}),
    ("resources/read", {"uri": "museum://logo"}),
    ("resources/read", {"uri": "museum://pieces/north/2"}),
    ("resources/read", {"uri": "museum://pieces/north/99"}),
    ("resources/read", {"uri": "museum://pieces/south/1"}),
    ("resources/read", {"uri": "museum://pieces/south/2"}),
    ("resources/read", {"uri": "museum://pieces/west/x"}),
    ("resources/read", {"uri": "unknown:"}),
    ("resources/read", {"uri": ""}),
    ("resources/read", {"uri": 7}),
    ("resources/read", {}),
    (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "museum://pieces/{room}/{number}"}, "argument": ARGUMENT},
    ),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "museum://none"}, "argument": ARGUMENT}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "none"}, "argument": ARGUMENT}),
    ("completion/complete", {"ref": {"type": "ref/nothing"}, "argument": ARGUMENT}),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "guide-me"}, "argument": ARGUMENT},
    ),
    ("prompts/list", {}),
    ("prompts/list", {"cursor": "x"}),
    ("prompts/get", {"name": "guide-me", "arguments": {"room": "north", "minutes": "20"}}),
    ("prompts/get", {"name": "guide-me", "arguments": {"room": "attic"}}),
    ("prompts/get", {"name": "guide-me", "arguments": {"room": 7}}),
    ("prompts/get", {"name": "guide-me"}),
    ("prompts/get", {"name": "tell", "arguments": {"number": "1"}}),
    ("prompts/get", {"name": "tell", "arguments": {"number": "2"}}),
    ("prompts/get", {"name": "none"}),
    ("prompts/get", {}),
]


def served() -> Pipeline:
    return pipeline(server(Keeper()))


def requests(era: Era) -> Iterator[dict[str, Any]]:
    """Yield a request of each kind."""
    meta = {"_meta": ENVELOPE} if era == "stateless" else {}
    for number, (method, params) in enumerate(PARAMS):
        yield {"jsonrpc": "2.0", "id": number, "method": method, "params": params | meta}


@pytest.mark.parametrize("era", ["stateless", "handshake"])
async def test_they_answer_each_request_alike_on_stdio(era: Era) -> None:
    opening: dict[str, list[dict[str, Any]]] = {
        "handshake": [
            {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": INITIALIZE},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
        ],
        "stateless": [{"jsonrpc": "2.0", "id": "hello", "method": "server/discover", "params": {"_meta": ENVELOPE}}],
    }
    fast_path, sdk = await both(served, [*map(line, opening[era]), *map(line, requests(era))])
    assert fast_path == sdk
    (hello,) = (answer["result"] for answer in sdk if answer["id"] == "hello")
    assert hello["capabilities"] == {
        "completions": {},
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": True},
        "tools": {"listChanged": False},
    }
    assert sum("result" in answer for answer in sdk) == 11


@pytest.mark.parametrize("era", ["stateless", "handshake"])
async def test_they_answer_each_request_alike_over_http(era: Era) -> None:
    fast, sdk = McpEndpoint(served(), OPEN), McpEndpoint(served(), OPEN, reference=True)
    async with fast.open(), sdk.open():
        for request in requests(era):
            headers = COMMON | (stateless_headers(request) if era == "stateless" else {})
            body = json.dumps(request).encode()
            assert await exchange(fast, headers, body) == await exchange(sdk, headers, body)


async def test_a_client_without_a_session_over_http_is_told_to_read_again() -> None:
    endpoint = McpEndpoint(served(), OPEN)
    subscription = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "museum://catalogue"}}
    async with endpoint.open():
        _, _, message = await exchange(endpoint, COMMON, json.dumps(subscription).encode())
    assert message["error"]["message"].startswith("Notifications need a session")


async def test_a_client_without_a_name_over_http_may_be_opencode() -> None:
    endpoint = McpEndpoint(served(), OPEN)
    params = {"name": "guide-me", "arguments": {"room": "$1", "minutes": "$2"}}
    requested = {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": params}
    async with endpoint.open():
        _, _, message = await exchange(endpoint, COMMON, json.dumps(requested).encode())
    assert message["result"]["messages"][0]["content"]["text"].startswith("Guide me through $1 in 30 minutes")


async def test_reads_are_counted_as_calls_are() -> None:
    declared = server(Keeper())
    metrics = Metrics(declared, {})
    endpoint = McpEndpoint(pipeline(declared, metrics=metrics), OPEN)
    read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "museum://rules"}}
    async with endpoint.open():
        await exchange(endpoint, COMMON, json.dumps(read).encode())
    labels = {"tool": "resources/read rules", "client": "test", "status": "success"}
    assert metrics.registry.get_sample_value("mcp_tool_calls_total", labels) == 1
