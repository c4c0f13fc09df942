"""Views of tools as resources, which hosts with MCP Apps read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolaccord.contract.policies import CacheHint
from toolaccord.declarations.tool import AnyTool, Server

if TYPE_CHECKING:  # see add_view_pages
    from toolaccord.declarations.resources import Resource

MEDIA_TYPE = "text/html;profile=mcp-app"
"""The media type of a view, which hosts compare literally."""
_CACHE = CacheHint(ttl_s=300, scope="private")


def has_views(server: Server[Any]) -> bool:
    """Return whether a tool of *server* has a view."""
    return any(tool.view for tool in server.tools)


def view_uri(server: Server[Any], tool: AnyTool) -> str:
    """Return the URI of the view of *tool*."""
    return f"ui://{server.name}/{tool.name}"


def add_view_pages(server: Server[Any]) -> Server[Any]:
    """Return *server* with a resource for each view, which needs the scopes of its tool."""
    from toolaccord.declarations.resources import Resource  # noqa: PLC0415 - the list of tools does without it

    pages: Iterator[Resource[Any]] = (
        Resource(
            name=f"view.{tool.name}",
            title=tool.title,
            description=f"View of the results of {tool.name}.",
            uri=view_uri(server, tool),
            mime_type=MEDIA_TYPE,
            kind="text",
            content=tool.view,
            scopes=tool.scopes,
            cache=_CACHE,
        )
        for tool in server.tools
        if tool.view
    )
    return replace(server, resources=(*server.resources, *pages))


def hide_views(server: Server[Any]) -> Server[Any]:
    """Return *server* as a host sees it that shows no views."""
    if not has_views(server):
        return server
    return replace(server, tools=tuple(replace(tool, view=None) for tool in server.tools))
