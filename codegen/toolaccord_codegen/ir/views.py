"""Views of results, resolved into the files that pages read: docs/decisions/0074-views.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from toolaccord.contract.views import FormView, HtmlView, Panel, StackView, View
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.published_schemas import publish_schema
from toolaccord_codegen.ir.result_places import Schema, find_place, name_in_words
from toolaccord_codegen.loading.json_layout import format_json

_NO_POINTERS = ("kind", "title")
_PAGING = {"limit": "limit", "offset": "offset", "total": "/pagination/total"}


@dataclass(frozen=True, slots=True)
class ViewCopy:
    """The generated file of a view."""

    file: str
    """Its name, which ends in `.json` or `.html`."""
    copy: str
    """The configuration of a page of the library, or the project's page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewedTool:
    """A tool as its view needs it; its schemas have every reference inlined."""

    server: str
    name: str
    title: str | None
    parameters: Schema
    returns: Schema
    success: Any
    """The dialect's template of a success."""
    is_paginated: bool


def list_panels(view: View) -> tuple[Panel, ...]:
    """Return the panels of a view, in their order; a page of the project has none."""
    if isinstance(view, HtmlView):
        return ()
    return view.views if isinstance(view, StackView) else (view,)


def list_pointers(panel: Any, at: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield each pointer of a panel with its place in the contract and the name of its key."""
    for each in fields(panel):
        value = getattr(panel, each.name)
        if each.name in _NO_POINTERS or value is None:
            continue
        place = join_pointer(at, each.name)
        items = [(place, value)] if isinstance(value, str) else [(f"{place}/{i}", part) for i, part in enumerate(value)]
        for inner, part in items:
            if isinstance(part, str):
                yield inner, each.name, part
            else:
                yield from list_pointers(part, inner)


def configure_view(tool: ViewedTool, view: View) -> str:
    """Return the configuration of a page of the library, as JSON."""
    panels = list_panels(view)
    configuration = {
        "server": tool.server,
        "tool": tool.name,
        "title": tool.title or name_in_words(tool.name),
        "result": find_result(tool.success) or "",
        **({"paging": _PAGING} if tool.is_paginated else {}),
        **(
            {"parameters": publish_schema(tool.parameters)}
            if any(isinstance(each, FormView) for each in panels)
            else {}
        ),
        "panels": [_fill(panel, lambda pointer: find_place(tool.returns, pointer).describe()) for panel in panels],
    }
    return format_json(configuration)


def find_result(template: Any, at: str = "") -> str | None:
    """Return the pointer to the result in a dialect's template; None where it has none."""
    if not isinstance(template, Mapping):
        return None
    if template.get("$") == "result":
        return at
    found = (find_result(part, join_pointer(at, name)) for name, part in template.items())
    return next((pointer for pointer in found if pointer is not None), None)


def _fill(panel: Any, describe: Callable[[str], dict[str, str]]) -> dict[str, Any]:
    """Return a panel with a column in place of each pointer."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return describe(value)
        return [*map(fill, value)] if isinstance(value, tuple) else _fill(value, describe)

    given = ((each.name, getattr(panel, each.name)) for each in fields(panel))
    return {name: value if name in _NO_POINTERS else fill(value) for name, value in given if value not in (None, ())}
