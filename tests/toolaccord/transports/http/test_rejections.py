"""Rejections of requests: a JSON body with a sentence that says what to send."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.toolaccord.listener import Listener
from tests.toolaccord.transports.http.secured_server import ACCEPT, exchange_bytes, request_head

pytestmark = pytest.mark.asyncio(loop_scope="module")

JSON = {"Content-Type": "application/json"}
STATELESS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
ERAS: dict[str, Mapping[str, str]] = {"2025-11-25": {}, "2026-07-28": STATELESS}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
BIG = b"[" + b" " * 100_000 + b"]"
CASES: dict[str, tuple[int, str, dict[str, Any]]] = {
    "no token": (401, "Send a valid token", {"headers": JSON | ACCEPT | {"Authorization": ""}}),
    "foreign origin": (403, "MCP_ALLOWED_ORIGINS", {"headers": JSON | ACCEPT | {"Origin": "https://evil.example.com"}}),
    "another method": (405, "Use POST.", {"method": "PUT"}),
    "json alone": (406, "application/json, text/event-stream", {"headers": JSON | {"Accept": "application/json"}}),
    "streams alone": (406, "application/json, text/event-stream", {"headers": JSON | {"Accept": "text/event-stream"}}),
    "too large": (413, "send a smaller one", {"headers": JSON | ACCEPT, "content": BIG}),
    "no media type": (415, "Content-Type: application/json", {"headers": ACCEPT}),
    "encoded": (415, "without Content-Encoding", {"headers": JSON | ACCEPT | {"Content-Encoding": "gzip"}}),
    "foreign host": (421, "MCP_ALLOWED_HOSTS", {"headers": JSON | ACCEPT | {"Host": "evil.example.com"}}),
}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("case", CASES)
async def test_every_rejection_of_mcp_says_in_json_rpc_what_to_send(
    server: Listener, case: str, era: str, path: str
) -> None:
    status, sentence, given = CASES[case]
    request = {"method": "POST", "content": json.dumps(LIST).encode(), **given}
    request["headers"] = {**request.get("headers", {}), **ERAS[era]}
    response = await server.client.request(url=path, **request)
    assert (response.status_code, response.headers["content-type"]) == (status, "application/json")
    body = response.json()
    assert (body["jsonrpc"], body["id"], body["error"]["code"]) == ("2.0", None, -32600)
    assert sentence in body["error"]["message"]


@pytest.mark.parametrize(
    "path, status, sentence",
    [
        ("/nowhere", 404, "POST to /mcp for MCP"),
        ("/mcp/tools/no_tool", 404, "POST to /mcp/tools/list"),
        ("/health", 405, "Use GET or HEAD."),
    ],
)
async def test_every_rejection_beside_mcp_says_in_the_envelope_what_to_send(
    server: Listener, path: str, status: int, sentence: str
) -> None:
    response = await server.client.post(path, json={})
    assert response.status_code == status
    assert sentence in response.json()["error"]["message"]


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate, gzip", "Zstd"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/tools/call", "/mcp/tools/get_book", "/mcp/tools/list"])
async def test_an_encoded_body_is_answered_415_with_the_accepted_encoding(
    server: Listener, path: str, encoding: str
) -> None:
    headers = JSON | ACCEPT | {"Content-Encoding": encoding}
    response = await server.client.post(path, content=b"{}", headers=headers)
    assert (response.status_code, response.headers["accept-encoding"]) == (415, "identity")
    assert "without Content-Encoding" in response.json()["error"]["message"]


async def test_a_body_whose_encoding_is_identity_is_read(server: Listener) -> None:
    headers = JSON | {"Content-Encoding": "Identity"}
    response = await server.client.post("/mcp/tools/get_book", content=b'{"id": 7}', headers=headers)
    assert response.status_code == 200


async def test_what_is_no_http_is_answered_in_json(server: Listener) -> None:
    head, _, body = (await exchange_bytes(server, request_head("BREW", "/mcp"))).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/json" in head
    assert "mend it" in json.loads(body)["error"]["message"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_trailing_slash_makes_no_difference(server: Listener, era: str) -> None:
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": era,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message: dict[str, Any] = {**LIST, "params": {"_meta": meta} if era == "2026-07-28" else {}}
    headers = {**ACCEPT, **ERAS[era]} | {"Origin": "https://reader.example.org"}
    plain, slash = [await server.client.post(path, json=message, headers=headers) for path in ("/mcp", "/mcp/")]
    assert plain.status_code == slash.status_code == 200
    assert '"get_book"' in plain.text
    assert slash.text == plain.text
    assert slash.headers["access-control-allow-origin"] == "https://reader.example.org"
