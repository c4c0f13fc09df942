"""JSON Schemas of desk-mcp, with every reference inlined.

Generated from tests/toolpact/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolpact.json_values import JsonObject

WAIT_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20, "description": "Name of the caller"}},
    "required": ["name"],
    "additionalProperties": False,
}
"""Schema of the arguments of wait."""

WAIT_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"greeting": {"type": "string", "description": "Greeting"}},
    "required": ["greeting"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

WAIT_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        {
            "type": "object",
            "properties": {"greeting": {"type": "string", "description": "Greeting"}},
            "required": ["greeting"],
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
                            "enum": ["MCP-007", "MCP-001", "MCP-003", "MCP-004", "MCP-999", "MCP-008", "MCP-009"],
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
