"""What JSON can say, as Python types and as text."""

import json
from typing import Any, TypeAlias

import orjson

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: its members by name."""


def encoded(value: Any) -> bytes:
    """Return *value* as JSON; integers may be of any size. Raises TypeError, ValueError or RecursionError."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()
