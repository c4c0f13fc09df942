"""Scopes that the contract of the vault demands, over MCP in both eras and over REST."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.toolaccord.demo.vault import Boxes
from tests.toolaccord.generated.demo.vault.server import server
from toolaccord import Caller
from toolaccord.callers.proof import TokenProof
from toolaccord.config.access_rules import read_access_rules
from toolaccord.config.process_settings import UnprotectedServer, list_settings
from toolaccord.config.session_settings import list_session_settings
from toolaccord.resources.lookup import ResourceLookup
from toolaccord.testing import pipeline
from toolaccord.transports.http.app import HttpApp, Pages
from toolaccord.transports.mcp.jsonrpc import MAX_MEMBERS

CALLERS = {
    "stranger": [],
    "visitor": ["vault:enter"],
    "auditor": ["vault:enter", "vault:audit"],
    "keeper": ["vault:enter", "vault:audit", "vault:write", "of another server"],
}
"""Scopes by the name of the caller, which is its token."""
EVERYTHING = "vault:audit vault:enter vault:write"
HEADERS = {
    "handshake": {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"},
    "stateless": {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"},
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""The `_meta` of the stateless era."""


def settings(**values: Any) -> dict[str, Any]:
    """Return the settings of the process, with defaults."""
    listed = (*list_settings(), *list_session_settings(server(Boxes())))
    return {setting.name: setting.default for setting in listed} | values


def write_callers(folder: Path) -> Path:
    file = folder / "callers.json"
    entries = {name: {"sha256": [sha256(name.encode()).hexdigest()], "scopes": each} for name, each in CALLERS.items()}
    file.write_text(json.dumps({"callers": entries}))
    return file


@pytest.fixture(params=["fast path", "SDK"])
async def client(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of the vault in this process."""
    served = pipeline(server(Boxes()), sources={}, settings={})
    given = settings(mcp_token_file=str(write_callers(tmp_path)), mcp_auth_token="master")
    access = read_access_rules(given, "127.0.0.1", served.server)
    app = HttpApp(served, {}, access, Pages(None, None), reference=request.param == "SDK")
    is_over, opened = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve(app, opened, is_over))
    await opened.wait()
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as found:
        yield found
    is_over.set()
    await serving


async def serve(app: HttpApp, opened: asyncio.Event, is_over: asyncio.Event) -> None:
    """Keep *app* open in one task, as the SDK demands; a fixture has several."""
    async with app.open():
        opened.set()
        await is_over.wait()


async def send(client: httpx.AsyncClient, caller: str, era: str, method: str, **params: Any) -> httpx.Response:
    """Send one message of MCP."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = HEADERS[era] | {"Authorization": f"Bearer {caller}"}
    if era == "stateless":
        message["params"] = params | {"_meta": META}
        headers["Mcp-Method"] = method
        if name := params.get("name", params.get("uri")):
            headers["Mcp-Name"] = name
    return await client.post("/mcp", json=message, headers=headers)


def result_of(response: httpx.Response) -> dict[str, Any]:
    """Return the result in a response, JSON or the only event of a stream."""
    assert response.status_code == 200, response.text
    text = next((line[6:] for line in response.text.splitlines() if line.startswith("data: {")), response.text)
    found: dict[str, Any] = json.loads(text)["result"]
    return found


CALL = {"arguments": {"number": 1}}
FILL = {"arguments": {"number": 1, "content": "silver"}}
DENIED: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("stranger", "tools/call", {"name": "open_box", **CALL}, "vault:enter", "vault:enter"),
    ("visitor", "tools/call", {"name": "fill_box", **FILL}, EVERYTHING, "vault:audit vault:write"),
    ("auditor", "tools/call", {"name": "fill_box", **FILL}, EVERYTHING, "vault:write"),
    ("auditor", "tools/call", {"name": "fill_box", "arguments": {"number": 0}}, EVERYTHING, "vault:write"),
    ("visitor", "resources/read", {"uri": "vault://records/1"}, "vault:audit vault:enter", "vault:audit"),
    ("stranger", "resources/read", {"uri": "vault://rules"}, "vault:enter", "vault:enter"),
    ("auditor", "resources/read", {"uri": "contract://vault-mcp/fill_box"}, EVERYTHING, "vault:write"),
    ("visitor", "prompts/get", {"name": "inspect", "arguments": {"thing": "door"}}, "vault:audit vault:enter", "vault:audit"),
]  # fmt: skip
"""Caller, method and parameters; the scopes of the challenge, and those of the sentence."""


