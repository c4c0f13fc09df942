"""Schemas as the sets of values they admit."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import jsonschema_rs

from codegen.loading.schema_nodes import Schema

NOTHING: Schema = {"not": {}}
"""Admits no value."""
ALL_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
"""Every type of JSON Schema."""


def admits(schema: Schema, value: Any) -> bool:
    """Whether a schema admits a value, formats asserted, as servers do."""
    return validator(text(schema)).is_valid(value)


def covers(outer: Schema, inner: Schema) -> bool:
    """Whether it is proved that a schema admits every value that another one admits."""
    return is_contained(text(inner), text(outer))


def text(schema: Schema) -> str:
    """A schema as a text, by which what was made of it is remembered."""
    return json.dumps(schema)


@lru_cache(maxsize=4096)
def is_contained(inner: str, outer: str) -> bool:
    """Whether that is proved of the texts of two schemas."""
    return canonical(outer).covers(canonical(inner)) is jsonschema_rs.canonical.Containment.YES


@lru_cache(maxsize=4096)
def validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    """The validator of a schema without `$schema`."""
    return jsonschema_rs.Draft202012Validator(json.loads(schema), validate_formats=True, offline=True)


@lru_cache(maxsize=4096)
def canonical(schema: str) -> jsonschema_rs.CanonicalSchema:
    """What jsonschema_rs can compare."""
    draft = jsonschema_rs.Draft202012
    return jsonschema_rs.canonicalize(json.loads(schema), draft=draft, validate_formats=True, offline=True)
