"""Add older versions to the library's tools: deprecated ones, and one past its sunset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import (
    GET_BOOK_RETURNS,
    LIST_BOOKS_PARAMETERS,
    LIST_BOOKS_RETURNS,
    BookNotFound,
    Librarian,
    LibraryCall,
)
from toolaccord.declarations.operation import OlderVersion
from toolaccord.declarations.tool import AnyTool, Server
from toolaccord.json_values import JsonObject
from toolaccord.semantics.version_steps import Step, add, move
from toolaccord.versioning.upgrade_path import Lookup

MOMENT: JsonObject = {"type": "string", "format": "date-time"}


def server(
    handlers: library.Handlers | None = None, lookups: Mapping[str, Lookup] | None = None
) -> Server[LibraryCall]:
    """Return the library with older versions.

    The lookup `number` returns a book's number, `label` its title for the oldest callers.
    """
    served = library.server(handlers or Librarian())
    given = {"number": number, "label": label} | dict(lookups or {})
    older = {
        "list_books": (_books(),),
        "get_book": (_book(), _oldest_book(given["number"], given["label"]), _over()),
        "list_loans": (_loans(),),
    }
    return replace(served, tools=tuple(replace(tool, versions=older.get(tool.name, ())) for tool in served.tools))


def tool(server: Server[Any], name: str) -> AnyTool:
    """Return one of the tools of *server*."""
    return next(tool for tool in server.tools if tool.name == name)


async def number(value: Any, _call: Any) -> Any:
    """Return the number of the book whose code is *value*."""
    if not value.removeprefix("B").isdecimal():
        raise BookNotFound(f"there is no book {value}", book=0)
    return int(value.removeprefix("B"))


async def label(value: Any, _call: Any) -> Any:
    """Return how a title is shown to the oldest callers."""
    return f"<{value}>"


def version(
    name: str, days: tuple[date, date] | None, parameters: JsonObject, returns: JsonObject, *steps: tuple[Step, ...]
) -> OlderVersion:
    """Return a version with the dates of its deprecation and sunset in *days*."""
    return OlderVersion(
        version=name,
        released_on=None,
        deprecated_on=days[0] if days else None,
        sunset_on=days[1] if days else None,
        parameters=parameters,
        returns=returns,
        parameter_steps=steps[0],
        result_steps=steps[1],
    )


LATER = (date(2026, 2, 1), date(2026, 3, 31))
NOW = (date(2025, 12, 1), date(2026, 1, 31))
PAST = (date(2025, 10, 1), date(2025, 12, 31))


def _object(properties: JsonObject, *required: str) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _books() -> OlderVersion:
    properties = dict(LIST_BOOKS_PARAMETERS["properties"])
    row = properties.pop("shelf")
    listed = dict(LIST_BOOKS_RETURNS["properties"])
    return version(
        "0.9.0",
        LATER,
        _object({"row": row, **properties}, "row"),
        _object({"books": listed.pop("items"), **listed}, "books", "pagination"),
        (move("/row", "/shelf"),),
        (move("/books", "/items"),),
    )


def _book() -> OlderVersion:
    why = {"type": "string", "pattern": "^[a-z ]+$", "maxLength": 20}
    return version(
        "0.9.0",
        LATER,
        _object({"number": {"type": "integer", "minimum": 1}, "why": why}, "number"),
        _object({"number": {"type": "integer"}, "name": {"type": "string", "maxLength": 12}}, "number", "name"),
        (move("/number", "/id"), move("/why", "/reason")),
        (move("/number", "/id"), move("/name", "/title"), add("/note", "none")),
    )


def _oldest_book(number_of: Lookup, label_of: Lookup) -> OlderVersion:
    return version(
        "0.8.0",
        NOW,
        _object({"code": {"type": "string", "maxLength": 20}}, "code"),
        _object({"number": {"type": "integer"}, "label": {"type": "string"}}, "number", "label"),
        (move("/code", "/number", lookup=number_of),),
        (move("/label", "/name", lookup=label_of),),
    )


def _over() -> OlderVersion:
    return version("0.7.0", PAST, _object({}), GET_BOOK_RETURNS, (), ())


def _loans() -> OlderVersion:
    returns = _object({"from": {"type": "string"}})
    return version(
        "0.9.0",
        None,
        _object({"from": MOMENT, "to": MOMENT}),
        returns,
        (move("/from", "/since"), move("/to", "/until")),
        (move("/from", "/since"), add("/ratio", 0)),
    )
