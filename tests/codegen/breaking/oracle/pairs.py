"""Draw pairs of schemas: a random schema, and the same one with a few changes."""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from hypothesis import strategies as st

from toolaccord_codegen.loading.reading import parse_document
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.schema_nodes import Place, SchemaNode

Schema: TypeAlias = dict[str, Any]
NAMES = ["a", "b", "c"]
NAME = "shop/stock.json"
FORMATS = ["date", "date-time", "uuid"]
WORD_BOUNDARY = r"\\b"
"""Part of a pattern, in JSON, which has the same texts without it.

The comparison does not read it.
"""
PATTERNS = [
    "^a",
    "^[a-z]+$",
    "^[a-z]{1,3}$",
    "^(a|b)$",
    "b$",
    "^[A-Z]{2}/[A-Z]{3}$",
    ".*",
    r"^\bab$",
    "^\\d{4}-\\d{2}-\\d{2}$",
]
SIMPLE_SCHEMAS: list[Schema] = [
    {}, {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]},
    {"type": ["integer", "string"]}, {"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "ab", "AB"]}, {"const": "a"}, {"enum": [1, 2.0, "a", None]},
    {"enum": [0, 1]}, {"enum": [False, 1]}, {"const": True}, {"const": {"a": 1}}, {"type": "integer", "multipleOf": 1.5},
    {"type": "integer", "minimum": 0, "maximum": 5}, {"type": "number", "exclusiveMinimum": 0, "maximum": 2.5}, {"type": "integer", "multipleOf": 2},
    {"type": "string", "minLength": 1, "maxLength": 3}, {"type": "string", "pattern": "^[a-z]{1,3}$", "maxLength": 3},
    *({"type": "string", "format": name} for name in FORMATS), *({"type": "string", "pattern": pattern} for pattern in PATTERNS),
]  # fmt: skip
KEYWORDS: list[tuple[str, list[Any]]] = [
    ("type", ["string", "integer", "number", "null", "array", "object", ["string", "null"], ["integer", "null"]]),
    ("minimum", [-1, 0, 1, 2.5]), ("maximum", [1, 2, 5]), ("exclusiveMinimum", [0, 1]), ("exclusiveMaximum", [2, 5]), ("multipleOf", [1, 2, 4, 0.5, 1.5]),
    ("minLength", [0, 1, 2]), ("maxLength", [1, 2, 3]), ("pattern", PATTERNS), ("format", FORMATS), ("minItems", [0, 1, 2]),
    ("maxItems", [1, 2, 3]), ("enum", [["a"], ["a", "b", None], [1, 2], [0, 1], [False, True]]), ("const", ["a", 1, True, {"a": True}]), ("required", [[], ["a"], ["a", "b"], ["d"]]),
    ("additionalProperties", [True, False, {"type": "integer"}]), ("default", ["a", 1]), ("description", ["one", "two"]),
]  # fmt: skip


@cache
def schemas() -> st.SearchStrategy[Schema]:
    """Draw small schemas of every kind in the contract language."""
    return st.recursive(st.sampled_from(SIMPLE_SCHEMAS).map(deepcopy), holders, max_leaves=5)


def holders(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Draw objects, arrays and unions of schemas."""
    return (
        st.builds(
            lambda members, required, others: {
                "type": "object",
                "properties": members,
                "required": required,
                "additionalProperties": others,
            },
            st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
            st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            st.sampled_from([True, False]) | inner,
        )
        | st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 2))
        | st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(["anyOf", "oneOf"]),
            st.lists(inner, min_size=1, max_size=3),
        )
        | st.lists(inner, min_size=2, max_size=3).map(tagged_union)
    )


def tagged_union(values: list[Schema]) -> Schema:
    """Return a union of objects that are told apart by their member `kind`."""
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": name}, "a": value},
                "required": ["kind"],
                "additionalProperties": False,
            }
            for name, value in zip(NAMES, values, strict=False)
        ]
    }


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """Draw a schema, and the same schema with one to three changes."""
    old = draw(schemas())
    new = deepcopy(old)
    for _ in range(draw(st.integers(1, 3))):
        change(draw, draw(st.sampled_from(list(parts(new)))))
    return old, new


@dataclass(frozen=True, slots=True)
class Written:
    """A schema as an author may write it, with references, and its inlined form."""

    schema: Schema
    defs: dict[str, Schema]
    inlined: Schema

    @property
    def node(self) -> SchemaNode:
        """The schema as the checker reads it."""
        document = parse_document(json.dumps({"$defs": self.defs}), NAME, NAME, [])
        assert document
        return SchemaNode.of(SchemaLibrary({NAME: document}), Place(document, ""), self.schema)


@st.composite
def written(draw: st.DrawFn, pair: tuple[Schema, Schema]) -> tuple[Written, Written]:
    """Draw two schemas with different parts moved into references."""
    chooser = random.Random(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.0, 0.3]))

    def move(schema: Schema, defs: dict[str, Schema]) -> Schema:
        rewritten = {key: inside(key, value, defs) for key, value in schema.items()}
        if chooser.random() >= share:
            return rewritten
        name = f"S{len(defs)}"
        defs[name] = rewritten
        return {"$ref": f"#/$defs/{name}"}

    def inside(key: str, value: Any, defs: dict[str, Schema]) -> Any:
        if key == "properties":
            return {name: move(part, defs) for name, part in value.items()}
        if key in {"anyOf", "oneOf"}:
            return [move(part, defs) for part in value]
        return move(value, defs) if key in {"items", "additionalProperties"} and isinstance(value, dict) else value

    def write(schema: Schema) -> Written:
        defs: dict[str, Schema] = {}
        return Written(move(schema, defs), defs, schema)

    return write(pair[0]), write(pair[1])


def parts(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and every schema inside it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    for part in [*inner, *schema.get("anyOf", []), *schema.get("oneOf", [])]:
        if isinstance(part, dict):
            yield from parts(part)


def change(draw: st.DrawFn, schema: Schema) -> None:
    """Change one thing in a schema."""
    kind = draw(st.sampled_from(["set", "drop", "member", "branch", "order", "value", "other"]))
    if kind == "drop" and schema:
        del schema[draw(st.sampled_from(sorted(schema)))]
    elif kind == "member" and "properties" in schema:
        name = draw(st.sampled_from([*NAMES, "d"]))
        if schema["properties"].pop(name, None) is None:
            schema["properties"][name] = draw(schemas())
    elif kind in {"branch", "order"} and ("anyOf" in schema or "oneOf" in schema):
        change_branches(draw, schema["anyOf" if "anyOf" in schema else "oneOf"], is_order=kind == "order")
    elif kind == "value" and "enum" in schema:
        schema["enum"] = [*schema["enum"][1:], draw(st.sampled_from(["c", 7]))]
    elif kind == "other":
        other = draw(schemas())
        schema.clear()
        schema.update(other)
    else:
        key, values = draw(st.sampled_from(KEYWORDS))
        schema[key] = deepcopy(draw(st.sampled_from(values)))


def change_branches(draw: st.DrawFn, branches: list[Schema], *, is_order: bool) -> None:
    """Reverse the alternatives of a union, or take one away, or add one."""
    if is_order:
        branches.reverse()
    elif len(branches) > 1 and draw(st.booleans()):
        branches.pop()
    else:
        branches.append(draw(schemas()))
