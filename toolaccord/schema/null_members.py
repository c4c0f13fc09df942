"""Null for optional members, taken as absent because some hosts send it for absent ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from toolaccord.json_values import JsonObject
from toolaccord.schema.violation_search import SchemaNode

NullFilter: TypeAlias = Callable[[Any], Any]
"""Returns a value without such nulls; the value itself if it has none. It changes no value."""


def compile_null_filter(schema: Any) -> NullFilter | None:
    """Return the filter of *schema*; None if it would drop nothing.

    A null goes if the schema declares its member, does not require it and does not admit null there. The branches of
    anyOf and oneOf are left as they are, because the value decides between them.
    """
    return (_object_filter(schema) or _array_filter(schema)) if isinstance(schema, dict) else None


def _object_filter(schema: JsonObject) -> NullFilter | None:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    optional = {name: SchemaNode(declared) for name, declared in properties.items() if name not in required}
    members = {name: compile_null_filter(declared) for name, declared in properties.items()}
    others = compile_null_filter(schema.get("additionalProperties"))
    filtered = {name for name, inner in members.items() if inner}
    if not (optional or others or filtered):
        return None

    def filter_object(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        kept = _without_nulls(value, optional)
        changed = {}
        for name in kept if others else filtered & kept.keys():
            inner = members.get(name, others)
            if inner and (member := inner(kept[name])) is not kept[name]:
                changed[name] = member
        return {**kept, **changed} if changed else kept

    return filter_object


def _without_nulls(value: JsonObject, optional: Mapping[str, SchemaNode]) -> JsonObject:
    """Return *value* without each null that the schema of an *optional* member rejects."""
    nulls = [name for name, member in value.items() if member is None and name in optional]
    dropped = {name for name in nulls if not optional[name].validator.is_valid(None)}
    return {name: member for name, member in value.items() if name not in dropped} if dropped else value


def _array_filter(schema: JsonObject) -> NullFilter | None:
    filter_item = compile_null_filter(schema.get("items"))
    if filter_item is None:
        return None

    def filter_array(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        kept = [filter_item(item) for item in value]
        return kept if any(new is not old for new, old in zip(kept, value, strict=True)) else value

    return filter_array
