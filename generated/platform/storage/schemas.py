"""JSON Schemas of storage-mcp.

Generated from contracts/platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_CORR_ID: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[a-zA-Z0-9_-]+$",
    "maxLength": 128,
    "description": "Id of the task that shares the state: at most 128 letters, digits, _ or -",
}

_KEY: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[a-zA-Z0-9._-]+$",
    "maxLength": 256,
    "description": "Name of the value within the task: at most 256 letters, digits, dots, _ or -",
}

STORAGE_SHARED_STATE_GET_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"corr_id": _CORR_ID, "key": _KEY},
    "required": ["corr_id", "key"],
    "additionalProperties": False,
}
"""Schema of the arguments of storage.shared_state.get."""

STORAGE_SHARED_STATE_GET_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "exists": {"type": "boolean", "description": "True if the key has a value that has not expired"},
        "value": {"description": "The value, any JSON; absent if there is none"},
        "metadata": {
            "type": "object",
            "description": "Metadata of a value; absent if there is none.",
            "properties": {
                "created_at": {
                    "type": "string",
                    "format": "date-time",
                    "description": "Time of the first of the values that replaced each other",
                },
                "updated_at": {
                    "type": "string",
                    "format": "date-time",
                    "description": "Time at which this value was stored, or first read if another program stored it",
                },
                "ttl_seconds": {
                    "type": "integer",
                    "minimum": -1,
                    "description": "Seconds until the value expires; -1 if it never does",
                },
                "access_count": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Number of reads since created_at, this one included",
                },
            },
            "required": ["created_at", "updated_at", "ttl_seconds", "access_count"],
            "additionalProperties": False,
        },
    },
    "required": ["exists"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

STORAGE_SHARED_STATE_SET_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "corr_id": _CORR_ID,
        "key": _KEY,
        "value": {"description": "Any JSON of at most 1 MiB: 1048576 bytes without white space"},
        "ttl_seconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 86400,
            "default": 300,
            "description": "Seconds until the value expires, 1 to 86400; 300 if absent",
        },
    },
    "required": ["corr_id", "key", "value"],
    "additionalProperties": False,
}
"""Schema of the arguments of storage.shared_state.set."""

STORAGE_SHARED_STATE_SET_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "stored": {"type": "boolean", "description": "True: the value is stored"},
        "expires_at": {
            "type": "string",
            "format": "date-time",
            "description": "Time at which the value expires, by Redis's clock",
        },
        "size_bytes": {"type": "integer", "minimum": 0, "description": "Size of the stored JSON in bytes"},
    },
    "required": ["stored", "expires_at", "size_bytes"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""
