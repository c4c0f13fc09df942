"""Schemas are shown as rows, with their limits in words."""

from typing import Any

import pytest

from toolaccord_codegen.site.policies import describe_milliseconds, describe_seconds
from toolaccord_codegen.site.schema_fields import describe_kind, list_fields, list_limits, list_result_fields


@pytest.mark.parametrize(
    "schema, kind",
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date-time"}, "string (date-time)"),
        ({"type": ["number", "null"]}, "number or null"),
        ({"type": "array", "items": {"type": "object"}}, "array of objects"),
        ({"type": "array", "items": {"type": "string", "format": "date"}}, "array of strings (date)"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}, "array of arrays of numbers"),
        ({"type": "array"}, "array"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"const": 1}, "constant"),
        ({}, "any JSON"),
    ],
)
def test_a_type_is_described_in_words(schema: Any, kind: str) -> None:
    assert describe_kind(schema) == kind


@pytest.mark.parametrize(
    "schema, limits",
    [
        ({"type": "integer", "minimum": 1, "maximum": 1000}, ["1 to 1,000"]),
        ({"type": "number", "exclusiveMinimum": 0}, ["above 0"]),
        ({"type": "number", "maximum": 0.5, "multipleOf": 0.1}, ["at most 0.5", "a multiple of 0.1"]),
        ({"type": "string", "minLength": 1}, ["at least 1 character"]),
        ({"type": "string", "minLength": 3, "maxLength": 3}, ["exactly 3 characters"]),
        ({"type": "array", "maxItems": 5, "uniqueItems": True}, ["at most 5 items", "no item twice"]),
        (
            {"type": "array", "items": {"type": "string", "maxLength": 4, "pattern": "^a"}},
            ["each item: at most 4 characters", "each item: matches ^a"],
        ),
        (
            {"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["all"], "type": "string"}]},
            ["integer: at least 0", 'string: one of "all"'],
        ),
        (
            {"type": "string", "enum": ["a"], "x-extensible-enum": True, "x-unknown": "a"},
            ['later versions may have more values, which count as "a"'],
        ),
        ({"type": "object", "properties": {}, "additionalProperties": True}, ["may have other members"]),
        ({"type": "object", "propertyNames": {"maxLength": 2}}, ["each name: at most 2 characters"]),
    ],
)
def test_limits_are_described_in_words(schema: Any, limits: list[str]) -> None:
    assert list(list_limits(schema)) == limits


def test_members_of_items_and_of_alternatives_have_rows_below_their_owner() -> None:
    schema = {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "items": {"type": "object", "properties": {"a/b": {"type": "string"}}, "required": ["a/b"]},
            },
            "either": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"x": {"type": "integer"}}}]},
        },
        "additionalProperties": {"type": "number"},
        "required": ["rows"],
    }
    rows = [(each.name, each.pointer, each.depth, each.is_required) for each in list_fields(schema)]
    assert rows == [
        ("rows", "/rows", 0, True),
        ("a/b", "/rows/*/a~1b", 1, True),
        ("either", "/either", 0, False),
        ("alternative 2", "/either", 1, False),
        ("x", "/either/x", 2, False),
        ("any other name", "/*", 0, False),
    ]


def test_a_result_that_is_no_object_has_one_row() -> None:
    for schema in ({"type": "array", "items": {"type": "string"}}, {"type": "number"}):
        assert [(each.name, each.unit) for each in list_result_fields(schema)] == [("result", "")]


@pytest.mark.parametrize(
    "name, schema, unit",
    [
        ("timeout_ms", {"type": "integer"}, "ms"),
        ("timeout_ms", {"type": "integer", "x-unit": "seconds"}, "seconds"),
        ("timeout_ms", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "ms"),
        ("timeout_ms", {"type": "null"}, ""),
        ("price_usd", {"type": "number"}, "USD"),
        ("size_mb", {"type": "number"}, "MB"),
        ("sharpe_ratio", {"type": "number"}, ""),
        ("bars", {"type": "string"}, ""),
    ],
)
def test_a_number_has_the_unit_that_it_declares_or_that_its_name_ends_in(name: str, schema: Any, unit: str) -> None:
    (field,) = list_fields({"properties": {name: schema}})
    assert field.unit == unit


@pytest.mark.parametrize(
    "seconds, text",
    [(1, "1 second"), (90, "90 seconds"), (3600, "1 hour"), (86400, "1 day"), (0.5, "0.5 seconds"), (0, "0 seconds")],
)
def test_a_span_of_time_has_the_largest_unit_that_divides_it(seconds: float, text: str) -> None:
    assert describe_seconds(seconds) == text


def test_milliseconds_become_seconds_where_nothing_is_lost() -> None:
    assert [describe_milliseconds(each) for each in (250, 10_000, 60_000)] == ["250 ms", "10 seconds", "1 minute"]
