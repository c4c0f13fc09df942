"""JSON Schemas of alarm-mcp.

Generated from tests/toolaccord/contracts/demo/alarm.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

RAISE_ALARM_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"place": {"type": "string", "maxLength": 100, "description": "Name of the place"}},
    "required": ["place"],
    "additionalProperties": False,
}
"""Schema of the arguments of raise_alarm."""

RAISE_ALARM_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"raised": {"type": "boolean"}},
    "required": ["raised"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

RAISE_ALARM_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": RAISE_ALARM_RETURNS},
            "required": ["data"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "UNKNOWN_VERSION",
                                "INVALID_PARAMETER",
                                "DATABASE_ERROR",
                                "TIMEOUT",
                                "INTERNAL_ERROR",
                                "KEY_CONFLICT",
                            ],
                            "description": "Error code",
                        },
                        "message": {
                            "type": "string",
                            "description": "Explanation of the error, with a remedy where there is one",
                        },
                        "details": {
                            "type": "object",
                            "description": "Details of the error",
                            "additionalProperties": True,
                        },
                    },
                    "required": ["code", "message", "details"],
                    "additionalProperties": False,
                }
            },
            "required": ["error"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

FIRE_PAYLOAD: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "place": {"type": "string", "maxLength": 20, "description": "Name of the place"},
        "since": {"type": "string", "format": "date-time", "description": "Start of the fire"},
        "level": {"type": "integer", "minimum": 1, "maximum": 3, "description": "Size of the fire"},
    },
    "required": ["place"],
    "additionalProperties": False,
}
"""Schema of the payload of the event fire."""

BELL_PAYLOAD: Final[JsonObject] = {"type": "array", "items": {"type": "string"}, "maxItems": 3}
"""Schema of the payload of the event bell."""

SIREN_PAYLOAD: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "action": {"const": "HOWL"},
        "tone": {"enum": ["rising", "steady"], "description": "Tone of the siren"},
        "place": {"type": "string", "maxLength": 100, "description": "Name of the place"},
        "seconds": {"type": "array", "items": {"type": "number"}, "maxItems": 1, "description": "Duration"},
    },
    "required": ["action", "place"],
    "additionalProperties": False,
}
"""Schema of the payload of the event siren."""
