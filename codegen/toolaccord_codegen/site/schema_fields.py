"""Schemas as rows of a table: every member, with its limits in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.ir.result_places import ITEMS, ResultPlace, list_alternatives
from toolaccord_codegen.ir.tool import Schema
from toolaccord_codegen.loading.references import list_branches

RANGES = (
    ("minimum", "maximum", "{}"),
    ("minLength", "maxLength", "{} characters"),
    ("minItems", "maxItems", "{} items"),
    ("minProperties", "maxProperties", "{} members"),
)
"""Pairs of lower and upper bounds, with the words around a number."""
BOUNDS = (
    ("exclusiveMinimum", "above {}"),
    ("exclusiveMaximum", "below {}"),
    ("multipleOf", "a multiple of {}"),
)

FLAGS = (("uniqueItems", "no item twice"), ("additionalProperties", "may have other members"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One member of arguments or of a result."""

    name: str
    """The name, or a label for members that have none."""
    pointer: str
    """Its place as a JSON pointer; `*` is every item or every other member."""
    depth: int
    kind: str
    """Its type in words."""
    is_required: bool
    limits: tuple[str, ...]
    values: tuple[str, ...]
    """The allowed values as JSON; empty where the type alone limits them."""
    pattern: str
    description: str
    unit: str
    default: str | None
    """Its default as JSON."""


def list_fields(schema: Schema, pointer: str = "", depth: int = 0) -> Iterator[Field]:
    """List the members of an object, each followed by its own members."""
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        yield from _list_field(name, member, join_pointer(pointer, name), depth, is_required=name in required)
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        yield from _list_field("any other name", others, f"{pointer}/{ITEMS}", depth)


def list_result_fields(schema: Schema) -> list[Field]:
    """List the members of a result, or the result itself where it is no object with members."""
    return list(list_fields(schema)) or list(_list_field("result", schema, "", 0, is_required=True))


def _list_field(name: str, schema: Schema, pointer: str, depth: int, *, is_required: bool = False) -> Iterator[Field]:
    """List one member, then the members of its value, of its items and of its alternatives."""
    yield Field(
        name=name,
        pointer=pointer,
        depth=depth,
        kind=describe_kind(schema),
        is_required=is_required,
        limits=tuple(list_limits(schema)),
        values=tuple(map(format_value, _find_values(schema))),
        pattern=str(schema.get("pattern", "")),
        description=str(schema.get("description", "")),
        unit=ResultPlace(pointer, tuple(list_alternatives(schema))).unit,
        default=format_value(schema["default"]) if "default" in schema else None,
    )
    while isinstance(schema.get("items"), Mapping):
        schema, pointer = schema["items"], f"{pointer}/{ITEMS}"
    yield from list_fields(schema, pointer, depth + 1)
    for number, branch in enumerate(list_branches(schema), 1):
        if "properties" in branch or "items" in branch:
            yield from _list_field(f"alternative {number}", branch, pointer, depth + 1)


def describe_kind(schema: Schema) -> str:
    """Describe the type of a value in words."""
    given = schema.get("type")
    if given is None:
        branches = dict.fromkeys(map(describe_kind, list_branches(schema)))
        return " or ".join(branches) or ("constant" if "const" in schema else "any JSON")
    types = [given] if isinstance(given, str) else list(given)
    return " or ".join(_describe_type(each, schema) for each in types)


def _describe_type(name: str, schema: Schema) -> str:
    """Describe one type, with the format of a text and the items of an array."""
    if name == "array" and isinstance(schema.get("items"), Mapping):
        first, *rest = describe_kind(schema["items"]).split(" ", 1)
        return " ".join(["array of", first if first == "any" else f"{first}s", *rest])
    return f"{name} ({schema['format']})" if name == "string" and "format" in schema else name


def list_limits(schema: Schema) -> Iterator[str]:
    """List the constraints of a value in words."""
    for lower, upper, words in RANGES:
        if lower in schema or upper in schema:
            yield _describe_range(schema.get(lower), schema.get(upper), words)
    yield from (words.format(format_number(schema[key])) for key, words in BOUNDS if key in schema)
    yield from (words for key, words in FLAGS if schema.get(key) is True)
    if schema.get("x-extensible-enum"):
        yield _describe_growth(schema)
    for key, whose in (("items", "each item"), ("propertyNames", "each name")):
        if isinstance(schema.get(key), Mapping):
            yield from (f"{whose}: {limit}" for limit in _list_item_limits(schema[key]))
    for branch in list_branches(schema):
        yield from (f"{describe_kind(branch)}: {limit}" for limit in _list_item_limits(branch))


def _describe_growth(schema: Schema) -> str:
    """Describe an enum that may grow."""
    unknown = f", which count as {format_value(schema['x-unknown'])}" if "x-unknown" in schema else ""
    return f"later versions may have more values{unknown}"


def _list_item_limits(schema: Schema) -> Iterator[str]:
    """List the constraints of a value that has no row of its own."""
    yield from list_limits(schema)
    if "pattern" in schema:
        yield f"matches {schema['pattern']}"
    if values := _find_values(schema):
        yield f"one of {', '.join(map(format_value, values))}"


def _describe_range(lower: Any, upper: Any, words: str) -> str:
    """Describe a range whose bounds are included."""
    if lower is None:
        return f"at most {_count(upper, words)}"
    if upper is None:
        return f"at least {_count(lower, words)}"
    if lower == upper:
        return f"exactly {_count(lower, words)}"
    return words.format(f"{format_number(lower)} to {format_number(upper)}")


def _count(number: float, words: str) -> str:
    """Write a number with the words around it, which are plural."""
    text = words.format(format_number(number))
    return text.removesuffix("s") if number == 1 else text


def _find_values(schema: Schema) -> list[Any]:
    """Return the allowed values of an enum or a const."""
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def format_number(value: float) -> str:
    """Format a number with commas between thousands."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"


def format_value(value: Any) -> str:
    """Format a value as JSON."""
    return json.dumps(value, ensure_ascii=False)
