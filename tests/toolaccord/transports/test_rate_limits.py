"""Rate limits on every transport: who the caller is, and what it is told."""

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import started
from tests.toolaccord.transports.mcp.test_unknown_tool import META

GATE = "tests.toolaccord.demo.gate"
ANN = {"name": "Ann"}
ACCEPT = {"Accept": "application/json, text/event-stream"}
TOKENS = ("first-token", "second-token")


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as service:
        yield service


@pytest.fixture
async def replicas(valkey: Valkey) -> AsyncIterator[list[Listener]]:
    """Two servers with two tokens."""
    valkey.command("FLUSHALL")
    environ = {"REDIS_URL": valkey.url, "MCP_AUTH_TOKEN": ",".join(TOKENS)}
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(listening(module=GATE, environ=environ)) for _ in range(2)]


@pytest.fixture
async def open_server(valkey: Valkey) -> AsyncIterator[httpx.AsyncClient]:
    """A server without tokens."""
    valkey.command("FLUSHALL")
    async with listening(module=GATE, environ={"REDIS_URL": valkey.url}) as server:
        yield server.client


def with_token(token: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} | headers


async def call(client: httpx.AsyncClient, tool: str, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.post(f"/mcp/tools/{tool}", json=ANN, headers=names)


async def test_replicas_share_a_limit_through_both_ports(replicas: list[Listener]) -> None:
    for token in TOKENS:
        headers = with_token(token)
        answers = [
            await call(each.client, "ring", **headers) for each in itertools.islice(itertools.cycle(replicas), 5)
        ]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
    in_memory = [await call(each.client, "knock", **with_token(TOKENS[0])) for each in replicas for _ in range(3)]
    assert {answer.status_code for answer in in_memory} == {200}, "each replica counts its own without a store"


async def test_a_token_is_one_caller_whatever_name_it_sends(replicas: list[Listener]) -> None:
    client = replicas[0].client
    names = [f"agent-{number}/1.0" for number in range(4)]
    answers = [await call(client, "knock", User_Agent=name, **with_token(TOKENS[0])) for name in names]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429]


async def test_without_tokens_the_name_is_the_caller(open_server: httpx.AsyncClient) -> None:
    for name in ("ann/1.0", "bob/1.0"):
        answers = [await call(open_server, "knock", User_Agent=name) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429]


@pytest.mark.parametrize("tool", ["knock", "ring"])
async def test_a_rejected_call_over_rest_has_a_retry_after_like_its_details(
    open_server: httpx.AsyncClient, tool: str
) -> None:
    answers = [await call(open_server, tool) for _ in range(4)]
    assert all("retry-after" not in answer.headers for answer in answers[:3])
    error = answers[3].json()["error"]
    assert error["code"] == "MCP-006"
    assert error["details"] == {"limit": 3, "window_s": 60, "retry_after_s": int(answers[3].headers["retry-after"])}
    assert 0 < error["details"]["retry_after_s"] <= 60


@pytest.mark.parametrize("arguments", [[], ["--reference"]], ids=["fast path", "SDK"])
@pytest.mark.parametrize("stateless", [False, True], ids=["handshake", "stateless"])
async def test_a_limit_holds_over_mcp_for_the_token(valkey: Valkey, arguments: list[str], *, stateless: bool) -> None:
    environ = {"REDIS_URL": valkey.url, "MCP_AUTH_TOKEN": ",".join(TOKENS)}
    async with listening(*arguments, module=GATE, environ=environ) as server:
        for token in TOKENS:
            codes = [await mcp_code(server.client, token, number, stateless=stateless) for number in range(4)]
            assert codes == [None] * 3 + ["MCP-006"]


async def mcp_code(client: httpx.AsyncClient, token: str, number: int, *, stateless: bool) -> str | None:
    """Return the code of a call over MCP by a client with a name of its own; None for a success."""
    params: dict[str, Any] = {"name": "knock", "arguments": ANN}
    headers = with_token(token, **ACCEPT)
    if stateless:
        client_info = {"name": f"client {number}", "version": "1"}
        params["_meta"] = META | {"io.modelcontextprotocol/clientInfo": client_info}
        headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "knock"}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    text = (await client.post("/mcp", json=message, headers=headers)).text
    content = httpx.Response(200, text=text.partition("data: ")[2] or text).json()["result"]
    code: str | None = content["structuredContent"].get("error", {}).get("code")
    return code


@pytest.mark.parametrize("arguments", [[], ["--reference"]], ids=["fast path", "SDK"])
async def test_on_stdio_the_client_is_one_caller_whatever_name_it_sends(valkey: Valkey, arguments: list[str]) -> None:
    valkey.command("FLUSHALL")
    codes: dict[str, list[str | None]] = {"knock": [], "ring": []}
    async with started(*arguments, module=GATE, environ={"REDIS_URL": valkey.url}) as server:
        for number, tool in itertools.product(range(4), codes):
            meta = META | {"io.modelcontextprotocol/clientInfo": {"name": f"client {number}", "version": "1"}}
            params = {"name": tool, "arguments": ANN, "_meta": meta}
            await server.send({"jsonrpc": "2.0", "id": f"{tool} {number}", "method": "tools/call", "params": params})
            content = (await server.receive())["result"]["structuredContent"]
            codes[tool].append(content.get("error", {}).get("code"))
    assert codes == {tool: [None] * 3 + ["MCP-006"] for tool in codes}
