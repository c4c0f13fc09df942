"""Capabilities of a server, as the handshake and discovery send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from toolaccord.declarations.tool import Server
from toolaccord.json_values import JsonObject
from toolaccord.resources.view_pages import has_views

TASKS, VIEWS = "io.modelcontextprotocol/tasks", "io.modelcontextprotocol/ui"
"""The extensions that a server may have."""

ListMethod: TypeAlias = Literal["prompts/list", "resources/list", "resources/templates/list"]

LISTS: Mapping[ListMethod, str] = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resources",
}
"""Capability of each list that the contract alone decides.

Hosts request these lists of every server.
"""


def server_capabilities(server: Server[Any]) -> JsonObject:
    """Return the capabilities of *server*, which are equal in both eras."""
    capabilities: JsonObject = {"tools": {"listChanged": False}}
    if any(tool.logging for tool in server.tools):
        capabilities["logging"] = {}
    if server.resources or has_views(server):
        can_subscribe = any(resource.subscribe for resource in server.resources)
        capabilities["resources"] = {"subscribe": can_subscribe, "listChanged": False}
    if server.prompts:
        capabilities["prompts"] = {"listChanged": False}
    if has_completions(server):
        capabilities["completions"] = {}
    return capabilities


def stateless_capabilities(server: Server[Any], *, has_tasks: bool) -> JsonObject:
    """Return the capabilities of *server* in the stateless era, which has extensions."""
    extensions = {TASKS: has_tasks, VIEWS: has_views(server)}
    present: JsonObject = {name: {} for name, is_present in extensions.items() if is_present}
    return server_capabilities(server) | ({"extensions": present} if present else {})


def server_info(server: Server[Any]) -> JsonObject:
    """Return the `serverInfo` of *server*."""
    info = {"name": server.name, "title": server.title, "version": server.version, "description": server.description}
    return {name: text for name, text in info.items() if text is not None}


def has_completions(server: Server[Any]) -> bool:
    """Return whether *server* completes values."""
    return any(resource.completions for resource in server.resources) or any(
        prompt.completions for prompt in server.prompts
    )
