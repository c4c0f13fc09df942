"""Scopes that a message of MCP needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from toolaccord.declarations.tool import Server
from toolaccord.resources.lookup import ResourceLookup
from toolaccord.resources.view_pages import add_view_pages
from toolaccord.transports.mcp.jsonrpc import MAX_MEMBERS

_OF_NAMES: Mapping[str, str] = {"tools/call": "tools", "prompts/get": "prompts"}
_OF_URIS = frozenset({"resources/read", "resources/subscribe", "resources/unsubscribe"})


class Permissions:
    """The scopes that a caller needs, by what its message names."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._named = {
            "tools": {tool.name: server.demand(tool) for tool in server.tools},
            "prompts": {prompt.name: server.demand(prompt) for prompt in server.prompts},
        }
        self._resources = ResourceLookup(add_view_pages(server).resources)

    def demand(self, message: Any) -> frozenset[str]:
        """Return the scopes that a *message*, a JSON value, needs; none for what no contract names.

        Lists need none: they show what a caller may use.
        """
        if not isinstance(message, dict) or not isinstance(params := message.get("params"), dict):
            return frozenset()
        method = message.get("method")
        if method == "completion/complete" and isinstance(reference := params.get("ref"), dict):
            return self._demand_of_reference(reference)
        if kind := _OF_NAMES.get(method) if isinstance(method, str) else None:
            name = params.get("name")
            return self._named[kind].get(name, frozenset()) if isinstance(name, str) else frozenset()
        return frozenset().union(*map(self._demand_of_uri, _list_uris(method, params)))

    def _demand_of_reference(self, reference: Mapping[str, Any]) -> frozenset[str]:
        """Return the scopes of the owner of a completed value."""
        name, uri = reference.get("name"), reference.get("uri")
        of_prompt = self._named["prompts"].get(name, frozenset()) if isinstance(name, str) else frozenset()
        templates = [each for each in self._server.resources if each.uri_template and each.uri_template == uri]
        return of_prompt.union(*map(self._server.demand, templates))

    def _demand_of_uri(self, uri: str) -> frozenset[str]:
        found = self._resources.find(uri)
        return self._server.demand(found[0]) if found else frozenset()


def _list_uris(method: Any, params: Mapping[str, Any]) -> Iterator[str]:
    """List the URIs that a message names.

    A message with more values than it may have is not answered, so those beyond cost no time.
    """
    uris: Any = None
    if method in _OF_URIS:
        uris = [params.get("uri")]
    elif method == "subscriptions/listen" and isinstance(wanted := params.get("notifications"), dict):
        uris = wanted.get("resourceSubscriptions")
    known = islice(uris, MAX_MEMBERS) if isinstance(uris, list) else ()
    yield from (uri for uri in known if isinstance(uri, str))
