"""Prove that a page of rows has the JSON of the page of their records.

Rows are complete or faulty, but of the types of the contract's model: a record takes no UUID for a string, a row may.
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
from tests.servers.harness import Recorder
from toolaccord import Page
from toolaccord.call.context import BoundOperation
from toolaccord.call.results import BrokenResultError, encode_result
from toolaccord.client.declarations import PagedTool
from toolaccord.testing import ManualClock

REQUEST = {"offset": 0, "limit": 10}
REJECTED = b""
ZONES = [
    UTC,
    ZoneInfo("Europe/London"),
    ZoneInfo("Europe/Moscow"),
    ZoneInfo("Asia/Kathmandu"),
    timezone(timedelta(hours=-3)),
]


@cache
def find_paged_tools(module: str) -> dict[str, tuple[BoundOperation, type[BaseModel]]]:
    """Return the tools of a server that return pages, by name, each with the model of its items."""
    clients = vars(importlib.import_module(f"generated.{module}.client")).values()
    results = {each.name: each.result for each in clients if isinstance(each, PagedTool)}
    tools = {tool.name: tool for tool in Recorder(module).server().tools}
    return {
        name: (BoundOperation(tools[name], ManualClock()), get_args(result.model_fields["items"].annotation)[0])
        for name, result in results.items()
    }


PAGED = [(module, name) for module in sorted(contracts()) for name in find_paged_tools(module)]
"""Server and name of every tool that returns pages."""


def encode(bound: BoundOperation, items: list[Any]) -> bytes:
    """Return the JSON of a page, or REJECTED."""
    try:
        return encode_result(bound, Page(items, 100), REQUEST).value
    except BrokenResultError:
        return REJECTED


def encode_records(bound: BoundOperation, model: type[BaseModel], rows: list[dict[str, Any]]) -> bytes:
    """Return the JSON of the page of the records made of *rows*, or REJECTED."""
    try:
        return encode(bound, [model(**row) for row in rows])
    except ValidationError:
        return REJECTED


# --- values of a driver for a schema ----------------------------------------------------------------------------------

FORMATS: dict[str, st.SearchStrategy[Any]] = {
    "date-time": st.datetimes(datetime(1, 1, 3), timezones=st.sampled_from(ZONES)),  # noqa: DTZ001 - zones are drawn
    "date": st.dates(),
    "uuid": st.uuids(),
}
STRANGE = st.sampled_from([math.nan, math.inf, 2**64, -1.5, "null", "\ud800", [], {}])
"""Values that most schemas reject."""


def generate_values(schema: Any) -> st.SearchStrategy[Any]:
    """Generate values as a driver returns them for *schema*; most are valid."""
    if not schema:
        return st.none() | st.integers(0, 9) | st.text(max_size=3)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return st.one_of([generate_values(branch) for branch in branches])
    return KINDS[schema["type"]](schema)


def generate_strings(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Generate strings that *schema* admits, and Python's type for a string with a format."""
    if "format" in schema:
        return FORMATS[schema["format"]]
    if "pattern" in schema:
        return st.from_regex(re.compile(schema["pattern"], re.ASCII), fullmatch=True)
    return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 8))


def generate_numbers(least: float, most: float) -> st.SearchStrategy[Any]:
    """Generate floats, integers, and decimals as of a numeric column."""
    amounts = st.decimals(math.ceil(least), math.floor(most), places=3)
    return st.floats(least, most) | st.integers(math.ceil(least), math.floor(most)) | amounts


@st.composite
def generate_rows(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Generate rows; one in five has a missing, surplus, null or strange member."""
    row = {name: draw(generate_values(member)) for name, member in schema.get("properties", {}).items()}
    if isinstance(others := schema.get("additionalProperties"), dict):
        row |= draw(st.dictionaries(st.text(max_size=3), generate_values(others), max_size=2))
    fault = draw(st.sampled_from([*["none"] * 16, "absent", "null", "strange", "surplus"]))
    name = "surplus" if fault == "surplus" else draw(st.sampled_from([*row, "surplus"]))
    if fault == "absent":
        row.pop(name, None)
    elif fault == "strange" and name in schema.get(
        "properties", {}
    ):  # where anything is valid, a record turns NaN into null
        is_time = "format" in schema["properties"][name]  # a record reads a number as seconds since 1970
        row[name] = draw(STRANGE.filter(lambda value: value != -1.5) if is_time else STRANGE)
    elif fault != "none":
        row[name] = None
    return row


def generate_arrays(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Generate lists and tuples."""
    items = st.lists(generate_values(schema.get("items")), max_size=2)
    return items | items.map(tuple)


KINDS: dict[str, Callable[[dict[str, Any]], st.SearchStrategy[Any]]] = {
    "array": generate_arrays,
    "boolean": lambda _: st.booleans(),
    "integer": lambda schema: st.integers(schema.get("minimum", -(2**63)), schema.get("maximum", 2**63 - 1)),
    "number": lambda schema: generate_numbers(schema.get("minimum", -1e9), schema.get("maximum", 1e9)),
    "object": generate_rows,
    "string": generate_strings,
}


@pytest.mark.parametrize("module, name", PAGED)
@settings(max_examples=50)
@given(data=st.data())
def test_a_page_of_rows_has_the_json_of_the_page_of_their_records(module: str, name: str, data: st.DataObject) -> None:
    bound, model = find_paged_tools(module)[name]
    items = data.draw(st.lists(generate_rows(bound.operation.returns["properties"]["items"]["items"]), max_size=3))
    assert encode(bound, items) == encode_records(bound, model, items)
