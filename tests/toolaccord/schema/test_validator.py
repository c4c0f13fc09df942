import math
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import AwareDatetime, BaseModel

from toolaccord.json_values import JsonObject
from toolaccord.schema.json_safety import MAX_DEPTH
from toolaccord.schema.validator import SchemaValidator, load_record

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "symbol": {"type": "string", "pattern": "^[A-Z]+$", "minLength": 2, "maxLength": 5},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 5},
        "metric": {"type": "string", "enum": ["sharpe", "return"], "default": "sharpe"},
        "ratio": {"type": "number", "exclusiveMinimum": 0},
        "maybe": {"type": ["number", "null"]},
        "at": {"type": "string", "format": "date-time"},
        "filter": {
            "type": "object",
            "properties": {"deep/er": {"type": "integer"}, "mode": {"type": "string", "default": "all"}},
            "additionalProperties": False,
        },
        "ids": {"type": "array", "items": {"type": "integer"}, "maxItems": 2, "uniqueItems": True},
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
VALIDATOR = SchemaValidator(SCHEMA)


def messages(value: Any) -> dict[str, str]:
    return {violation.at: violation.message for violation in VALIDATOR.violations(value)}


def test_a_valid_value_has_no_violations() -> None:
    assert messages({"symbol": "ETH", "limit": 5.0, "at": "2026-01-01T00:00:00Z", "ids": [1, 2]}) == {}


def test_every_violation_has_the_pointer_of_its_place() -> None:
    value = {"limit": "5", "metric": "x", "unknown": 1, "filter": {"deep/er": "x", "b": 1}, "ids": [1, "x"]}
    assert messages(value) == {
        "/symbol": "is required",
        "/limit": "must be an integer",
        "/metric": 'must be one of "sharpe", "return"',
        "/unknown": "is not known",
        "/filter/deep~1er": "must be an integer",
        "/filter/b": "is not known",
        "/ids/1": "must be an integer",
    }


@pytest.mark.parametrize(
    "member,message",
    [
        ({"symbol": "eth"}, "must match the pattern ^[A-Z]+$"),
        ({"symbol": "E"}, "must have at least 2 characters"),
        ({"symbol": "ETHETH"}, "must have at most 5 characters"),
        ({"limit": 0}, "must be at least 1"),
        ({"limit": 101}, "must be at most 100"),
        ({"limit": 5.5}, "must be an integer"),
        ({"limit": True}, "must be an integer"),
        ({"limit": None}, "must be an integer"),
        ({"ratio": 0}, "must be greater than 0"),
        ({"at": "yesterday"}, "must be a valid date-time"),
        ({"ids": [1, 2, 3]}, "must have at most 2 items"),
        ({"ids": [1, 1.0]}, "must not hold the same item twice"),
    ],
)
def test_a_sentence_states_the_requirement(member: JsonObject, message: str) -> None:
    assert message in messages({"symbol": "ETH"} | member).values()


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["limit", "ratio", "maybe"])
def test_a_number_that_is_not_finite_is_a_violation_beside_others(name: str, number: float) -> None:
    assert messages({name: number}) == {f"/{name}": "must be a finite number", "/symbol": "is required"}


def test_two_places_whose_pointers_are_cut_alike_are_two_violations() -> None:
    long = "a" * 300
    faults = VALIDATOR.violations({"symbol": "ETH", f"{long}1": math.nan, f"{long}2": "\ud800", f"{long}3": 1})
    assert sorted(fault.message for fault in faults) == [
        "is not known",
        "must be a finite number",
        "must be valid Unicode text",
    ]
    assert len({fault.at for fault in faults}) == 1
    assert all(len(fault.at) <= 200 for fault in faults)


def test_a_valid_member_is_told_from_an_invalid_one_with_the_same_cut_pointer() -> None:
    long = "a" * 300
    validator = SchemaValidator({"type": "object", "properties": {f"{long}1": {"type": "integer"}}})
    assert validator.valid_members({f"{long}1": "x", f"{long}2": 2}) == {f"{long}2": 2}


def test_text_that_is_not_unicode_is_a_violation() -> None:
    assert messages({"symbol": "\ud800"}) == {"/symbol": "must be valid Unicode text"}
    assert messages({"symbol": "ETH", "filter": {"\ud800": 1}}) == {
        "/filter": "must have names that are valid Unicode text"
    }


def test_deep_nesting_is_a_violation() -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = [nested]
    faults = VALIDATOR.violations({"symbol": "ETH", "ids": nested})
    assert next(iter(faults)).message == f"must not be nested more than {MAX_DEPTH} levels deep"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 1e30])
def test_an_integer_is_at_most_64_bits_wide(number: float) -> None:
    validator = SchemaValidator({"type": "object", "properties": {"default": {"type": "integer"}}})
    assert [violation.at for violation in validator.violations({"default": number})] == ["/default"]


def test_a_long_value_or_name_is_not_echoed() -> None:
    (violation,) = VALIDATOR.violations({"symbol": "ETH", "x" * 10_000: 1})
    assert len(violation.sentence) < 300
    (violation,) = VALIDATOR.violations({"symbol": "secret" * 1000})[:1]
    assert "secret" not in violation.sentence


