"""The tools of a server as MCP shows them."""

from __future__ import annotations

from typing import Any

from runtime.tool import Server, Tool
from runtime.values import JsonObject

KEPT_MS = 300_000
"""Milliseconds for which a client may keep the list of tools, which never changes while a server lives."""


def tools(server: Server[Any]) -> list[JsonObject]:
    """Return the tools of *server*, in the contract's order: they fit on one page."""
    kinds = {source.name: source.kind for source in server.sources}
    return [_listed(tool, kinds) for tool in server.tools]


def _listed(tool: Tool[Any, Any, Any], kinds: dict[str, str]) -> JsonObject:
    title = {} if tool.title is None else {"title": tool.title}
    hints = {
        "readOnlyHint": not tool.writes,
        "destructiveHint": bool(tool.writes),
        "idempotentHint": not tool.writes,
        "openWorldHint": any(kinds[name] == "http" for name in (*tool.reads, *tool.writes)),
    }
    return {
        "name": tool.name,
        **title,
        "description": tool.description,
        "inputSchema": tool.parameters,
        "outputSchema": tool.output,
        "annotations": title | hints,
    }
