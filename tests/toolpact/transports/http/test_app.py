import json
from collections.abc import AsyncIterator

import pytest

from tests.toolpact.listener import Listener, listening


@pytest.fixture
async def server() -> AsyncIterator[Listener]:
    async with listening() as running:
        yield running


async def test_a_tool_is_called_by_its_own_path_or_by_its_name(server: Listener) -> None:
    by_path = await server.client.post("/mcp/tools/get_book", json={"id": 7})
    by_name = await server.client.post("/mcp/tools/call", json={"name": "get_book", "arguments": {"id": 7}})
    for answer in (by_path, by_name):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["data"] == {"id": 7, "title": "get 7"}


async def test_the_status_of_an_error_is_that_of_its_code(server: Listener) -> None:
    answer = await server.client.post("/mcp/tools/get_book", json={"id": 700})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "BOOK_NOT_FOUND")
    answer = await server.client.post("/mcp/tools/get_book", json={"id": 7, "reason": "x" * 30})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "REASON_TOO_LONG")
    answer = await server.client.post("/mcp/tools/get_book", json={"id": "7"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


async def test_tools_are_listed_as_mcp_lists_them(server: Listener) -> None:
    listed = (await server.client.post("/mcp/tools/list")).json()
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    streamed = (await server.client.post("/mcp", json=asked, headers=accept)).text
    assert listed == json.loads(streamed.partition("data: ")[2])["result"]
    assert [tool["name"] for tool in listed["tools"]] == ["list_books", "get_book", "list_loans", "misbehave"]
