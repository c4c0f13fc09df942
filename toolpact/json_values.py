"""JSON as Python types and as text, and JSON pointers."""

import json
from typing import Any, TypeAlias

import orjson
from jsonpointer import unescape

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: its members by name."""


def tokens(pointer: str) -> tuple[str, ...]:
    """Return the keys and indexes of a JSON pointer (RFC 6901); a cut pointer is no error."""
    return tuple(map(unescape, pointer.split("/")[1:]))


def encode_json(value: Any) -> bytes:
    """Return *value* as JSON text; integers may have any size.

    Raises TypeError, ValueError or RecursionError for a value without a JSON form.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()
