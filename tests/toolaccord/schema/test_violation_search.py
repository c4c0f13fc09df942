"""Bounds on the work that an invalid value causes, in calls of functions of Python and C."""

import math
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.toolaccord.schema.test_validator import Moment
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator, load_record
from toolaccord.schema.value_count import MAX_VALUES, max_values
from toolaccord.schema.violation_search import SchemaNode
from toolaccord.schema.violations import MAX_VIOLATIONS, Violation, json_pointer

MOST_CALLS = 100_000
CALL = {
    "type": "object",
    "properties": {"tool": {"type": "string"}},
    "required": ["tool"],
    "additionalProperties": False,
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "symbol": {"type": "string", "pattern": "^[A-Z]+$"},
        "calls": {"type": "array", "items": CALL, "maxItems": 1000},
        "numbers": {"type": "array", "items": {"type": "number", "multipleOf": 0.01}},
        "any": {"type": "array", "items": {"anyOf": [CALL, {"type": "null"}]}},
        "free": {},
        "map": {"type": "object", "additionalProperties": {"oneOf": [{"type": "integer"}, {"type": "string"}]}},
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
VALIDATOR = SchemaValidator(SCHEMA)


def calls_in(function: Callable[[], object]) -> int:
    """Return the number of calls of functions that *function* makes."""
    count = 0

    def on_event(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(on_event)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def nest(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = [value]
    return value


LARGE: dict[str, Callable[[], Any]] = {
    "wrong items": lambda: {"calls": [1] * 2_000_000},
    "numbers that are not finite": lambda: {"free": [math.nan] * 1_000_000},
    "one such number at the end": lambda: {"free": [1.5] * 1_000_000 + [math.nan]},
    "unknown members": lambda: {f"unknown{number}": 1 for number in range(300_000)},
    "text that is not Unicode": lambda: {"free": ["\ud800"] * 400_000},
    "empty lists": lambda: {"free": [[]] * 1_000_000},
    "huge integers": lambda: {"numbers": [10**400] * 10_000 + [1] * 20_000},
    "huge numbers": lambda: {"numbers": [1e300] * 500_000},
    "branches": lambda: {"any": [{"tool": 1}] * 300_000},
    "a map": lambda: {"map": {f"a{number}": [] for number in range(300_000)}},
    "deep nesting": lambda: {"free": nest([1] * 2_000_000, 1000)},
    "no object": lambda: [1] * 2_000_000,
    "wrong items, as many as admitted": lambda: {"any": [1] * (MAX_VALUES - 1)},
    "numbers that are not finite, as many as admitted": lambda: {"free": [math.nan] * (MAX_VALUES - 1)},
    "unknown members, as many as admitted": lambda: {f"unknown{number}": 1 for number in range(MAX_VALUES)},
    "wrong text": lambda: {"symbol": "a" * 4_000_000},
}


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_an_invalid_value_of_four_megabytes_causes_bounded_work(make: Callable[[], Any]) -> None:
    value = make()
    found: list[Violation] = []
    assert calls_in(lambda: found.extend(VALIDATOR.violations(value))) < MOST_CALLS
    assert 1 <= len(found) <= MAX_VIOLATIONS
    assert calls_in(lambda: VALIDATOR.valid_members(value)) < MOST_CALLS


def test_more_members_and_items_than_a_contract_bounds_are_one_violation() -> None:
    found = VALIDATOR.violations({"symbol": "ETH", "free": [1] * MAX_VALUES})
    assert [each.sentence for each in found] == [f"the value must hold at most {MAX_VALUES} members and items in all"]
    assert VALIDATOR.violations({"symbol": "ETH", "free": [1] * (MAX_VALUES - 2)}) == []


def test_a_contract_that_bounds_its_arrays_admits_as_many_values_as_they_hold() -> None:
    candle = {"type": "object", "properties": {name: {"type": "number"} for name in "ohlc"}}
    schema = {"type": "object", "properties": {"candles": {"type": "array", "items": candle, "maxItems": 10_000}}}
    assert max_values(schema) == 1 + 10_000 * 5
    assert SchemaValidator(schema).violations({"candles": [dict.fromkeys("ohlc", 1.0)] * 10_000}) == []
    assert max_values({"anyOf": [schema, {"type": "null"}]}) == 1 + 10_000 * 5


def test_a_missing_member_and_a_bound_are_reported_beside_too_many_items() -> None:
    sentences = {each.sentence for each in VALIDATOR.violations({"calls": [1] * 2_000_000})}
    assert {"/calls must have at most 1000 items", "/symbol is required", "/calls/0 must be an object"} <= sentences


def test_an_invalid_member_is_found_among_many_valid_ones() -> None:
    (violation,) = VALIDATOR.violations({"symbol": "ETH", "any": [None] * 15_000 + [1]})
    assert violation.sentence == "/any/15000 must have one of the allowed forms"


def test_each_invalid_argument_is_reported_although_one_has_more_violations_than_are() -> None:
    value = {"any": [1] * 1000, "numbers": "none", "symbol": "eth", "unknown": 1}
    pointers = [each.at for each in VALIDATOR.violations(value)]
    assert {"/numbers", "/symbol"} <= set(pointers)
    assert len(pointers) == MAX_VIOLATIONS


def test_a_number_that_is_not_finite_is_never_admitted_however_many_values_precede_it() -> None:
    validator = SchemaValidator({"type": "array", "maxItems": 50_000, "items": {}})
    assert validator.violations([1] * 40_000) == []
    assert [each.at for each in validator.violations([1] * 40_000 + [math.nan])] == ["/40000"]


def test_a_multiple_is_of_a_number_that_floats_hold_exactly() -> None:
    assert VALIDATOR.violations({"symbol": "ETH", "numbers": [2.0**53, -1.25]}) == []
    (violation,) = VALIDATOR.violations({"symbol": "ETH", "numbers": [10**4000 + 1]})
    assert violation.sentence == f"/numbers/0 must be at most {2**53}"


@pytest.mark.parametrize("pattern", [r"^(a+)\1+b$", "(?=.*x)y", "a(?!b)", "(?<=a)b", "(?<!a)b"])
def test_no_server_has_a_pattern_that_needs_more_than_linear_time(pattern: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        SchemaNode({"pattern": pattern}).validator.is_valid("")


def test_a_rule_that_has_no_sentence_is_a_violation_too() -> None:
    schema = {"if": {"type": "integer"}, "then": {"minimum": 5}}
    assert [each.keyword for each in SchemaValidator(schema).violations(1)] == ["schema"]


def test_the_pointer_of_a_long_name_is_cut_before_it_is_built() -> None:
    tracemalloc.start()
    pointer = json_pointer(("a" * 4_000_000, "b"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(pointer) == 200
    assert peak < 5_000_000, "the name itself takes four"


def test_a_record_that_cannot_hold_many_values_reports_the_first() -> None:
    class Moments(Moment):
        more: list[Moment]

    leap_second = {"at": "2016-12-31T23:59:60Z"}
    found = load_record(Moments, {**leap_second, "more": [leap_second] * 1000})
    assert isinstance(found, list)
    assert len(found) == MAX_VIOLATIONS


def test_the_violations_of_members_are_found_however_many_their_places_have() -> None:
    item = {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": "integer"}, "c": {"type": "integer"}},
        "required": ["b", "c"],
    }
    validator = SchemaValidator({"type": "object", "properties": {"xs": {"type": "array", "items": item}}})
    for count in (50, 98, 99, 150):
        found = validator.violations({"xs": [{"a": 1}, *[{"a": -1, "b": "", "c": ""}] * count]})
        assert {each.keyword for each in found} <= {"required", "minimum", "type"}
        assert {"required", "minimum"} <= {each.keyword for each in found} or count == 150


def test_the_largest_array_may_be_declared_by_a_number_with_a_fraction_of_zero() -> None:
    validator = SchemaValidator({"type": "array", "maxItems": 30000.0})
    assert validator.violations([1] * 30000) == []
