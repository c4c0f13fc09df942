"""Compare schemas by the sets of values that they admit."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import jsonschema_rs

from codegen.loading.schema_nodes import Schema

NOTHING: Schema = {"not": {}}
"""Admits no value."""
REWRITTEN = re.compile(r'"(pattern|format|multipleOf)"')
"""Keywords that `jsonschema_rs` may compare by their text, not by their values."""
ALL_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
"""Every type of JSON Schema."""


def admits(schema: Schema, value: Any) -> bool:
    """Return True if a schema admits a value. Formats are asserted, as in servers."""
    return compile_validator(schema).is_valid(value)


def covers(outer: Schema, inner: Schema) -> bool:
    """Return True if *outer* provably admits every value that *inner* admits."""
    texts = json.dumps(inner), json.dumps(outer)
    return _is_contained(*texts) or (any(map(REWRITTEN.search, texts)) and _is_contained_by_classes(*texts))


def compile_validator(schema: Schema) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema without `$schema`. Equal schemas share one."""
    return _validator_of_text(json.dumps(schema))


def canonicalize(schema: Schema) -> jsonschema_rs.CanonicalSchema:
    """Return the canonical form of a schema.

    Raises ValueError where a pattern cannot be compiled.
    """
    return _canonical_of_text(json.dumps(schema))


@lru_cache(maxsize=4096)
def _is_contained(inner: str, outer: str) -> bool:
    """Return True if containment is proved for two schemas given as JSON text."""
    try:
        containment = _canonical_of_text(outer).covers(_canonical_of_text(inner))
    except (
        jsonschema_rs.canonical.UnsupportedOperand
    ):  # for instance, arrays that several alternatives of oneOf enumerate
        return False
    return containment is jsonschema_rs.canonical.Containment.YES


@lru_cache(maxsize=4096)
def _is_contained_by_classes(inner: str, outer: str) -> bool:
    """Return True if containment is proved for two schemas with their texts' constraints enumerated."""
    from codegen.schema_sets.text_enumerations import enumerate_texts  # noqa: PLC0415 - rarely needed and slow to import

    return _is_contained(*map(json.dumps, enumerate_texts(json.loads(inner), json.loads(outer))))


@lru_cache(maxsize=4096)
def _validator_of_text(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema given as JSON text, which is hashable."""
    return jsonschema_rs.Draft202012Validator(json.loads(schema), validate_formats=True, offline=True)


@lru_cache(maxsize=4096)
def _canonical_of_text(schema: str) -> jsonschema_rs.CanonicalSchema:
    """Canonicalise a schema given as JSON text, which is hashable."""
    draft = jsonschema_rs.Draft202012
    return jsonschema_rs.canonicalize(json.loads(schema), draft=draft, validate_formats=True, offline=True)
