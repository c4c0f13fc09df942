"""JSON as Python types and as text."""

import json
from typing import Any, TypeAlias

import orjson

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: its members by name."""


def encode_json(value: Any) -> bytes:
    """Return *value* as JSON text; integers may have any size.

    Raises TypeError, ValueError or RecursionError for a value without a JSON form.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()
