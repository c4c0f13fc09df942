"""Tests of repeated parts of schemas: each gets a name, and the schemas keep their meaning."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolaccord_codegen.emit.schema_parts import SHORTEST, PartStyle, share_parts
from toolaccord_codegen.loading.references import subschemas

STYLE = PartStyle(join=lambda words: "_".join(words).replace(" ", "_"), refer=lambda name: {"$ref": name})
LONG = "A sentence that is long enough for a part to get a name of its own in a generated file."
SYMBOL = {"type": "string", "description": LONG}
LEAVES = st.sampled_from(
    [SYMBOL, {"type": "integer", "description": LONG}, {"type": "boolean"}, {"enum": [1, {"a": 1}]}]
)
NAMES = st.sampled_from(["symbol", "start", "A_symbol", "symbol_item"])
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda members: {"type": "object", "properties": members}, st.dictionaries(NAMES, inner, max_size=3)),
        st.builds(lambda item: {"type": "array", "items": item}, inner),
        st.builds(lambda value: {"type": "object", "additionalProperties": value}, inner),
        st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=12,
)
ROOTS = st.dictionaries(st.sampled_from("ABCD"), SCHEMAS, min_size=1)


def expand(value: Any, parts: dict[str, Any]) -> Any:
    """Return a value with the named parts in place of the references."""
    if isinstance(value, dict):
        return (
            expand(parts[value["$ref"]], parts) if "$ref" in value else {k: expand(v, parts) for k, v in value.items()}
        )
    return [expand(part, parts) for part in value] if isinstance(value, list) else value


@given(ROOTS)
def test_schemas_keep_their_text_when_references_are_followed(roots: dict[str, Any]) -> None:
    parts = share_parts(roots, STYLE)
    assert {name: json.dumps(expand(parts[name], parts)) for name in roots} == {
        name: json.dumps(schema) for name, schema in roots.items()
    }


@given(ROOTS)
def test_no_long_part_occurs_twice(roots: dict[str, Any]) -> None:
    found = Counter(
        text
        for schema in share_parts(roots, STYLE).values()
        for _, part in subschemas(schema, "")
        if len(text := json.dumps(part)) >= SHORTEST
    )
    assert not [text for text, number in found.items() if number > 1]


@given(ROOTS)
def test_a_schema_comes_after_those_that_it_refers_to(roots: dict[str, Any]) -> None:
    known: set[str] = set()
    for name, schema in share_parts(roots, STYLE).items():
        assert {part["$ref"] for _, part in subschemas(schema, "") if "$ref" in part} <= known
        known.add(name)


def test_a_part_is_named_after_its_member_and_after_those_above_where_that_name_is_taken() -> None:
    other = {"type": "string", "description": LONG + " It differs."}
    ask = {"type": "object", "properties": {"symbol": SYMBOL, "bid": {"properties": {"symbol": other}}}}
    tell = {"type": "array", "items": {"anyOf": [SYMBOL, other]}}
    parts = share_parts({"Ask": ask, "Tell": tell}, STYLE)
    assert list(parts) == ["symbol", "bid_symbol", "Ask", "Tell"]


def test_a_schema_that_equals_another_is_a_reference_to_it() -> None:
    parts = share_parts(
        {"New": {"items": SYMBOL}, "Old": {"items": SYMBOL}, "Whole": {"items": {"items": SYMBOL}}}, STYLE
    )
    assert parts == {"New": {"items": SYMBOL}, "Old": {"$ref": "New"}, "Whole": {"items": {"$ref": "New"}}}
