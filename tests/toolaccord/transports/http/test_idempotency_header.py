"""Idempotency keys in a header, on every way to call a tool over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.services.valkey import Valkey
from tests.toolaccord.demo.mail import Mailbox
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import stateless_call
from tests.toolaccord.transports.http.secured_server import ACCEPT


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mail(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Listener, Mailbox]]:
    """A server whose mailbox shows the keys that its handlers got; the parameter is its option."""
    folder = tmp_path_factory.mktemp("mail")
    with Valkey(folder).running() as valkey:
        environ = {"REDIS_URL": valkey.url, "MAIL_FOLDER": str(folder)}
        async with listening(*request.param, module="tests.toolaccord.demo.mail", environ=environ) as server:
            yield server, Mailbox(folder)


async def call_by_path(server: Listener, key: str, meta: dict[str, Any]) -> str:
    assert not meta, "the body holds the arguments alone"
    response = await server.client.post("/mcp/tools/post", json={"text": "a"}, headers={"Idempotency-Key": key})
    return str(response.json()["letter"])


async def call_by_name(server: Listener, key: str, meta: dict[str, Any]) -> str:
    body = {"name": "post", "arguments": {"text": "a"}, "_meta": meta}
    response = await server.client.post("/mcp/tools/call", json=body, headers={"Idempotency-Key": key})
    return str(response.json()["letter"])


async def call_by_mcp(server: Listener, key: str, meta: dict[str, Any]) -> str:
    """Call the tool under the name that REST has from the User-Agent."""
    message = stateless_call(1, "post", text="a")
    client_info = {"io.modelcontextprotocol/clientInfo": {"name": "python-httpx", "version": "1"}}
    message["params"]["_meta"] |= client_info | meta
    headers = ACCEPT | {"Idempotency-Key": key, "Mcp-Method": "tools/call", "Mcp-Name": "post"}
    response = await server.client.post("/mcp", json=message, headers=headers | {"MCP-Protocol-Version": "2026-07-28"})
    return str(response.json()["result"]["structuredContent"]["letter"])


pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.parametrize("mail", [(), ("--reference",)], ids=["fast path", "reference"], indirect=True),
]


async def test_one_key_over_rest_and_mcp_bare_and_quoted_acts_once(mail: tuple[Listener, Mailbox]) -> None:
    server, mailbox = mail
    ways = (call_by_path, call_by_name, call_by_mcp)
    letters = {await way(server, key, {}) for way in ways for key in ("order:1", '"order:1"')}
    assert len(letters) == 1
    assert mailbox.sent("order:1") == list(letters)


async def test_a_replay_says_so_in_a_header_of_rest_and_in_the_metadata_of_mcp(mail: tuple[Listener, Mailbox]) -> None:
    server, _ = mail
    headers = {"Idempotency-Key": "replay"}
    rest = [await server.client.post("/mcp/tools/post", json={"text": "a"}, headers=headers) for _ in range(2)]
    assert [each.headers.get("Idempotent-Replayed") for each in rest] == [None, "true"]
    assert rest[0].json() == rest[1].json()
    client_info = {"io.modelcontextprotocol/clientInfo": {"name": "python-httpx", "version": "1"}}
    headers = ACCEPT | {"Mcp-Method": "tools/call", "Mcp-Name": "post", "MCP-Protocol-Version": "2026-07-28"}
    for key, replayed in (("replay", True), ("fresh", None)):
        message = stateless_call(1, "post", text="a")
        message["params"]["_meta"] |= client_info
        mcp = await server.client.post("/mcp", json=message, headers=headers | {"Idempotency-Key": key})
        assert mcp.json()["result"]["_meta"].get("replayed") is replayed


@pytest.mark.parametrize("way", [call_by_name, call_by_mcp])
async def test_the_key_in_meta_takes_precedence_over_another_one_in_the_header(
    mail: tuple[Listener, Mailbox], way: Any
) -> None:
    server, mailbox = mail
    key = f"{way.__name__}:2"
    assert await way(server, "another", {"idempotency_key": key}) == await way(server, key, {})
    assert (len(mailbox.sent(key)), mailbox.sent("another")) == (1, [])
