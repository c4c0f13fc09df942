"""JSON Schemas of gate-mcp.

Generated from tests/toolaccord/contracts/demo/gate.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

KNOCK_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20, "description": "Name of the visitor"}},
    "required": ["name"],
    "additionalProperties": False,
}
"""Schema of the arguments of knock."""

KNOCK_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"greeting": {"type": "string", "description": "Greeting"}},
    "required": ["greeting"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_MESSAGE: Final[JsonObject] = {
    "type": "string",
    "description": "Explanation of the error, with a remedy where there is one",
}

_DETAILS: Final[JsonObject] = {"type": "object", "description": "Details of the error", "additionalProperties": True}

KNOCK_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        KNOCK_RETURNS,
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "MCP-007",
                                "MCP-001",
                                "MCP-003",
                                "MCP-004",
                                "MCP-999",
                                "MCP-006",
                                "MCP-008",
                                "MCP-009",
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

RING_PARAMETERS: Final[JsonObject] = KNOCK_PARAMETERS
"""Schema of the arguments of ring."""

RING_RETURNS: Final[JsonObject] = KNOCK_RETURNS
"""Schema of the handler's result."""

RING_OUTPUT: Final[JsonObject] = KNOCK_OUTPUT
"""Schema of the response, published by tools/list as outputSchema."""

WAVE_PARAMETERS: Final[JsonObject] = KNOCK_PARAMETERS
"""Schema of the arguments of wave."""

WAVE_RETURNS: Final[JsonObject] = KNOCK_RETURNS
"""Schema of the handler's result."""

WAVE_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        KNOCK_RETURNS,
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": ["MCP-007", "MCP-001", "MCP-003", "MCP-004", "MCP-999", "MCP-008", "MCP-009"],
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
