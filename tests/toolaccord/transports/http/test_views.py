"""Views of the vault over HTTP, for hosts that show them and for all others."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.toolaccord.transports.http.test_scopes import HEADERS, META, client, result_of

__all__ = ["client"]

UI = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
URI = "ui://vault-mcp/open_box"
BLIND: list[dict[str, Any]] = [
    {},
    {"extensions": {}},
    {"extensions": {"io.modelcontextprotocol/ui": {}}},
    {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}},
    {"extensions": {"io.modelcontextprotocol/tasks": {}}},
]
"""Capabilities of hosts that show no views."""


class Host:
    """A host with one token, in one era, with its capabilities."""

    def __init__(
        self, http: httpx.AsyncClient, era: str, capabilities: dict[str, Any] = UI, token: str = "keeper"
    ) -> None:
        self._http, self._era, self._capabilities = http, era, capabilities
        self._headers = HEADERS[era] | {"Authorization": f"Bearer {token}"}

    async def start(self) -> Host:
        """Open a session, if the era has a handshake; return self."""
        if self._era == "handshake":
            params = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t", "version": "1"}}
            response = await self.send("initialize", **params, capabilities=self._capabilities)
            if session_id := response.headers.get("mcp-session-id"):
                self._headers = self._headers | {"Mcp-Session-Id": session_id}
        return self

    async def send(self, method: str, **params: Any) -> httpx.Response:
        """Return the response to a request."""
        headers = self._headers
        if self._era == "stateless":
            params |= {"_meta": META | {"io.modelcontextprotocol/clientCapabilities": self._capabilities}}
            headers = headers | {"Mcp-Method": method}
            if name := params.get("name", params.get("uri")):
                headers["Mcp-Name"] = name
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self._http.post("/mcp", json=message, headers=headers)

    async def list_views(self) -> dict[str, str]:
        """Return the URIs of views by the names of their tools."""
        tools = result_of(await self.send("tools/list"))["tools"]
        return {tool["name"]: tool["_meta"]["ui"]["resourceUri"] for tool in tools if "_meta" in tool}


@pytest.fixture(params=HEADERS)
def era(request: pytest.FixtureRequest) -> str:
    """Era of the protocol."""
    return str(request.param)


async def test_a_host_that_shows_views_finds_and_reads_them(client: httpx.AsyncClient, era: str) -> None:
    host = await Host(client, era).start()
    assert await host.list_views() == {"open_box": URI, "fill_box": "ui://vault-mcp/fill_box"}
    listed = result_of(await host.send("resources/list"))["resources"]
    assert {each["uri"] for each in listed} >= {URI, "ui://vault-mcp/fill_box"}
    (page,) = result_of(await host.send("resources/read", uri=URI))["contents"]
    assert (page["uri"], page["mimeType"]) == (URI, "text/html;profile=mcp-app")
    assert page["text"].startswith("<!doctype html>")
    assert '"tool":"open_box"' in page["text"]


async def test_a_page_of_the_project_is_sent_as_it_was_written(client: httpx.AsyncClient, era: str) -> None:
    host = await Host(client, era).start()
    (page,) = result_of(await host.send("resources/read", uri="ui://vault-mcp/fill_box"))["contents"]
    assert "The vault's own page" in page["text"]


@pytest.mark.parametrize("capabilities", BLIND, ids=str)
async def test_another_host_sees_no_view_and_cannot_read_one(
    client: httpx.AsyncClient, era: str, capabilities: dict[str, Any]
) -> None:
    host = await Host(client, era, capabilities).start()
    assert await host.list_views() == {}
    listed = result_of(await host.send("resources/list"))["resources"]
    assert not [each for each in listed if each["uri"].startswith("ui:")]
    response = await host.send("resources/read", uri=URI)
    assert "This server has no such resource." in response.text


async def test_a_view_needs_the_scopes_of_its_tool(client: httpx.AsyncClient, era: str) -> None:
    visitor = await Host(client, era, token="visitor").start()
    assert await visitor.list_views() == {"open_box": URI}
    denied = await visitor.send("resources/read", uri="ui://vault-mcp/fill_box")
    assert denied.status_code == 403
    assert "vault:write" in denied.headers["www-authenticate"]


async def test_lists_that_depend_on_views_are_no_shared_ones(client: httpx.AsyncClient) -> None:
    host = Host(client, "stateless")
    assert result_of(await host.send("tools/list"))["cacheScope"] == "private"
    assert result_of(await host.send("resources/read", uri=URI))["cacheScope"] == "private"


async def test_discovery_names_the_extension(client: httpx.AsyncClient) -> None:
    found = result_of(await Host(client, "stateless").send("server/discover"))
    assert found["capabilities"]["extensions"] == {"io.modelcontextprotocol/ui": {}}


async def test_only_a_host_that_shows_views_gets_a_session_id_and_any_replica_knows_it(
    client: httpx.AsyncClient,
) -> None:
    params = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t", "version": "1"}}
    host, blind = Host(client, "handshake"), Host(client, "handshake", {})
    first, second = [await host.send("initialize", **params, capabilities=UI) for _ in range(2)]
    ids = {each.headers["mcp-session-id"] for each in (first, second)}
    assert len(ids) == 2
    assert "mcp-session-id" not in (await blind.send("initialize", **params, capabilities={})).headers
