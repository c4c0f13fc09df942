"""JSON Schemas of ledger-mcp.

Generated from tests/toolaccord/contracts/demo/ledger.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

ENTER_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 100, "description": "Text of the entry"},
        "amount": {"type": "number", "default": 1.0, "description": "Amount of the entry"},
    },
    "required": ["text"],
    "additionalProperties": False,
}
"""Schema of the arguments of enter."""

ENTER_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "number": {"type": "integer", "description": "Number of the entry"},
        "text": {"type": "string", "description": "Text of the entry"},
        "amount": {"type": "number", "description": "Amount of the entry"},
    },
    "required": ["number", "text", "amount"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_MESSAGE: Final[JsonObject] = {
    "type": "string",
    "description": "Explanation of the error, with a remedy where there is one",
}

_DETAILS: Final[JsonObject] = {"type": "object", "description": "Details of the error", "additionalProperties": True}

ENTER_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {"type": "object", "properties": {"data": ENTER_RETURNS}, "required": ["data"], "additionalProperties": False},
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "OVERDRAWN",
                                "UNKNOWN_VERSION",
                                "INVALID_PARAMETER",
                                "DATABASE_ERROR",
                                "TIMEOUT",
                                "INTERNAL_ERROR",
                                "KEY_CONFLICT",
                            ],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
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

CORRECT_PARAMETERS: Final[JsonObject] = ENTER_PARAMETERS
"""Schema of the arguments of correct."""

CORRECT_RETURNS: Final[JsonObject] = ENTER_RETURNS
"""Schema of the handler's result."""

CORRECT_OUTPUT: Final[JsonObject] = ENTER_OUTPUT
"""Schema of the response, published by tools/list as outputSchema."""

COUNT_ENTRIES_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of count_entries."""

COUNT_ENTRIES_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"count": {"type": "integer", "description": "Number of entries"}},
    "required": ["count"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

COUNT_ENTRIES_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": COUNT_ENTRIES_RETURNS},
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
                            ],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
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
