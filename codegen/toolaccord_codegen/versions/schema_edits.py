"""Extract and insert parts of object schemas at paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from toolaccord.semantics.version_steps import EACH, Tokens
from toolaccord_codegen.loading.references import UNIONS, as_array, as_object
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.schema_sets.containment import NOTHING
from toolaccord_codegen.schema_sets.samples import branches

Draft = dict[str, Any]
"""A schema under construction."""
EMPTY_OBJECT: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
"""The schema of an object created on the way to a path."""


@dataclass(frozen=True, slots=True)
class Part:
    """The schema of a place, as extracted from a path or to be inserted at one."""

    schema: Draft | None
    """None if there is never a value at the path."""
    required: bool
    """True if there is always a value: in every item of the innermost array, or in every value."""
    is_exclusive: bool = False
    """True if no other step creates the same objects on the way."""
    is_constant: bool = False
    """True if it is inserted only where the surrounding object exists."""


NOT_THERE = Part(None, required=False)


def extract(schema: Schema, path: Tokens) -> tuple[Draft, Part]:
    """Return a schema without the part at a path, and that part."""
    if any(key in schema for key in UNIONS):
        pairs = [extract(branch, path) for branch in branches(schema)]
        known = [found.schema for _, found in pairs if found.schema is not None]
        required = all(found.required for _, found in pairs)
        return any_of(rest for rest, _ in pairs), Part(any_of(known), required=required) if known else NOT_THERE
    name, inner = path[0], path[1:]
    if name == EACH:
        return _extract_from_items(schema, inner)
    properties = as_object(schema.get("properties"))
    is_required = name in as_array(schema.get("required")) and schema.get("type") == "object"
    if not inner:
        others = schema.get("additionalProperties", True)
        unnamed: Draft | None = None if others is False else {} if others is True else as_object(others)
        member = properties.get(name, unnamed)
        return _without_member(schema, name), Part(member, required=is_required) if member is not None else NOT_THERE
    if name not in properties:
        return dict(schema), NOT_THERE
    rest, found = extract(properties[name], inner)
    whole = {**schema, "properties": {**properties, name: rest}}
    return whole, Part(found.schema, required=found.required and (is_required or EACH in inner))


def _extract_from_items(schema: Schema, inner: Tokens) -> tuple[Draft, Part]:
    """Return an array schema without a part of its items, and that part.

    An empty path extracts the items themselves.
    """
    items = as_object(schema.get("items"))
    if not inner:
        return {**schema, "items": {}}, Part(items, required=True)
    rest, found = extract(items, inner)
    return {**schema, "items": rest}, found


def _without_member(schema: Schema, name: str) -> Draft:
    """Return an object schema that forbids a member."""
    properties = {each: part for each, part in as_object(schema.get("properties")).items() if each != name}
    if schema.get("additionalProperties", True) is not False:
        properties[name] = dict(NOTHING)
    required = [each for each in as_array(schema.get("required")) if each != name]
    return {**schema, "properties": properties, "required": required}


def any_of(alternatives: Iterable[Draft]) -> Draft:
    """Return a schema that admits the values of all alternatives."""
    known = list(alternatives)
    return known[0] if len(known) == 1 else {"anyOf": known}


def insert(schema: Schema, path: Tokens, found: Part) -> Draft:
    """Insert a part into a schema at a path. A constant creates no objects on the way."""
    if any(key in schema for key in UNIONS):
        return any_of(insert(branch, path, found) for branch in branches(schema))
    name, inner = path[0], path[1:]
    if name == EACH:
        items = as_object(schema.get("items"))
        return {**schema, "items": insert(items, inner, found) if inner else found.schema or {}}
    if not inner:
        return _with_member(schema, name, found.schema, required=found.required)
    if found.is_constant or EACH in inner:
        return _insert_into_existing(schema, path, found)
    return _insert_through_objects(schema, path, found)


def _insert_into_existing(schema: Schema, path: Tokens, found: Part) -> Draft:
    """Insert a part below a member, if the schema has it. Nothing on the way is created."""
    name, inner = path[0], path[1:]
    member = as_object(schema.get("properties")).get(name)
    if member is None:
        return dict(schema)
    return _with_member(schema, name, insert(member, inner, found), required=name in as_array(schema.get("required")))


def _insert_through_objects(schema: Schema, path: Tokens, found: Part) -> Draft:
    """Insert a part below a member that is an object, which is created where absent."""
    name, inner = path[0], path[1:]
    properties, required = as_object(schema.get("properties")), as_array(schema.get("required"))
    if found.schema is None and name not in properties:
        return dict(schema)
    member = properties.get(name)
    if member is None and schema.get("additionalProperties", True) is not False:
        return _with_member(schema, name, {}, required=found.required)  # an unnamed member may already have the name
    if member is None or member == NOTHING:
        created = insert(EMPTY_OBJECT, inner, replace(found, required=found.required or found.is_exclusive))
        return _with_member(schema, name, created, required=found.required)
    if name not in required:  # a created object has no other members
        member = {**member, "required": []}
    return _with_member(schema, name, insert(member, inner, found), required=name in required or found.required)


def _with_member(schema: Schema, name: str, part: Draft | None, *, required: bool) -> Draft:
    """Return an object schema that has a member, or forbids it where *part* is None."""
    rest = _without_member(schema, name)
    if part is None:
        return rest
    names = [*rest["required"], *([name] if required else [])]
    return {**rest, "properties": {**rest["properties"], name: part}, "required": names}
