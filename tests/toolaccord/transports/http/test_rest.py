"""REST routes: invalid bodies, unknown tools and correlation ids."""

import json
from typing import Any

import pytest

from tests.toolaccord.listener import Listener
from tests.toolaccord.transports.http.secured_server import ACCEPT, error_code, exchange_bytes, request_head

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/tools/call", "/mcp/tools/get_book"])
@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b"[" * 50_000, b'"\\ud800', b"{'id': 7}", b'{"id": 7} {}', b"Infinit"]
)
async def test_a_body_that_is_not_json_is_answered_400_without_the_text_of_a_parser(
    server: Listener, path: str, body: bytes
) -> None:
    response = await server.client.post(path, content=body, headers={"Content-Type": "application/json"} | ACCEPT)
    assert response.status_code == 400
    message = response.json()["error"]["message"]
    assert message in {"The body is not JSON.", "Parse error: the body is not JSON"}


@pytest.mark.parametrize(
    "body",
    [
        [],
        7,
        {},
        {"name": 7},
        {"arguments": {}},
        {"name": "get_book", "_meta": 7},
        {"name": "get_book", "args": {}},
        {"name": "get_book", "\ud800": {}},
    ],
)
async def test_a_body_that_is_not_a_call_is_answered_400(server: Listener, body: Any) -> None:
    headers = {"Content-Type": "application/json"}
    response = await server.client.post("/mcp/tools/call", content=json.dumps(body), headers=headers)
    assert (response.status_code, error_code(response)) == (400, "INVALID_PARAMETER")


async def test_an_unknown_tool_is_answered_404(server: Listener) -> None:
    for response in (
        await server.client.post("/mcp/tools/burn_book", json={}),
        await server.client.post("/mcp/tools/call", json={"name": "burn_book"}),
    ):
        assert (response.status_code, error_code(response)) == (404, "NOT_FOUND")
        assert "burn" not in response.text


@pytest.mark.parametrize(
    "given", ["a b", "x" * 129, "<script>", "a%0d%0aSet-Cookie: x=1", "a;b", "", 'a"b', "\xe9", "a\tb"]
)
async def test_an_invalid_correlation_id_is_replaced(server: Listener, given: str) -> None:
    for path, status in (("/mcp/tools/get_book", 200), ("/nowhere", 404)):
        headers = [(b"X-Correlation-ID", given.encode("latin-1"))]
        response = await server.client.post(path, json={"id": 7}, headers=headers)
        assert response.status_code == status
        corr_id = response.headers["x-correlation-id"]
        assert corr_id.isalnum()
        assert len(corr_id) == 32
        assert "set-cookie" not in response.headers


async def test_a_correlation_id_cannot_inject_a_header(server: Listener) -> None:
    body = b'{"id":7}'
    request = request_head(
        "POST", "/mcp/tools/get_book", Content_Type="application/json", Content_Length=str(len(body))
    )
    for evil in (b"abc\nSet-Cookie: a=1", b"abc\rSet-Cookie: a=1", b"abc\x00", b"abc\r\n Set-Cookie: a=1"):
        injected = request.replace(b"Host:", b"X-Correlation-ID: " + evil + b"\r\nHost:")
        # Head and body at once: what a closed connection has not read would reset it, and take the response along.
        response = await exchange_bytes(server, injected + body)
        assert b"\nset-cookie" not in response.lower()


async def test_a_valid_correlation_id_is_returned_and_a_trace_id_takes_precedence(server: Listener) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    parent = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
    given = {"X-Correlation-ID": "order-7_b"}
    for headers, meta, expected in (
        (given, {}, "order-7_b"),
        (given | parent, {}, trace),
        (given | parent, {"corr_id": "mine"}, "mine"),
        ({}, parent, trace),
    ):
        body = {"name": "get_book", "arguments": {"id": 7}, "_meta": meta}
        response = await server.client.post("/mcp/tools/call", json=body, headers=headers)
        assert response.headers["x-correlation-id"] == expected
        await server.process.log_has(f'"corr_id":"{expected}"')
