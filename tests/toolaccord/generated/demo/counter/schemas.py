"""JSON Schemas of counter-mcp.

Generated from tests/toolaccord/contracts/demo/counter.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

COUNT_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"to": {"type": "integer", "minimum": 1, "maximum": 100, "description": "The last number"}},
    "required": ["to"],
    "additionalProperties": False,
}
"""Schema of the arguments of count."""

COUNT_RETURNS: Final[JsonObject] = COUNT_PARAMETERS
"""Schema of the handler's result."""

_LATENCY_MS: Final[JsonObject] = {"type": "number", "minimum": 0, "description": "Duration of the call in milliseconds"}

COUNT_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "data": COUNT_PARAMETERS,
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

COUNT_SILENTLY_PARAMETERS: Final[JsonObject] = COUNT_PARAMETERS
"""Schema of the arguments of count_silently."""

COUNT_SILENTLY_RETURNS: Final[JsonObject] = COUNT_PARAMETERS
"""Schema of the handler's result."""

COUNT_SILENTLY_OUTPUT: Final[JsonObject] = COUNT_OUTPUT
"""Schema of the response, published by tools/list as outputSchema."""
