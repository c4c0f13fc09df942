"""JSON Schemas of gallery-mcp.

Generated from tests/toolaccord/contracts/demo/gallery.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

DRAW_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 10000000, "description": "Bytes of the picture"},
        "kind": {
            "type": "string",
            "enum": ["image/png", "image/gif"],
            "default": "image/png",
            "description": "Media type",
        },
    },
    "required": ["size"],
    "additionalProperties": False,
}
"""Schema of the arguments of draw."""

DRAW_PARAMETERS_1_0_0: Final[JsonObject] = {
    "type": "object",
    "properties": {"bytes": {"type": "integer", "minimum": 1, "maximum": 10000000, "description": "Bytes"}},
    "required": ["bytes"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 1.0.0."""

EXPLAIN_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"broken": {"type": "boolean", "default": False, "description": "Leaves the content out"}},
    "additionalProperties": False,
}
"""Schema of the arguments of explain."""

EXPLAIN_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"title": {"type": "string", "maxLength": 100, "description": "Title of the picture"}},
    "required": ["title"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_LATENCY_MS: Final[JsonObject] = {"type": "number", "minimum": 0, "description": "Duration of the call in milliseconds"}

EXPLAIN_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "data": EXPLAIN_RETURNS,
                "_metadata": {
                    "type": "object",
                    "properties": {
                        "latency_ms": _LATENCY_MS,
                        "cached": {"type": "boolean", "description": "True if the result came from the cache"},
                        "cache_ttl_remaining": {
                            "type": ["number", "null"],
                            "minimum": 0,
                            "description": "Seconds until the cached result expires; null if the result was fetched for this call",
                        },
                        "source": {
                            "type": ["string", "null"],
                            "description": "Kind of the system that the result came from",
                        },
                    },
                    "required": ["latency_ms", "cached", "cache_ttl_remaining", "source"],
                    "additionalProperties": False,
                },
            },
            "required": ["data", "_metadata"],
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
                                "SHELF_ERROR",
                                "TIMEOUT",
                                "INTERNAL_ERROR",
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
                },
                "_metadata": {
                    "type": "object",
                    "properties": {"latency_ms": _LATENCY_MS},
                    "required": ["latency_ms"],
                    "additionalProperties": False,
                },
            },
            "required": ["error", "_metadata"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

TELL_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of tell."""
