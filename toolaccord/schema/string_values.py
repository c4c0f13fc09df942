"""Values that MCP sends as texts: variables of URI templates and arguments of prompts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from toolaccord.json_values import JsonObject

_PATTERNS = {
    "integer": re.compile(r"-?(0|[1-9][0-9]{0,17})"),
    "number": re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?"),
    "boolean": re.compile(r"true|false"),
}
"""Texts of each type's values, short enough to be one in every language."""


def parse_strings(schema: JsonObject, texts: Mapping[str, str]) -> JsonObject:
    """Return *texts* as values of the types in *schema*, the schema of an object.

    A text that is no value of its type stays a text, which validation then rejects.
    """
    members = schema.get("properties", {})
    return {name: _parse(members.get(name, {}).get("type"), text) for name, text in texts.items()}


def _parse(kind: Any, text: str) -> Any:
    pattern = _PATTERNS.get(kind) if isinstance(kind, str) else None
    return orjson.loads(text) if pattern is not None and pattern.fullmatch(text) else text
