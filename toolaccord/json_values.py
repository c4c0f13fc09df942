"""JSON as Python types and as text."""

import json
from hashlib import sha256
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


def decode_json(text: bytes) -> Any:
    """Return the value that `encode_json` wrote as *text*. Raises ValueError for other text."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


def digest_json(value: Any) -> str:
    """Return a digest of a JSON value, in hexadecimal digits; only equal values share one."""
    return sha256(json.dumps(_canonical(value), sort_keys=True).encode()).hexdigest()


def _canonical(value: Any) -> Any:
    """Return a JSON *value* with integral numbers as integers: JSON Schema takes 1.0 for 1."""
    if isinstance(value, dict):
        return {name: _canonical(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
