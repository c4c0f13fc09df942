from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpact.json_values import JsonObject
from toolpact.semantics.normalization import compile_normaliser, is_integer

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


def test_a_default_is_not_shared_between_values_at_any_depth() -> None:
    normalise = compile_normaliser(
        {"properties": {"a": {"default": {"b": [1.0]}, "properties": {"b": {"items": {"type": "integer"}}}}}}
    )
    assert normalise
    normalise({})["a"]["b"].append(2)
    assert normalise({}) == {"a": {"b": [1]}}
