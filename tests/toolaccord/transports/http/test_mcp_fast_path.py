"""The fast path of HTTP and the SDK give the same responses to any request."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pydantic_core
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp

from tests.toolaccord.open_access import OPEN
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.transports.mcp.test_fast_path import CLIENT, PARAMS, messages, openings, quiet, served
from toolaccord.transports.http.mcp_endpoint import McpEndpoint
from toolaccord.transports.mcp import request_shapes

__all__ = ["quiet"]

COMMON = {"accept": "application/json, text/event-stream", "content-type": "application/json", "user-agent": "test/1"}
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
ODD_HEADERS = [
    {"accept": "application/json"},
    {"accept": "*/*"},
    {"mcp-method": "tools/other"},
    {"mcp-name": "other"},
    {"mcp-name": "=?base64?Z2V0X2Jvb2s=?="},
    {"mcp-param-x": "1"},
    {"mcp-protocol-version": "2024-11-05"},
    {"mcp-protocol-version": "2026-07-28"},
    {"mcp-protocol-version": "1999-01-01"},
    {"mcp-session-id": "x"},
    {"mcp-session-id": "views-x"},
    {"traceparent": f"00-{TRACE_ID}-b7ad6b7169203331-01"},
    {"x-correlation-id": "abc"},
]


async def exchange(endpoint: ASGIApp, headers: Mapping[str, str], body: bytes) -> tuple[int, str, Any]:
    """Return status, media type and message of the response to one request."""
    received, over = [{"type": "http.request", "body": body, "more_body": False}], asyncio.Event()
    status, media_type, text = 0, "", b""

    async def receive() -> Any:
        if received:
            return received.pop()
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        nonlocal status, media_type, text
        if message["type"] == "http.response.start":
            status = message["status"]
            media_type = dict(message["headers"]).get(b"content-type", b"").decode().partition(";")[0]
        else:
            text += message.get("body", b"")

    scope: Any = {"type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/mcp"}
    scope |= {"raw_path": b"/mcp", "query_string": b"", "root_path": "", "server": ("127.0.0.1", 80)}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in headers.items()]
    async with asyncio.timeout(PATIENCE_S):
        await endpoint(scope, receive, send)
    over.set()
    message_text = text.partition(b"data: ")[2] if media_type == "text/event-stream" else text
    return status, media_type, comparable(message_text)


def comparable(text: bytes) -> Any:
    """Return the message in *text*, with a fixed correlation id in place of a generated one."""
    if not text:
        return None
    message = json.loads(text)
    meta = message.get("result", {}).get("_meta", {})
    if len(meta.get("corr_id", "")) == 32 and meta["corr_id"] != TRACE_ID:
        meta["corr_id"] = "generated"
    return message


async def assert_same_responses(*requests: tuple[Mapping[str, str], bytes]) -> None:
    """Assert that the fast path and the SDK give the same responses to *requests*."""
    fast, sdk = McpEndpoint(served(), OPEN), McpEndpoint(served(), OPEN, reference=True)
    async with fast.open(), sdk.open():
        for headers, body in requests:
            assert await exchange(fast, headers, body) == await exchange(sdk, headers, body)


def stateless_headers(message: Any) -> dict[str, str]:
    """Return the headers of *message* in the stateless era."""
    params = message["params"] if isinstance(message.get("params"), dict) else {}
    name = params.get("name", params.get("uri"))
    named = {"mcp-name": name} if isinstance(name, str) and name.isascii() else {}
    return COMMON | {"mcp-protocol-version": "2026-07-28", "mcp-method": str(message.get("method"))} | named


@pytest.mark.parametrize("method,params", PARAMS)
async def test_each_common_request_gets_the_response_of_the_sdk(method: str, params: Any) -> None:
    plain = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    envelope = {
        request_shapes.PROTOCOL_VERSION: "2026-07-28",
        request_shapes.CLIENT_CAPABILITIES: {},
        request_shapes.CLIENT_INFO: CLIENT,
    }
    enveloped = plain | ({"params": params | {"_meta": envelope}} if isinstance(params, dict) else {})
    await assert_same_responses(
        (COMMON, json.dumps(plain).encode()),
        (COMMON | {"mcp-protocol-version": "2025-11-25"}, json.dumps(plain).encode()),
        (stateless_headers(enveloped), json.dumps(enveloped).encode()),
    )


@settings(max_examples=150)
@given(data=st.data())
async def test_any_request_gets_the_response_of_the_sdk(data: st.DataObject) -> None:
    era = data.draw(st.sampled_from(["handshake", "stateless"]))
    kind = data.draw(st.sampled_from(["request"] * 4 + ["odd", "notification", "initialize"]))
    message = data.draw(openings())[0] if kind == "initialize" else data.draw(messages(1, kind, era))
    headers = stateless_headers(message) if era == "stateless" else COMMON
    odd = data.draw(st.sampled_from([{}] * 6 + ODD_HEADERS))
    await assert_same_responses((headers | odd, json.dumps(message).encode()))


async def test_a_message_that_is_too_large_for_the_sdk_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"name": "list_loans", "arguments": {"a": [1] * 20_000}, "unknown": 1}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    monkeypatch.setattr(pydantic_core, "from_json", None)
    status, _, message = await exchange(McpEndpoint(served(), OPEN), COMMON, body)
    assert (status, message["error"]["code"]) == (400, -32600)
