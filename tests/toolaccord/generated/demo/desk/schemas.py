"""JSON Schemas of desk-mcp.

Generated from tests/toolaccord/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

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

_WAIT_OUTPUT: Final[JsonObject] = {
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
                "details": {"type": "object", "description": "Details of the error", "additionalProperties": True},
            },
            "required": ["code", "message", "details"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}

WAIT_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [WAIT_RETURNS, _WAIT_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

BOOK_TRIP_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 2000, "description": "Destination"}},
    "required": ["city"],
    "additionalProperties": False,
}
"""Schema of the arguments of book_trip."""

BOOK_TRIP_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"booking": {"type": "string", "description": "Booking, or the reason for none"}},
    "required": ["booking"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

BOOK_TRIP_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [BOOK_TRIP_RETURNS, _WAIT_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

PLAN_TRIP_PARAMETERS: Final[JsonObject] = BOOK_TRIP_PARAMETERS
"""Schema of the arguments of plan_trip."""

PLAN_TRIP_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"plan": {"type": "string", "description": "The plan"}},
    "required": ["plan"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

PLAN_TRIP_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [PLAN_TRIP_RETURNS, _WAIT_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

QUOTE_TRIP_PARAMETERS: Final[JsonObject] = BOOK_TRIP_PARAMETERS
"""Schema of the arguments of quote_trip."""

QUOTE_TRIP_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"quote": {"type": "string", "description": "The quote"}},
    "required": ["quote"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

QUOTE_TRIP_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [QUOTE_TRIP_RETURNS, _WAIT_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

NAG_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"times": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Number of questions"}},
    "required": ["times"],
    "additionalProperties": False,
}
"""Schema of the arguments of nag."""

NAG_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"count": {"type": "integer", "description": "Number of answers"}},
    "required": ["count"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

NAG_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [NAG_RETURNS, _WAIT_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

READ_TICKET_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 40, "description": "Destination"}},
    "required": ["city"],
    "additionalProperties": False,
}
"""Schema of the variables in the URI of ticket."""

PROMPT_PACK_FOR_PARAMETERS: Final[JsonObject] = READ_TICKET_PARAMETERS
"""Schema of the arguments of the prompt pack-for."""

TRAVELLER_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40, "title": "Name", "description": "Name of the traveller"},
        "seats": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1, "description": "Number of seats"},
        "class": {
            "type": "string",
            "oneOf": [{"const": "first", "title": "First class"}, {"const": "second", "title": "Second class"}],
            "default": "second",
            "description": "Class of the seats",
        },
        "meals": {
            "type": "array",
            "items": {"anyOf": [{"const": "v", "title": "Vegetarian"}, {"const": "k", "title": "Kosher"}]},
            "maxItems": 2,
            "description": "Meals on the way",
        },
        "extras": {
            "type": "array",
            "items": {"type": "string", "enum": ["bicycle", "dog"]},
            "minItems": 1,
            "maxItems": 2,
            "description": "Things that travel, too",
        },
    },
    "required": ["name"],
}
"""Schema of the form of the ask traveller."""

CONFIRMATION_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"yes": {"type": "boolean", "description": "True to book"}},
    "required": ["yes"],
}
"""Schema of the form of the ask confirmation."""
