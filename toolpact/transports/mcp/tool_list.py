"""The tools of a server as MCP shows them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, Generic, TypeVar

from toolpact.call.pipeline import Pipeline
from toolpact.declarations.tool import AnyTool, Server
from toolpact.json_values import JsonObject
from toolpact.versioning import lifecycle

Form = TypeVar("Form")

KEPT_MS = 300_000
"""Milliseconds for which a client may keep the list of tools, which changes only where a day makes a version deprecated, or ends it."""


class Listing(Generic[Form]):
    """The list of a server's tools in the form that a transport answers, made anew only on a day that may change it."""

    def __init__(self, pipeline: Pipeline, make: Callable[[list[JsonObject]], Form]) -> None:
        self._pipeline = pipeline
        self._make = make
        self._dated = any(tool.versions for tool in pipeline.server.tools)
        self._made: tuple[date, Form] | None = None

    def today(self) -> Form:
        """Return the list of today."""
        if self._made is None or (self._dated and self._made[0] != self._pipeline.today()):
            today = self._pipeline.today()
            self._made = today, self._make(tools(self._pipeline.server, today))
        return self._made[1]


def tools(server: Server[Any], today: date) -> list[JsonObject]:
    """Return the tools of *server* as they are *today*, in the contract's order: they fit on one page."""
    kinds = {source.name: source.kind for source in server.sources}
    return [_listed(tool, kinds, today) for tool in server.tools]


def plain(listed: list[JsonObject]) -> list[JsonObject]:
    """Return tools that are *listed* for MCP as REST lists them: what `_meta` says of versions are members like others."""
    return [{name: part for name, part in tool.items() if name != "_meta"} | tool.get("_meta", {}) for tool in listed]


def _listed(tool: AnyTool, kinds: dict[str, str], today: date) -> JsonObject:
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
        **({"_meta": _versions(tool, today)} if tool.versions else {}),
    }


def _versions(tool: AnyTool, today: date) -> JsonObject:
    """Return which versions *tool* is called in, which of them are to be left, and how long each is there."""
    live = lifecycle.live_versions(tool, today)
    ends = {older.version: older.sunset_on for older in tool.versions if older.version in live}
    return {
        "versions": live,
        "latest": tool.version,
        "deprecated": lifecycle.deprecated_versions(tool, today),
        "sunset": {version: str(day) for version, day in ends.items() if day is not None},
    }