def test_defaults_are_filled_in_at_every_depth() -> None:
    value = {"symbol": "ETH", "filter": {}}
    assert VALIDATOR.normalise(value) == {
        "symbol": "ETH",
        "limit": 5,
        "metric": "sharpe",
        "filter": {"mode": "all"},
    }
    assert value == {"symbol": "ETH", "filter": {}}


def test_an_integral_number_becomes_an_integer_if_the_schema_wants_one() -> None:
    normalised = VALIDATOR.normalise({"symbol": "ETH", "limit": 5.0, "ratio": 5.0, "ids": [1.0]})
    assert [type(normalised[name]) for name in ("limit", "ratio")] == [int, float]
    assert type(normalised["ids"][0]) is int


def test_a_default_is_not_shared_between_calls() -> None:
    validator = SchemaValidator({"type": "object", "properties": {"list": {"type": "array", "default": []}}})
    validator.normalise({})["list"].append(1)
    assert validator.normalise({}) == {"list": []}


def test_valid_members_are_those_without_a_violation() -> None:
    value = {"symbol": "eth", "ratio": 2, "unknown": 1, "filter": {"b": 1}, "maybe": math.nan}
    assert VALIDATOR.valid_members(value) == {"ratio": 2, "limit": 5, "metric": "sharpe"}
    assert VALIDATOR.valid_members([1]) == {}


class Moment(BaseModel):
    at: AwareDatetime


@pytest.mark.parametrize("text", ["2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z"], ids=["leap second", "year 0"])
def test_a_value_that_a_record_cannot_hold_is_a_violation(text: str) -> None:
    assert SchemaValidator(SCHEMA).violations({"symbol": "ETH", "at": text}) == []
    faults = load_record(Moment, {"at": text})
    assert isinstance(faults, list)
    assert [(fault.at, fault.keyword) for fault in faults] == [("/at", "format")]


@pytest.mark.parametrize("name", ["date", "date-time", "uuid"])
def test_a_checked_format_is_asserted(name: str) -> None:
    (violation,) = SchemaValidator({"type": "string", "format": name}).violations("no such text")
    assert violation.keyword == "format"


@pytest.mark.parametrize("name", ["uri", "email", "ipv4", "time", "regex"])
def test_any_other_format_is_an_annotation_at_every_depth(name: str) -> None:
    text = {"type": ["string", "integer"], "format": name}
    schema = {"properties": {"a": {"items": {"anyOf": [text]}}, "b": text}, "additionalProperties": text}
    validator = SchemaValidator({"type": "object", "propertyNames": {"format": name}, **schema})
    assert validator.violations({"a": ["("], "b": "(", "(": "("}) == []
    assert [each.at for each in validator.violations({"b": None, "(": "("})] == ["/b"]


def test_a_member_with_a_wrong_name_is_a_violation_at_its_own_pointer() -> None:
    schema: JsonObject = {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": True}
    validator = SchemaValidator({"type": "object", "properties": {"tags": schema}})
    violations = validator.violations({"tags": {"a": 1, "B": 2, "c-d": 3}})
    assert [(each.at, each.keyword) for each in violations] == [
        ("/tags/B", "propertyNames"),
        ("/tags/c-d", "propertyNames"),
    ]
    assert violations[0].sentence == "/tags/B has a name that is not allowed"
    assert validator.valid_members({"tags": {"B": 2}}) == {}


def test_a_value_reaches_the_record_as_it_was_sent() -> None:
    moment = load_record(Moment, {"at": "2026-01-01T00:00:00+03:00"})
    assert isinstance(moment, Moment)
    assert moment.at.utcoffset() == timedelta(hours=3)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-200, 200) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
likely = {
    "symbol": st.sampled_from(["ETH", "eth", "E", "TOOLONG"]),
    "limit": st.integers(-1, 102) | st.floats(-1, 102),
    "metric": st.sampled_from(["sharpe", "x"]),
    "ratio": st.floats(-1, 1),
    "filter": st.fixed_dictionaries({}, optional={"deep/er": json_values, "mode": st.text()}),
    "ids": st.lists(st.integers(1, 3), max_size=3),
}
arguments = st.fixed_dictionaries({}, optional=likely | {"other": json_values, "maybe": json_values})


@given(arguments | json_values)
def test_a_validator_agrees_with_an_independent_one(value: Any) -> None:
    independent = list(Draft202012Validator(SCHEMA).iter_errors(value))
    assert bool(VALIDATOR.violations(value)) == bool(independent)


@given(arguments)
def test_normalisation_is_idempotent_and_keeps_values_valid(value: JsonObject) -> None:
    if VALIDATOR.violations(value):
        return
    once = VALIDATOR.normalise(value)
    assert VALIDATOR.normalise(once) == once
    assert VALIDATOR.violations(once) == []
    assert {name: once[name] for name in value if name != "filter"} == {
        name: value[name] for name in value if name != "filter"
    }
