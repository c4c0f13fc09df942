"""Rules for what views draw: each pointer leads to a value that its place can show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolaccord.contract.views import FiguresView, FormView, HtmlView, LinesView, StackView, TableView, View
from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.contract import MCP_TRANSPORTS
from toolaccord_codegen.ir.result_places import ITEMS, ResultPlace, find_place
from toolaccord_codegen.ir.views import list_pointers
from toolaccord_codegen.rules.tool_view import ToolView, has_content_alone, place_items, property_names
from toolaccord_codegen.rules.transports import list_transports

NUMBERS = frozenset({"number", "integer"})
DAYS = frozenset({"date", "date-time"})
SHOWN: dict[str, tuple[frozenset[str], str]] = {
    **dict.fromkeys(
        ("open", "high", "low", "close", "volume", "lines", "areas", "lower", "upper", "values"), (NUMBERS, "a number")
    ),
    "time": (DAYS, "a date or a date-time"),
    "x": (DAYS | NUMBERS, "a date, a date-time or a number"),
}
"""Formats that a key of a panel can show, and their noun; any format under other keys."""
NOUNS = {
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "text": "a text",
    "date": "a date",
    "date-time": "a date-time",
    None: "an array, an object or any value",
}
PAGE_ROWS = "/items"
"""The array of a page's rows."""


def check_view(view: ToolView) -> Iterator[Problem]:
    """Yield views that no host sees, and those that point to what they cannot show."""
    declared = view.declared.view
    if declared is None:
        return
    if not {*MCP_TRANSPORTS} & {*(view.declared.transports or list_transports(view.contract))}:
        sentence = 'hosts of MCP show views; remove this key, or add "stdio" or "http" to the transports'
        yield view.problem("/view", "VIEW_WITHOUT_MCP", sentence)
    for at, panel in _place_panels(declared):
        if has_content_alone(view.declared) and not isinstance(panel, FormView):
            sentence = f'the tool has no result that "{panel.kind}" could show; add "returns", or use "form" or "html"'
            yield view.problem(at, "VIEW_WITHOUT_RESULT", sentence)
        elif view.is_resolved_object("returns"):
            yield from _Panel(view, at, panel).check()


def _place_panels(view: View) -> list[tuple[str, Any]]:
    """Return the panels of a view with their pointers."""
    if isinstance(view, StackView):
        return place_items("/view/views", view.views)
    return [] if isinstance(view, HtmlView) else [("/view", view)]


@dataclass(frozen=True, slots=True)
class _Panel:
    """A panel of a tool's view, at a pointer relative to the tool."""

    view: ToolView
    at: str
    declared: Any

    def check(self) -> Iterator[Problem]:
        """Yield the problems of the panel."""
        if isinstance(self.declared, LinesView) and not [*self._pointers()][1:]:
            sentence = 'nothing is drawn; add "lines", "areas" or "bands"'
            yield self.view.problem(self.at, "VIEW_EMPTY", sentence)
        rows: str | None = None
        for place, key, pointer in self._pointers():
            found = list(self._check_pointer(place, key, pointer)) or list(self._check_rows(place, pointer, rows))
            rows = rows or _rows_of(pointer)
            yield from found

    def _pointers(self) -> Iterator[tuple[str, str, str]]:
        return list_pointers(self.declared, self.at)

    def _check_pointer(self, place: str, key: str, pointer: str) -> Iterator[Problem]:
        """Yield a pointer that leads nowhere, or to what its key cannot show."""
        found = find_place(self.view.returns, pointer)
        if not found.schemas:
            sentence = f"the result has no {pointer}; {self._suggest(pointer)}"
            yield self.view.problem(place, "VIEW_PLACE", sentence)
        elif fault := _find_fault(found, key):
            yield self.view.problem(place, "VIEW_VALUE", f"{pointer} is {fault}")

    def _suggest(self, pointer: str) -> str:
        """Return a hint for a pointer that leads nowhere."""
        holder = pointer.rpartition("/")[0]
        while not (schemas := find_place(self.view.returns, holder).schemas):
            holder = holder.rpartition("/")[0]
        if any("items" in schema for schema in schemas):
            return f"{holder} is an array, and {holder}/{ITEMS} each of its items"
        known = [join_pointer(holder, name) for schema in schemas for name in property_names(schema)]
        return suggest(pointer, known) if known else f"{holder or 'it'} has no members"

    def _check_rows(self, place: str, pointer: str, rows: str | None) -> Iterator[Problem]:
        """Yield a pointer into other rows than those of the panel."""
        depth, noun = split_pointer(pointer).count(ITEMS), f'"{self.declared.kind}"'
        if isinstance(self.declared, FiguresView):
            if depth:
                sentence = f'{noun} shows one value, and {pointer} is one of each item; use "table" or "bars"'
                yield self.view.problem(place, "VIEW_ROWS", sentence)
        elif depth != 1:
            sentence = f"{noun} shows the items of one array, so its pointers have one /{ITEMS}; {pointer} has {depth}"
            yield self.view.problem(place, "VIEW_ROWS", sentence)
        elif rows is not None and _rows_of(pointer) != rows:
            sentence = f"the items are those of {rows}, and {pointer} is in others; use a view of its own in a stack"
            yield self.view.problem(place, "VIEW_ROWS", sentence)
        elif isinstance(self.declared, TableView) and self.view.declared.pagination and _rows_of(pointer) != PAGE_ROWS:
            sentence = f"a table of a paginated tool turns its pages, so its rows are those of {PAGE_ROWS}"
            yield self.view.problem(place, "VIEW_ROWS", sentence)


def _rows_of(pointer: str) -> str:
    """Return the pointer of the array of a pointer's items."""
    tokens = split_pointer(pointer)
    return join_pointer("", *tokens[: tokens.index(ITEMS)]) if ITEMS in tokens else ""


def _find_fault(place: ResultPlace, key: str) -> str:
    """Return the reason for which a key cannot show a place; empty if it can."""
    formats = sorted(place.formats, key=str)
    if None in formats:
        return f"{NOUNS[None]}; point to a number, a text or a boolean"
    if len(formats) > 1:
        return f"{' and '.join(NOUNS[each] for each in formats)} in different alternatives, and a column has one type; give it one"
    shown, noun = SHOWN.get(key, (frozenset(formats), ""))
    return "" if formats[0] in shown else f'{NOUNS[formats[0]]}, and "{key}" needs {noun}'
