"""A page of rows against the page of the records that are made of them, over every contract that has pages.

Rows are whole or flawed, but of the types that the contract's model has: a record takes no UUID for a text, and a row may have one.
"""

import importlib
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from tests.contracts.reading import contracts
from tests.servers.recorder import Recorder
from toolpact import Page
from toolpact.call.context import BoundTool
from toolpact.call.results import BrokenResultError, encode_result
from toolpact.client.base import PagedTool

ASKED = {"offset": 0, "limit": 10}
REFUSED = b""
ZONES = [
    UTC,
    ZoneInfo("Europe/London"),
    ZoneInfo("Europe/Moscow"),
    ZoneInfo("Asia/Kathmandu"),
    timezone(timedelta(hours=-3)),
]


@cache
def paged(room: str) -> dict[str, tuple[BoundTool, type[BaseModel]]]:
    """The tools of a room that answer pages, by name, each with the model of its items."""
    clients = vars(importlib.import_module(f"generated.{room}.client")).values()
    results = {each.name: each.result for each in clients if isinstance(each, PagedTool)}
    tools = {tool.name: tool for tool in Recorder(room).server().tools}
    return {
        name: (BoundTool(tools[name]), get_args(result.model_fields["items"].annotation)[0])
        for name, result in results.items()
    }


PAGED = [(room, name) for room in sorted(contracts()) for name in paged(room)]
"""What answers pages: room and tool."""


def said(bound: BoundTool, items: list[Any]) -> bytes:
    """The JSON of a page, or that it is refused."""
    try:
        return encode_result(bound, Page(items, 100), ASKED).value
    except BrokenResultError:
        return REFUSED


def said_of_records(bound: BoundTool, model: type[BaseModel], rows: list[dict[str, Any]]) -> bytes:
    """The same for the records that are made of *rows*."""
    try:
        return said(bound, [model(**row) for row in rows])
    except ValidationError:
        return REFUSED


# --- what a driver gives for a schema --------------------------------------------------------------------------------

FORMATS: dict[str, st.SearchStrategy[Any]] = {
    "date-time": st.datetimes(datetime(1, 1, 3), timezones=st.sampled_from(ZONES)),  # noqa: DTZ001 - zones are drawn
    "date": st.dates(),
    "uuid": st.uuids(),
}
STRANGE = st.sampled_from([math.nan, math.inf, 2**64, -1.5, "null", "\ud800", [], {}])
"""What most schemas have no place for."""


def values(schema: Any) -> st.SearchStrategy[Any]:
    """Values as a driver gives them for *schema*, most of which it admits."""
    if not schema:
        return st.none() | st.integers(0, 9) | st.text(max_size=3)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return st.one_of([values(branch) for branch in branches])
    return KINDS[schema["type"]](schema)


def texts(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Texts that *schema* admits, and what has a format as the type that it stands for."""
    if "format" in schema:
        return FORMATS[schema["format"]]
    if "pattern" in schema:
        return st.from_regex(re.compile(schema["pattern"], re.ASCII), fullmatch=True)
    return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 8))


def numbers(least: float, most: float) -> st.SearchStrategy[Any]:
    """Floats, integers, and amounts of a fixed number of digits, as of a column that is numeric."""
    amounts = st.decimals(math.ceil(least), math.floor(most), places=3)
    return st.floats(least, most) | st.integers(math.ceil(least), math.floor(most)) | amounts


@st.composite
def rows(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Rows, of which one in five lacks a member, or has a surplus one, or one that is strange or None."""
    row = {name: draw(values(member)) for name, member in schema.get("properties", {}).items()}
    if isinstance(others := schema.get("additionalProperties"), dict):
        row |= draw(st.dictionaries(st.text(max_size=3), values(others), max_size=2))
    flaw = draw(st.sampled_from([*["none"] * 16, "absent", "null", "strange", "surplus"]))
    name = "surplus" if flaw == "surplus" else draw(st.sampled_from([*row, "surplus"]))
    if flaw == "absent":
        row.pop(name, None)
    elif flaw == "strange" and name in schema.get(
        "properties", {}
    ):  # where all is admitted, a record makes null of NaN
        row[name] = draw(STRANGE)
    elif flaw != "none":
        row[name] = None
    return row


def arrays(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Lists and tuples."""
    items = st.lists(values(schema.get("items")), max_size=2)
    return items | items.map(tuple)


KINDS: dict[str, Callable[[dict[str, Any]], st.SearchStrategy[Any]]] = {
    "array": arrays,
    "boolean": lambda _: st.booleans(),
    "integer": lambda schema: st.integers(schema.get("minimum", -(2**63)), schema.get("maximum", 2**63 - 1)),
    "number": lambda schema: numbers(schema.get("minimum", -1e9), schema.get("maximum", 1e9)),
    "object": rows,
    "string": texts,
}


@pytest.mark.parametrize("room, name", PAGED)
@settings(max_examples=50)
@given(data=st.data())
def test_a_page_of_rows_is_the_page_of_the_records_made_of_them(room: str, name: str, data: st.DataObject) -> None:
    bound, model = paged(room)[name]
    items = data.draw(st.lists(rows(bound.tool.returns["properties"]["items"]["items"]), max_size=3))
    assert said(bound, items) == said_of_records(bound, model, items)
