from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import pytest
from pydantic import ConfigDict

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Book, Librarian
from toolaccord.call.context import BoundOperation
from toolaccord.call.results import BrokenResultError, encode_result
from toolaccord.handler import Page
from toolaccord.json_values import JsonObject
from toolaccord.testing import ManualClock

ANYTHING: JsonObject = {}
NUMBER = {"type": "number"}
TEXT = {"type": "string"}
NAMED = {
    "type": "object",
    "properties": {"name": TEXT, "note": TEXT},
    "required": ["name"],
    "additionalProperties": False,
}


class Side(Enum):
    LONG = "long"


class Price(Enum):
    ONE_AND_A_HALF = Decimal("1.5")


class Quote(NamedTuple):
    price: Decimal
    at: datetime


@dataclass(frozen=True)
class Lot:
    count: int
    at: datetime | None


UTC_NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def items(rows: list[Any], *, nullable: bool = False, **members: JsonObject) -> list[Any]:
    """Return the items of a page of *rows*; all *members* but `note` are required."""
    needed = [name for name in members if name != "note"]
    item = {"type": "object", "properties": members, "required": needed, "additionalProperties": False}
    pagination = library.LIST_BOOKS_RETURNS["properties"]["pagination"]
    returns = {"type": "object", "properties": {"items": {"type": "array", "items": item}, "pagination": pagination}}
    tool = replace(library.server(Librarian()).tools[0], returns=returns, nullable_results=nullable)
    loaded = encode_result(BoundOperation(tool, ManualClock()), Page(rows, len(rows)), {"offset": 0, "limit": 10})
    found: list[Any] = orjson.loads(loaded.value)["items"]
    return found


@pytest.mark.parametrize(
    "given, expected",
    [
        (datetime(2026, 1, 31, 12, tzinfo=UTC), "2026-01-31T12:00:00Z"),
        (datetime(2026, 1, 31, 12, 0, 0, 5, tzinfo=timezone(timedelta(hours=3))), "2026-01-31T12:00:00.000005+03:00"),
        (date(2026, 1, 31), "2026-01-31"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Side.LONG, "long"),
        (Decimal("12.50"), 12.5),
        (Decimal(2**62), 2**62),
        ((1, (2.0, "null")), [1, [2.0, "null"]]),
        (Price.ONE_AND_A_HALF, 1.5),
        (Quote(Decimal("12.50"), UTC_NOON), [12.5, "2026-01-31T12:00:00Z"]),
        ({Decimal("12.50")}, [12.5]),
        (Lot(1, None), {"count": 1, "at": None}),
        ({2026: 1, date(2026, 1, 31): {UUID(int=1): 2}}, {"2026": 1, "2026-01-31": {str(UUID(int=1)): 2}}),
        (MappingProxyType({"at": date(2026, 1, 31)}), {"at": "2026-01-31"}),
        (Book(id=1, title="one"), {"id": 1, "title": "one"}),
        (
            [Book(id=1, title="one"), {"null": Book(id=2, title="two")}],
            [{"id": 1, "title": "one"}, {"null": {"id": 2, "title": "two"}}],
        ),
    ],
    ids=str,
)
def test_a_value_of_a_row_is_serialised_like_that_of_a_record(given: Any, expected: Any) -> None:
    assert items([{"it": given}], it=ANYTHING) == [{"it": expected}]
    [carefully, _] = items([{"it": given}, {"it": None}], it=ANYTHING, nullable=True)
    assert carefully == {"it": expected}


def test_a_page_may_hold_records_and_rows() -> None:
    mixed = [Book(id=1, title="one"), {"id": 2, "title": "two"}, MappingProxyType({"id": 3, "title": "three"})]
    found = items(mixed, id={"type": "integer"}, title=TEXT)
    assert found == [{"id": 1, "title": "one"}, {"id": 2, "title": "two"}, {"id": 3, "title": "three"}]


def test_a_member_that_is_none_is_left_out() -> None:
    inner = [{"name": "a", "note": None}, {"name": "null", "note": "b"}]
    found = items([{"note": None, "named": inner}], note=TEXT, named={"type": "array", "items": NAMED})
    assert found == [{"named": [{"name": "a"}, {"name": "null", "note": "b"}]}]


def test_a_member_of_one_of_several_forms_that_is_none_is_left_out() -> None:
    forms = {
        "anyOf": [
            NAMED,
            {"type": "object", "properties": {"at": NUMBER}, "required": ["at"], "additionalProperties": False},
        ]
    }
    assert items([{"it": {"name": "a", "note": None}}, {"it": {"at": 1}}], it=forms) == [
        {"it": {"name": "a"}},
        {"it": {"at": 1}},
    ]


@pytest.mark.parametrize("is_alternative", [False, True])
def test_a_member_of_an_open_object_that_is_none_is_left_out_as_it_is_of_a_record(*, is_alternative: bool) -> None:
    row: dict[str, Any] = {"id": 1, "title": "one", "other": None, "more": 1}

    class OpenBook(Book):
        model_config = ConfigDict(extra="allow")

    forms: dict[str, Any] = {
        "type": "object",
        "properties": {"id": NUMBER, "title": TEXT},
        "additionalProperties": True,
    }
    if is_alternative:
        forms = {"anyOf": [{"type": "null"}, forms]}
    assert items([{"it": row}, {"it": OpenBook(**row)}], it=forms) == [
        {"it": {"id": 1, "title": "one", "more": 1}},
        {"it": {"id": 1, "title": "one", "more": 1}},
    ]


def test_a_required_member_that_is_none_is_null_if_the_contract_admits_null() -> None:
    maybe = {"type": ["number", "null"]}
    assert items([{"it": None}, {"it": 1.5}], it=maybe, nullable=True) == [{"it": None}, {"it": 1.5}]


@pytest.mark.parametrize(
    "row, complaint",
    [
        ({}, "/items/0/it is required"),
        ({"it": None}, "/items/0/it is required"),
        ({"it": 1, "other": 1}, "/items/0/other is not known"),
        ({"it": 1, "other": None}, "/items/0/other is not known"),
        ({"it": "1.5"}, "/items/0/it must be a number"),
        ({"it": float("nan")}, "/items/0/it must be a finite number"),
        ({"it": Decimal("inf")}, "/items/0/it must be a finite number"),
        ({"it": 2**64}, "/items/0/it must be at most 100"),
    ],
    ids=str,
)
def test_a_row_that_breaks_the_contract_is_an_error(row: Mapping[str, Any], complaint: str) -> None:
    with pytest.raises(BrokenResultError, match=complaint):
        items([row], it={"type": "number", "maximum": 100})


def test_no_number_of_a_row_becomes_null() -> None:
    with pytest.raises(BrokenResultError, match="/items/0/it must be a finite number"):
        items([{"it": float("nan")}], it={"type": ["number", "null"]}, nullable=True)


@pytest.mark.parametrize("beside", [1, None])
def test_an_iterator_in_a_row_is_rejected(beside: Any) -> None:
    with pytest.raises(TypeError, match="must hold a list"):
        items([{"it": iter([1, 2]), "note": beside}], it=ANYTHING, note=NUMBER)


def test_a_row_that_json_cannot_represent_is_never_sent() -> None:
    with pytest.raises(Exception, match="serialize unknown type"):
        items([{"it": object()}], it=ANYTHING)
