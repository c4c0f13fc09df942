"""Views of the vault over HTTP, for hosts that show them and for all others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.toolaccord.open_access import OPEN
from tests.toolaccord.transports.http.test_scopes import HEADERS, META, client, result_of
from tests.toolaccord.transports.mcp.test_fast_path import served
from toolaccord.transports.http.app import HttpApp, Pages

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
        self.session_id: str | None = None

    async def start(self) -> Host:
        """Open a session, if the era has a handshake; return self."""
        if self._era == "handshake":
            params = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t", "version": "1"}}
            response = await self.send("initialize", **params, capabilities=self._capabilities)
            self.session_id = response.headers.get("mcp-session-id")
        return self

    async def send(self, method: str, **params: Any) -> httpx.Response:
        """Return the response to a request."""
        headers = self._headers | ({"Mcp-Session-Id": self.session_id} if self.session_id else {})
        if self._era == "stateless":
            params |= {"_meta": META | {"io.modelcontextprotocol/clientCapabilities": self._capabilities}}
            headers["Mcp-Method"] = method
            if name := params.get("name", params.get("uri")):
                headers["Mcp-Name"] = name
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self._http.post("/mcp", json=message, headers=headers)

    async def list_views(self) -> dict[str, str]:
        """Return the URIs of views by the names of their tools."""
        tools = result_of(await self.send("tools/list"))["tools"]
        return {each["name"]: each["_meta"]["ui"]["resourceUri"] for each in tools if "ui" in each.get("_meta", {})}


@asynccontextmanager
async def library(*, reference: bool = False) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of a library, which has no sessions."""
    app = HttpApp(served(), {}, OPEN, Pages(None, None), reference=reference)
    async with app.open():
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as found:
            yield found


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


@pytest.mark.parametrize("reference", [False, True])
async def test_without_sessions_any_replica_knows_a_host_that_shows_views_by_its_id(*, reference: bool) -> None:
    async with library(reference=reference) as first, library(reference=reference) as second:
        host = await Host(first, "handshake").start()
        elsewhere = Host(second, "handshake")
        elsewhere.session_id = host.session_id
        for each in (host, elsewhere):
            assert await each.list_views() == {"list_books": "ui://library-mcp/list_books"}
            (page,) = result_of(await each.send("resources/read", uri="ui://library-mcp/list_books"))["contents"]
            assert '"paging":{' in page["text"]


@pytest.mark.parametrize("reference", [False, True])
async def test_without_sessions_another_host_gets_no_id_and_sees_no_view(*, reference: bool) -> None:
    async with library(reference=reference) as http:
        host = await Host(http, "handshake", {}).start()
        assert host.session_id is None
        assert await host.list_views() == {}
        assert result_of(await host.send("resources/list")) == {"resources": []}


async def test_each_id_is_another_one() -> None:
    async with library() as http:
        ids = {(await Host(http, "handshake").start()).session_id for _ in range(3)}
        assert len(ids) == 3
