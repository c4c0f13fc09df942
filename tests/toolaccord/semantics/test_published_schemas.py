"""Prove that a published schema says the same as the contract's, with one type in each part."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.contracts import Oracle
from toolaccord.semantics.published_schemas import publish_schema

VALUES: list[Any] = [None, True, 1, 1.5, -1, "", "a", "ab", [], [1], [None], {}, {"a": 1}, {"a": "x"}, {"b": None}]
SCHEMAS: list[dict[str, Any]] = [
    {},
    {"description": "anything"},
    {"type": ["number", "null"], "minimum": 0},
    {"type": ["integer", "string"], "maximum": 1, "maxLength": 1},
    {"type": ["null", "object"], "properties": {"a": {}}, "required": ["a"], "additionalProperties": False},
    {"type": ["string", "null"], "enum": ["a", None]},
    {"type": ["string", "array"], "anyOf": [{"maxLength": 1}, {"minItems": 1}], "items": {"type": ["null", "number"]}},
    {"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
    {"type": "array", "items": {}},
    {"oneOf": [{"type": ["string", "null"]}, {"minimum": 1, "type": "number"}]},
]


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema in a schema."""
    yield schema
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from parts(schema[key])
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("properties", {}).values()):
        yield from parts(part)


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_a_published_schema_admits_the_same_values(schema: dict[str, Any]) -> None:
    before, after = Oracle(schema), Oracle(publish_schema(schema))
    admitted = [value for value in VALUES if before.is_valid(value)]
    assert [value for value in VALUES if after.is_valid(value)] == admitted


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_each_part_of_a_published_schema_has_one_type_or_alternatives(schema: dict[str, Any]) -> None:
    for part in parts(publish_schema(schema)):
        assert not isinstance(part.get("type"), list)
        assert part.keys() & {"type", "anyOf", "oneOf", "minLength", "maxLength", "minItems"}


def test_a_keyword_stands_beside_the_type_that_it_restricts_and_the_description_outside() -> None:
    assert publish_schema({"type": ["number", "null"], "minimum": 0, "description": "Seconds"}) == {
        "description": "Seconds",
        "anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}],
    }


def test_names_of_members_stand_beside_the_type_object() -> None:
    assert publish_schema({"type": ["object", "null"], "propertyNames": {"pattern": "^a"}}) == {
        "anyOf": [{"type": "object", "propertyNames": {"pattern": "^a"}}, {"type": "null"}]
    }


def test_a_schema_with_one_type_is_published_as_it_is_written() -> None:
    schema = {"description": "A count", "type": "integer", "default": 5, "examples": [{"type": ["a"]}]}
    assert json.dumps(publish_schema(schema)) == json.dumps(schema)
