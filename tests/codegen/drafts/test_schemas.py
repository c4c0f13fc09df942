"""Schemas from elsewhere become schemas of the language."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.codegen.drafts.compiling import SCHEMAS, compile_draft, draft_tool
from toolaccord_codegen.drafts.definitions import LARGEST

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
TEXT = {"type": "string"}
CASES: dict[str, tuple[Any, Any, list[tuple[str, str]]]] = {
    "a subset of the language stays as it is": (
        {"type": ["string", "null"], "pattern": "^a", "default": None, "description": "D.", "x-note": 1},
        {"type": ["string", "null"], "pattern": "^a", "default": None, "description": "D.", "x-note": 1},
        [],
    ),
    "allOf becomes one schema": (
        {"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "minimum": 3, "maximum": 9}], "maximum": 7},
        {"maximum": 7, "type": "integer", "minimum": 3},
        [("allOf", "same"), ("allOf", "same")],
    ),
    "an allOf of one schema gives it its place": (
        {"allOf": [{"$ref": "#/$defs/A"}], "description": "Mine."},
        {"type": "string", "description": "Mine."},
        [("allOf", "same")],
    ),
    "keywords without a counterpart are dropped": (
        {"type": "array", "items": TEXT, "uniqueItems": True, "contains": TEXT},
        {"type": "array", "items": TEXT},
        [("uniqueItems", "wider"), ("contains", "wider")],
    ),
    "a keyword that rejects nothing is no loss for callers": (
        {"type": "array", "items": TEXT, "uniqueItems": False},
        {"type": "array", "items": TEXT},
        [("uniqueItems", "same")],
    ),
    "nullable of OpenAPI becomes the type null": (
        {"type": "string", "enum": ["a"], "nullable": True},
        {"type": ["string", "null"], "enum": ["a", None]},
        [("nullable", "same")],
    ),
    "exclusive bounds of draft 4 become bounds": (
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        {"type": "integer", "exclusiveMinimum": 0},
        [("exclusiveMinimum", "same")],
    ),
    "a tuple becomes an array of alternatives": (
        {"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False},
        {"type": "array", "maxItems": 2, "items": {"anyOf": [TEXT, {"type": "integer"}]}},
        [("prefixItems", "wider"), ("items", "same")],
    ),
    "a map by pattern keeps its meaning": (
        {"type": "object", "patternProperties": {"^[a-z]+$": TEXT}, "additionalProperties": False},
        {
            "type": "object",
            "additionalProperties": TEXT,
            "propertyNames": {"type": "string", "pattern": "^[a-z]+$"},
        },
        [("patternProperties", "same")],
    ),
    "a pattern of Python becomes one of ECMAScript": (
        {"type": "string", "pattern": r"\A(?P<y>\d+)\Z"},
        {"type": "string", "pattern": r"^(?<y>\d+)$"},
        [("pattern", "same")],
    ),
    "a pattern that hosts cannot read is dropped": (
        {"type": "string", "pattern": "(?i)a"},
        TEXT,
        [("pattern", "wider")],
    ),
    "a pattern with a back reference is dropped": (
        {"type": "string", "pattern": r"^(a+)\1+b$"},
        TEXT,
        [("pattern", "wider")],
    ),
    "a pattern with look-around is dropped": (
        {"type": "string", "pattern": "(?=.*x)y"},
        TEXT,
        [("pattern", "wider")],
    ),
    "a default that breaks its schema is dropped": (
        {"type": "string", "default": None},
        TEXT,
        [("default", "same")],
    ),
    "values of another type leave an enum": (
        {"type": "string", "enum": ["a", 1]},
        {"type": "string", "enum": ["a"]},
        [("enum", "same")],
    ),
    "a number beyond 64 bits is dropped": (
        {"type": "integer", "maximum": 2**64},
        {"type": "integer"},
        [("maximum", "wider")],
    ),
    "a schema that leads back to itself ends": (
        {"$ref": "#/$defs/Tree"},
        {"$ref": "#/$defs/Tree"},
        [("$ref", "wider")],
    ),
    "a reference that leads nowhere admits anything": (
        {"$ref": "#/$defs/Missing"},
        {},
        [("$ref", "wider")],
    ),
    "keywords beside a reference are merged with its schema": (
        {"$ref": "#/$defs/A", "maxLength": 3},
        {"maxLength": 3, "type": "string"},
        [("$ref", "same")],
    ),
}
DEFINITIONS = {
    "A": TEXT,
    "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}},
}


@settings(max_examples=25)
@given(SCHEMAS, SCHEMAS)
def test_any_schema_becomes_a_contract_that_compiles(parameters: Any, returns: Any) -> None:
    assert compile_draft(draft_tool(parameters, returns)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_schema_keeps_what_the_language_can_express(name: str) -> None:
    original, expected, losses = CASES[name]
    root = {"type": "object", "properties": {"a": original}, "additionalProperties": False, "$defs": DEFINITIONS}
    draft = draft_tool(root)
    assert draft.contract["tools"][0]["parameters"]["properties"]["a"] == expected
    assert [(loss.keyword, loss.effect) for loss in draft.losses] == losses
    assert compile_draft(draft) == []


def test_a_loss_names_its_place_in_the_original() -> None:
    schema = {"type": "object", "properties": {"a/b": {"items": {"not": {}}}}, "additionalProperties": False}
    (loss,) = draft_tool(schema).losses
    assert (loss.owner, loss.pointer) == ("tool search", "/inputSchema/properties/a~1b/items/not")
    assert loss.effect == "wider"


def test_arguments_that_decide_on_no_others_are_closed_which_is_reported() -> None:
    draft = draft_tool({"type": "object", "required": ["a"]})
    parameters = draft.contract["tools"][0]["parameters"]
    assert parameters == {"type": "object", "required": ["a"], "properties": {"a": {}}, "additionalProperties": False}
    assert [(loss.keyword, loss.effect) for loss in draft.losses] == [("additionalProperties", "narrower")]
    assert draft_tool({"type": "object", "additionalProperties": True}).losses == ()


def test_alternatives_of_arguments_become_one_object() -> None:
    one = {"properties": {"a": TEXT, "b": TEXT}, "required": ["a", "b"]}
    two = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    draft = draft_tool({"type": "object", "anyOf": [one, two]})
    parameters = draft.contract["tools"][0]["parameters"]
    assert parameters["properties"] == {"a": {"anyOf": [TEXT, {"type": "integer"}]}, "b": TEXT}
    assert parameters["required"] == ["a"]
    assert ("anyOf", "wider") in [(loss.keyword, loss.effect) for loss in draft.losses]


def test_definitions_that_multiply_are_cut_where_they_are_largest() -> None:
    levels = 12
    definitions: dict[str, Any] = {
        f"D{n}": {"type": "object", "properties": {x: {"$ref": f"#/$defs/D{n + 1}"} for x in "ab"}}
        for n in range(levels)
    }
    definitions[f"D{levels}"] = TEXT
    root = {"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "additionalProperties": False}
    draft = draft_tool(root | {"$defs": definitions})
    assert 2**levels > LARGEST
    assert {(loss.keyword, loss.effect) for loss in draft.losses} == {("$ref", "wider")}
    assert compile_draft(draft) == []
