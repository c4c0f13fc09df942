"""Validators of schemas, which are compiled once."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import jsonschema_rs

from toolaccord.semantics.formats import CHECKED_FORMATS
from toolaccord_codegen.loading.json_equality import SameValue
from toolaccord_codegen.loading.schema_nodes import Schema, select_keywords

UNCHECKED_FORMAT = re.compile(f'"format": "(?!(?:{"|".join(sorted(CHECKED_FORMATS))})")')
"""A format that servers do not check, or a text that looks like one."""
ALL_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
"""Every type of JSON Schema."""


def admits(schema: Schema, value: Any) -> bool:
    """Return True if a schema admits a value. Formats are asserted, as in servers."""
    return compile_validator(schema).is_valid(value)


def dump_schema(schema: Schema) -> str:
    """Return a schema as JSON text, without formats that servers do not check.

    The text of a schema is kept, so it must not change.
    """
    return _text_of_object(SameValue(schema))


def compile_validator(schema: Schema) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema without `$schema`. Equal schemas share one."""
    return _validator_of_text(dump_schema(schema))


def compile_keywords(schema: Schema) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema that may have annotations and unknown keywords.

    A schema that shows many changes is compiled once. It must not change.
    """
    return _validator_of_object(SameValue(schema))


@lru_cache(maxsize=4096)
def _text_of_object(same: SameValue) -> str:
    """Return the text of a schema; each candidate of a comparison needs it."""
    text = json.dumps(same.value)
    return json.dumps(select_keywords(same.value)) if UNCHECKED_FORMAT.search(text) else text


@lru_cache(maxsize=16)
def _validator_of_object(same: SameValue) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema without its annotations."""
    return compile_validator(select_keywords(same.value))


@lru_cache(maxsize=4096)
def _validator_of_text(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema given as JSON text, which is hashable."""
    return jsonschema_rs.Draft202012Validator(json.loads(schema), validate_formats=True, offline=True)
