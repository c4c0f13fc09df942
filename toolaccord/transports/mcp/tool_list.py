"""List of a server's tools, as `tools/list` returns it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, Generic, TypeVar

from toolaccord.call.pipeline import Pipeline
from toolaccord.declarations.tool import AnyTool, Server
from toolaccord.handler import Caller
from toolaccord.json_values import JsonObject
from toolaccord.resources.view_pages import view_uri
from toolaccord.semantics.effects import derive_hints
from toolaccord.semantics.envelope_schemas import build_output_schema
from toolaccord.semantics.published_schemas import publish_schema
from toolaccord.transports.mcp.scoped_lists import ScopedLists
from toolaccord.versioning import lifecycle

Encoded = TypeVar("Encoded")

CACHE_TTL_MS = 300_000
"""Milliseconds for which a client may cache the list.

It changes only on days when a version becomes deprecated or ends.
"""


class ToolList(Generic[Encoded]):
    """Tools of a server, encoded for a transport; encoded again only when the date changes."""

    def __init__(
        self, pipeline: Pipeline, encode: Callable[[list[JsonObject]], Encoded], *, for_rest: bool = False
    ) -> None:
        self._today = pipeline.today
        list_for = list_rest_tools if for_rest else list_tools
        self._lists = ScopedLists(pipeline.server, lambda seen: encode(list_for(seen, self._today())))
        self._depends_on_date = any(tool.versions for tool in pipeline.server.tools)
        self._encoded_on = self._today()

    def current(self, caller: Caller | None, *, shows_views: bool = False) -> Encoded:
        """Return the list for a *caller* on the current date; with views, if its host shows them."""
        if self._depends_on_date and self._encoded_on != self._today():
            self._encoded_on = self._today()
            self._lists.clear()
        return self._lists.get(caller, shows_views=shows_views)


def list_tools(server: Server[Any], today: date) -> list[JsonObject]:
    """Return the tools of *server* on the date *today*, in the contract's order, as one page."""
    kinds = {source.name: source.kind for source in server.sources}
    return [_describe(server, tool, kinds) | _meta(server, tool, today) for tool in server.tools]


def list_rest_tools(server: Server[Any], today: date) -> list[JsonObject]:
    """Return the same tools as REST lists them: the versions of each are members of the tool."""
    kinds = {source.name: source.kind for source in server.sources}
    return [_describe(server, tool, kinds) | _versions(tool, today) for tool in server.tools]


def _describe(server: Server[Any], tool: AnyTool, kinds: dict[str, str]) -> JsonObject:
    title = {} if tool.title is None else {"title": tool.title}
    return {
        "name": tool.name,
        **title,
        "description": tool.description,
        "inputSchema": publish_schema(tool.parameters, is_open=server.publishes_open_schemas),
        **({"outputSchema": publish_schema(build_output_schema(server.dialect, tool))} if tool.has_result else {}),
        "annotations": title | derive_hints(tool, kinds),
    }


def _meta(server: Server[Any], tool: AnyTool, today: date) -> JsonObject:
    """Return the member `_meta` of *tool*, if there is something to say in it."""
    meta = _versions(tool, today) if tool.versions else {}
    if tool.view:
        meta |= {"ui": {"resourceUri": view_uri(server, tool)}}
    return {"_meta": meta} if meta else {}


def _versions(tool: AnyTool, today: date) -> JsonObject:
    """Return the callable versions of *tool*, the deprecated ones, and the sunset dates."""
    live = lifecycle.live_versions(tool, today)
    ends = {older.version: older.sunset_on for older in tool.versions if older.version in live}
    return {
        "versions": live,
        "latest": tool.version,
        "deprecated": lifecycle.deprecated_versions(tool, today),
        "sunset": {version: str(day) for version, day in ends.items() if day is not None},
    }
