"""JSON Schemas of mail-mcp.

Generated from tests/toolaccord/contracts/demo/mail.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

SEND_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 100, "description": "Text of the letter"},
        "weight": {"type": "number", "default": 1.0, "description": "Weight of the letter"},
    },
    "required": ["text"],
    "additionalProperties": False,
}
"""Schema of the arguments of send."""

SEND_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "letter": {"type": "string", "description": "Identifier of the letter"},
        "weight": {"type": "number", "description": "Weight of the letter"},
    },
    "required": ["letter", "weight"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

SEND_RETURNS_0_9_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "Identifier of the letter"},
        "weight": {"type": "number", "description": "Weight of the letter"},
    },
    "required": ["id", "weight"],
    "additionalProperties": False,
}
"""Schema of the result of version 0.9.0."""

_MESSAGE: Final[JsonObject] = {
    "type": "string",
    "description": "Explanation of the error, with a remedy where there is one",
}

_DETAILS: Final[JsonObject] = {"type": "object", "description": "Details of the error", "additionalProperties": True}

SEND_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        SEND_RETURNS,
        SEND_RETURNS_0_9_0,
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "BOUNCED",
                                "MCP-007",
                                "MCP-001",
                                "MCP-003",
                                "MCP-004",
                                "MCP-999",
                                "MCP-005",
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

SEND_PARAMETERS_0_9_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "words": {"type": "string", "maxLength": 100, "description": "Text of the letter"},
        "weight": {"type": "number", "default": 1.0, "description": "Weight of the letter"},
    },
    "required": ["words"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 0.9.0."""

POST_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"text": {"type": "string", "maxLength": 100, "description": "Text of the letter"}},
    "required": ["text"],
    "additionalProperties": False,
}
"""Schema of the arguments of post."""

POST_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"letter": {"type": "string", "description": "Identifier of the letter"}},
    "required": ["letter"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

POST_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        POST_RETURNS,
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
                                "MCP-005",
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

REMIND_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of remind."""

REMIND_RETURNS: Final[JsonObject] = POST_RETURNS
"""Schema of the handler's result."""

REMIND_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        POST_RETURNS,
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
