"""JSON Schemas of museum-mcp.

Generated from tests/toolaccord/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_ROOM: Final[JsonObject] = {
    "type": "string",
    "enum": ["north", "north-east", "south"],
    "description": "Name of the room",
}

MOVE_PIECE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "room": _ROOM,
        "number": {"type": "integer", "minimum": 1, "maximum": 99, "description": "Number of the piece"},
        "place": {"type": "string", "maxLength": 40, "description": "The new place"},
    },
    "required": ["room", "number", "place"],
    "additionalProperties": False,
}
"""Schema of the arguments of move_piece."""

MOVE_PIECE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"place": {"type": "string"}},
    "required": ["place"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

MOVE_PIECE_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        MOVE_PIECE_RETURNS,
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
                                "INVALID_ARGUMENTS",
                                "UNAVAILABLE",
                                "TIMEOUT",
                                "INTERNAL",
                                "OVERLOADED",
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

READ_CATALOGUE_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the variables in the URI of catalogue."""

READ_ROOMS_PARAMETERS: Final[JsonObject] = READ_CATALOGUE_PARAMETERS
"""Schema of the variables in the URI of rooms."""

READ_ROOMS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"rooms": {"type": "array", "items": _ROOM, "maxItems": 9}},
    "required": ["rooms"],
    "additionalProperties": False,
}
"""Schema of the content of rooms."""

READ_PIECE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "room": _ROOM,
        "number": {"type": "integer", "minimum": 1, "maximum": 999, "description": "Number of the piece"},
    },
    "required": ["room", "number"],
    "additionalProperties": False,
}
"""Schema of the variables in the URI of piece."""

READ_PIECE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"number": {"type": "integer"}, "place": {"type": "string"}},
    "required": ["number", "place"],
    "additionalProperties": False,
}
"""Schema of the content of piece."""

READ_PHOTO_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 40, "description": "Name of the photo"}},
    "required": ["name"],
    "additionalProperties": False,
}
"""Schema of the variables in the URI of photo."""

PROMPT_GUIDE_ME_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "room": _ROOM,
        "minutes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 90,
            "default": 30,
            "description": "Length of the tour in minutes",
        },
    },
    "required": ["room"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt guide-me."""

PROMPT_TELL_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"number": {"type": "integer", "minimum": 1, "maximum": 9, "description": "Number of the piece"}},
    "required": ["number"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt tell."""
