"""The relay's key and tools on each transport, and its JSON-RPC numbers."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import call, request, started

RELAY = "tests.toolaccord.demo.relay"
KEY = "k3y-of-the-relay"
TOKEN = "t0ken-of-the-process"


@pytest.fixture
async def server() -> AsyncIterator[Listener]:
    """A relay on loopback with a key and a token; its client sends neither."""
    async with listening(module=RELAY, environ={"RELAY_KEY": KEY, "MCP_AUTH_TOKEN": TOKEN}) as running:
        del running.client.headers["Authorization"]
        yield running


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """A client that sends the key to a relay without other tokens."""
    async with listening(module=RELAY, environ={"RELAY_KEY": KEY}) as running:
        running.client.headers["Authorization"] = f"Bearer {KEY}"
        yield running.client


async def post(client: httpx.AsyncClient, tool: str, token: str = "", **arguments: Any) -> httpx.Response:
    """Call a tool over REST."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return await client.post(f"/mcp/tools/{tool}", json=arguments, headers=headers)


async def test_http_requires_a_token_on_loopback(server: Listener) -> None:
    for token in ("", "another", f"{KEY}x"):
        answer = await post(server.client, "echo", token, text="hello")
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == -32001
        assert answer.json()["error"]["data"]["code"] == "UNAUTHORIZED"


async def test_the_key_and_a_token_of_the_process_both_give_access(server: Listener) -> None:
    for token in (KEY, TOKEN):
        answer = await post(server.client, "echo", token, text="hello")
        assert (answer.status_code, answer.json()) == (200, {"text": "hello", "station": "north"})


async def test_the_key_is_in_no_log_and_no_answer(server: Listener) -> None:
    declared = await post(server.client, "fail", KEY, by="declared", text=f"lost {KEY}")
    assert declared.json()["error"]["data"]["details"] == {"text": "lost ***"}
    crash = await post(server.client, "fail", KEY, by="crash", text=f"broken {KEY}")
    assert crash.status_code == 500
    await server.process.log_has("broken ***")
    assert KEY not in declared.text + crash.text
    assert KEY.encode() not in server.process.logged


async def test_http_does_not_start_without_the_key() -> None:
    async with started("--transport", "http", "--port", "0", module=RELAY) as server:
        assert await server.exit_code() == 2
        assert b"RELAY_KEY is required and not set: key that callers send" in server.logged


async def test_stdio_needs_no_key_and_has_only_its_tools() -> None:
    async with started(module=RELAY) as server:
        await server.shake_hands()
        await server.send(request(1, "tools/list"), call(2, "echo", text="hello"), call(3, "trade.submit"))
        answers = await server.receive_all(1, 2, 3)
        listed = [tool["name"] for tool in answers[1]["result"]["tools"]]
        assert listed == ["echo", "signal.hold", "signal.release", "stall", "fail"]
        assert answers[2]["result"]["structuredContent"] == {"text": "hello", "station": "north"}
        assert answers[3]["error"]["message"] == "Unknown tool: trade.submit"
        assert answers[3]["error"]["data"]["error"]["code"] == -32601


async def test_http_has_only_its_tools(client: httpx.AsyncClient) -> None:
    listed = (await client.post("/mcp/tools/list", json={})).json()["tools"]
    assert [tool["name"] for tool in listed] == ["echo", "signal.hold", "signal.release", "stall", "fail"]
    answer = await post(client, "trade.submit")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


async def test_a_failure_has_the_number_of_its_code(client: httpx.AsyncClient) -> None:
    numbers = {
        "declared": (409, -32050, "LINE_BROKEN"),
        "source": (502, -32603, "UNAVAILABLE"),
        "crash": (500, -32603, "INTERNAL_ERROR"),
        "magic": (400, -32602, "INVALID_PARAMS"),
    }
    for by, (status, number, code) in numbers.items():
        answer = await post(client, "fail", by=by, text="x")
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["data"]["code"]) == (status, number, code)
        assert set(error) == {"code", "message", "data"}


async def test_the_command_line_offers_the_transports_of_the_contract() -> None:
    async with started("--transport", "content_length", module=RELAY) as server:
        assert await server.exit_code() == 2
        assert b"choose from stdio, http, content-length" in server.logged.replace(b"'", b"")
    async with started("--transport", "content-length") as library:
        assert await library.exit_code() == 2
        assert b"(choose from stdio, http)" in library.logged.replace(b"'", b"")
