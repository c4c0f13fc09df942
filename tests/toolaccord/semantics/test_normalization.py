from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from toolaccord.json_values import JsonObject
from toolaccord.semantics.normalization import InstantUnit, compile_normaliser, is_integer, round_down

NAMES = st.sampled_from("abc")
TYPES = st.sampled_from(["integer", "number", "string", "object", "array", ["integer", "null"], ["integer", "number"]])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.integers(-9, 9).map(float) | st.just("x"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
SCHEMAS = st.recursive(
    st.booleans() | st.fixed_dictionaries({}, optional={"type": TYPES, "default": VALUES}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES,
            "default": VALUES,
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, max_size=2),
            "allOf": st.lists(inner, max_size=2),
        },
    ),
    max_leaves=8,
)


def interpret(schema: Any, value: Any) -> Any:
    """Return *value* normalised, by reading the schema from top to bottom."""
    if not isinstance(schema, dict):
        return value
    for part in schema.get("allOf", ()):
        value = interpret(part, value)
    if isinstance(value, dict):
        return interpret_object(schema, value)
    if isinstance(value, list):
        first, rest = schema.get("prefixItems", []), schema.get("items")
        return [interpret(first[at] if at < len(first) else rest, item) for at, item in enumerate(value)]
    return int(value) if isinstance(value, float) and is_integer(schema.get("type")) else value


def interpret_object(schema: JsonObject, value: JsonObject) -> JsonObject:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    defaults = {
        name: declared["default"]
        for name, declared in properties.items()
        if isinstance(declared, dict) and "default" in declared
    }
    return {
        name: interpret(properties.get(name, others), member)
        for name, member in (value | {name: each for name, each in defaults.items() if name not in value}).items()
    }


@given(SCHEMAS, VALUES)
def test_a_compiled_normaliser_agrees_with_an_interpreter_and_leaves_the_value_alone(schema: Any, value: Any) -> None:
    before, normalise = deepcopy(value), compile_normaliser(schema)
    # repr tells 5 from 5.0, and has the order of names
    assert repr(normalise(value) if normalise else value) == repr(interpret(schema, value))
    assert repr(value) == repr(before)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "array", "items": {"type": "number"}},
        {"anyOf": [{"type": "integer"}]},
    ],
)
def test_a_schema_that_changes_no_value_has_no_normaliser(schema: JsonObject) -> None:
    assert compile_normaliser(schema) is None


INSTANT: JsonObject = {"type": "string", "format": "date-time"}


@pytest.mark.parametrize("schema, wrap", [(INSTANT, lambda text: text), ({"items": INSTANT}, lambda text: [text])])
def test_equal_instants_become_one_text(schema: JsonObject, wrap: Callable[[str], Any]) -> None:
    normalise = compile_normaliser(schema)
    assert normalise
    for text in ("12:00:00Z", "12:00:00.000Z", "12:00:00+00:00", "12:00:00-00:00", "15:00:00+03:00", "12:00:00z"):
        assert normalise(wrap(f"2026-11-21T{text}")) == wrap("2026-11-21T12:00:00Z")


@given(st.datetimes(timezones=st.just(UTC)), st.integers(-1439, 1439))
def test_an_instant_stays_the_same_moment_in_any_offset(moment: datetime, offset_min: int) -> None:
    normalise = compile_normaliser(INSTANT)
    assert normalise
    try:
        text = moment.astimezone(timezone(timedelta(minutes=offset_min))).isoformat()
    except OverflowError:
        reject()
    assert normalise(text) == normalise(moment.isoformat()) == moment.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("text", ["2026-12-31T23:59:60Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", 5])
def test_what_no_record_holds_in_utc_stays_as_it_is(text: Any) -> None:
    normalise = compile_normaliser(INSTANT)
    assert normalise
    assert normalise(text) == text
    assert round_down("2026-12-31T23:59:60Z", "minute") == "2026-12-31T23:59:60Z"


@pytest.mark.parametrize(
    "unit, begin", [("second", "12:34:56Z"), ("minute", "12:34:00Z"), ("hour", "12:00:00Z"), ("day", "00:00:00Z")]
)
def test_an_instant_is_rounded_down_to_its_unit(unit: InstantUnit, begin: str) -> None:
    assert round_down("2026-11-21T12:34:56.789Z", unit) == f"2026-11-21T{begin}"


def test_a_default_is_not_shared_between_values_at_any_depth() -> None:
    normalise = compile_normaliser(
        {"properties": {"a": {"default": {"b": [1.0]}, "properties": {"b": {"items": {"type": "integer"}}}}}}
    )
    assert normalise
    normalise({})["a"]["b"].append(2)
    assert normalise({}) == {"a": {"b": [1]}}
