"""Routes of a server: calls, the list of tools, unknown paths and other methods."""

import json

import pytest

from tests.toolaccord.listener import Listener
from tests.toolaccord.transports.http.secured_server import ACCEPT, ROUTES, exchange_bytes, request_head

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_tool_can_be_called_by_its_path_and_by_its_name(server: Listener) -> None:
    by_path = await server.client.post("/mcp/tools/get_book", json={"id": 7})
    by_name = await server.client.post("/mcp/tools/call", json={"name": "get_book", "arguments": {"id": 7}})
    for response in (by_path, by_name):
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/json"
        assert response.json()["data"] == {"id": 7, "title": "get 7"}


async def test_the_status_of_an_error_belongs_to_its_code(server: Listener) -> None:
    response = await server.client.post("/mcp/tools/get_book", json={"id": 700})
    assert (response.status_code, response.json()["error"]["code"]) == (404, "BOOK_NOT_FOUND")
    response = await server.client.post("/mcp/tools/get_book", json={"id": 7, "reason": "x" * 30})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "REASON_TOO_LONG")
    response = await server.client.post("/mcp/tools/get_book", json={"id": "7"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


async def test_the_list_of_tools_is_that_of_mcp_with_the_versions_of_each(server: Listener) -> None:
    listed = (await server.client.post("/mcp/tools/list")).json()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    streamed = (await server.client.post("/mcp", json=message, headers=ACCEPT)).text
    tools = json.loads(streamed.partition("data: ")[2])["result"]["tools"]
    versions = {"versions": ["1.0.0"], "latest": "1.0.0", "deprecated": [], "sunset": {}}
    assert listed == {"tools": [tool | versions for tool in tools]}
    assert [tool["name"] for tool in listed["tools"]] == ["list_books", "get_book", "list_loans", "misbehave"]


@pytest.mark.parametrize(
    "path",
    ["/../etc/passwd", "/docs/../../process.py", "/docs/%2e%2e/README.md", "/docs/..%2f..%2fprocess.py", "/docs/README.md",
     "/docs/", "//docs", "/mcp/tools/..%2fcall", "/mcp/tools/", "/mcp//", "/openapi.json/", "/docs/viewer.js%00", "/%"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_an_unknown_path_is_answered_404(server: Listener, path: str, method: str) -> None:
    response = await exchange_bytes(server, request_head(method, path, Content_Length="0"))
    assert response.split(b" ")[1] == b"404"
    assert b"passwd" not in response
    assert b"root:" not in response


@pytest.mark.parametrize("method, path", [route for route in ROUTES if route[1] not in {"/openapi.json", "/nowhere"}])
async def test_another_method_is_answered_405_with_the_allowed_ones(server: Listener, method: str, path: str) -> None:
    others = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"}
    allowed = {"POST"} if method == "POST" else {"GET", "HEAD"}
    for other in sorted(others - allowed):
        response = await server.client.request(other, path)
        assert response.status_code == 405
        assert {each.strip() for each in response.headers["allow"].split(",")} == allowed
        if other != "HEAD":
            assert response.json()["error"]["message"] == ("Use POST." if method == "POST" else "Use GET or HEAD.")


async def test_the_start_page_names_the_routes(server: Listener) -> None:
    named = (await server.client.get("/")).json()
    assert (named["server"], named["version"]) == ("library-mcp", "1.2.3")
    assert {path for _, path in ROUTES} >= {*named["routes"].values()}


@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/metrics", "/docs", "/docs/viewer.js"])
async def test_head_is_answered_like_get_without_the_body(server: Listener, path: str) -> None:
    full, bare = await server.client.get(path), await server.client.head(path)
    assert (bare.status_code, bare.content) == (full.status_code, b"")
    assert bare.headers["content-type"] == full.headers["content-type"]