@pytest.mark.parametrize("era", HEADERS)
@pytest.mark.parametrize("denied", DENIED, ids=lambda each: f"{each[0]} {each[1]} {each[4]}")
async def test_a_message_without_its_scopes_is_403_and_names_all_that_it_needs(
    client: httpx.AsyncClient, era: str, denied: tuple[str, str, dict[str, Any], str, str]
) -> None:
    caller, method, params, demanded, missing = denied
    response = await send(client, caller, era, method, **params)
    assert response.status_code == 403
    assert response.headers["www-authenticate"] == f'Bearer error="insufficient_scope", scope="{demanded}"'
    error = response.json()["error"]
    noun = "scopes" if " " in missing else "scope"
    assert error["message"] == f"The token lacks the {noun} {missing}, which this request needs."


@pytest.mark.parametrize("era", HEADERS)
@pytest.mark.parametrize(
    "reference, argument",
    [
        ({"type": "ref/resource", "uri": "vault://records/{number}"}, {"name": "number", "value": "1"}),
        ({"type": "ref/prompt", "name": "inspect"}, {"name": "thing", "value": "d"}),
    ],
)
async def test_completions_need_the_scopes_of_their_owner(
    client: httpx.AsyncClient, era: str, reference: dict[str, Any], argument: dict[str, Any]
) -> None:
    params = {"ref": reference, "argument": argument}
    assert (await send(client, "visitor", era, "completion/complete", **params)).status_code == 403
    assert result_of(await send(client, "auditor", era, "completion/complete", **params))["completion"]["values"]


async def test_a_subscription_needs_the_scopes_of_each_of_its_resources(client: httpx.AsyncClient) -> None:
    wanted = {"resourceSubscriptions": ["vault://records/1"]}
    response = await send(client, "visitor", "stateless", "subscriptions/listen", notifications=wanted)
    assert response.status_code == 403
    response = await send(client, "visitor", "handshake", "resources/subscribe", uri="vault://records/2")
    assert response.status_code == 403


@pytest.mark.parametrize("era", HEADERS)
async def test_a_message_with_its_scopes_is_answered(client: httpx.AsyncClient, era: str) -> None:
    filled = result_of(await send(client, "keeper", era, "tools/call", name="fill_box", **FILL))
    assert filled["structuredContent"] == {"content": "silver", "caller": "keeper"}
    opened = result_of(await send(client, "visitor", era, "tools/call", name="open_box", **CALL))
    assert opened["structuredContent"] == {"content": "silver", "caller": "visitor"}
    read = result_of(await send(client, "auditor", era, "resources/read", uri="vault://records/1"))
    assert read["contents"][0]["text"] == "visitor"


SEEN: dict[str, tuple[list[str], list[str], list[str], list[str]]] = {
    "stranger": ([], [], [], []),
    "visitor": (["open_box"], ["rules", "contract.open_box"], [], ["greet"]),
    "auditor": (["open_box"], ["rules", "contract.open_box"], ["record"], ["greet", "inspect"]),
    "keeper": (
        ["open_box", "fill_box"],
        ["rules", "contract.open_box", "contract.fill_box"],
        ["record"],
        ["greet", "inspect"],
    ),
}
"""Tools, resources, templates and prompts by caller."""


@pytest.mark.parametrize("era", HEADERS)
@pytest.mark.parametrize("caller", SEEN)
async def test_lists_show_each_caller_what_it_may_use(client: httpx.AsyncClient, era: str, caller: str) -> None:
    lists = {
        "tools/list": "tools",
        "resources/list": "resources",
        "resources/templates/list": "resourceTemplates",
        "prompts/list": "prompts",
    }
    for (method, member), names in zip(lists.items(), SEEN[caller], strict=True):
        result = result_of(await send(client, caller, era, method))
        assert [each["name"] for each in result[member]] == names
        assert era == "handshake" or result["cacheScope"] == "private"


async def test_rest_rejects_and_lists_by_scopes(client: httpx.AsyncClient) -> None:
    visitor = {"Authorization": "Bearer visitor"}
    by_path = await client.post("/mcp/tools/fill_box", json=FILL["arguments"], headers=visitor)
    by_name = await client.post("/mcp/tools/call", json={"name": "fill_box", **FILL}, headers=visitor)
    for response in (by_path, by_name):
        assert response.status_code == 403
        assert response.headers["www-authenticate"] == f'Bearer error="insufficient_scope", scope="{EVERYTHING}"'
        assert response.json()["error"]["code"] == "UNAUTHORIZED"
    assert (await client.post("/mcp/tools/open_box", json=CALL["arguments"], headers=visitor)).status_code == 200
    listed = await client.post("/mcp/tools/list", headers=visitor)
    assert [tool["name"] for tool in listed.json()["tools"]] == ["open_box"]


async def test_the_first_challenge_names_the_scopes_that_everything_needs(client: httpx.AsyncClient) -> None:
    response = await client.post("/mcp/tools/list")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer scope="vault:enter"'


async def test_a_token_of_the_operator_without_a_name_may_do_everything(client: httpx.AsyncClient) -> None:
    for era in HEADERS:
        filled = result_of(await send(client, "master", era, "tools/call", name="fill_box", **FILL))
        assert not filled["isError"]
        assert len(result_of(await send(client, "master", era, "tools/list"))["tools"]) == 2


FILLED = b'"name":"fill\\u005fbox","arguments":{"number":1,"content":"x"}'
TWO_FACED = [
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"open_box",%s}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":{"name":"open_box","more":NaN,%s}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/c\\u0061ll","params":{%s}}',
]
"""Messages whose last members count, or whose texts are escaped."""


@pytest.mark.parametrize("body", TWO_FACED)
async def test_a_body_cannot_name_two_operations(client: httpx.AsyncClient, body: bytes) -> None:
    headers = HEADERS["handshake"] | {"Authorization": "Bearer visitor", "Content-Type": "application/json"}
    assert (await client.post("/mcp", content=body % FILLED, headers=headers)).status_code == 403


@pytest.mark.parametrize("name", ["nothing", 7, None, ["fill_box"], {}])
async def test_a_name_that_nothing_has_needs_no_scopes(client: httpx.AsyncClient, name: Any) -> None:
    headers = HEADERS["handshake"] | {"Authorization": "Bearer stranger"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}
    response = await client.post("/mcp", json=message, headers=headers)
    assert response.status_code in {200, 400}
    assert '"error"' in response.text


def test_a_server_with_scopes_does_not_start_over_http_without_tokens() -> None:
    declared = server(Boxes())
    with pytest.raises(UnprotectedServer, match="MCP_AUTH_TOKEN, MCP_TOKEN_FILE or MCP_JWT_ISSUER"):
        read_access_rules(settings(), "127.0.0.1", declared)


async def test_a_flood_of_subscriptions_costs_no_time(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    find = ResourceLookup.find

    def count(lookup: ResourceLookup, uri: str) -> Any:
        found.append(uri)
        return find(lookup, uri)

    monkeypatch.setattr(ResourceLookup, "find", count)
    wanted = {"resourceSubscriptions": ["vault://nothing"] * 100_000}
    response = await send(client, "visitor", "stateless", "subscriptions/listen", notifications=wanted)
    assert response.status_code == 400
    assert len(found) <= MAX_MEMBERS


async def test_a_stream_of_a_session_needs_the_scopes_of_its_requests(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def prove(_proof: TokenProof, token: str) -> Caller:
        """Return one caller, with the scopes that its token names."""
        return Caller(subject="ada", scopes=frozenset(token.split("+")))

    monkeypatch.setattr(TokenProof, "prove", prove)
    strong, weak = "vault:audit+vault:enter", "vault:enter"
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    opened = await send(client, weak, "handshake", "initialize", **hello)
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    headers = HEADERS["handshake"] | session

    async def post(token: str, method: str, **params: Any) -> httpx.Response:
        message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
        return await client.post("/mcp", json=message, headers=headers | {"Authorization": f"Bearer {token}"})

    async def resume(token: str) -> httpx.Response:
        resumed = {"Authorization": f"Bearer {token}", "Last-Event-ID": "forgotten-1"}
        return await client.get("/mcp", headers=headers | resumed)

    listed = await post(weak, "tools/list")
    assert [tool["name"] for tool in result_of(listed)["tools"]] == ["open_box"]
    assert (await resume(weak)).status_code == 400
    read = await post(strong, "resources/read", uri="vault://records/1")
    assert "contents" in result_of(read)
    denied = await resume(weak)
    assert denied.status_code == 403
    assert 'scope="vault:audit vault:enter"' in denied.headers["www-authenticate"]
    assert (await resume(strong)).status_code == 400
    ended = await client.delete("/mcp", headers=headers | {"Authorization": f"Bearer {weak}"})
    assert ended.status_code == 200
