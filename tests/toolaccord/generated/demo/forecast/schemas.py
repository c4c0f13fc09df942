"""JSON Schemas of forecast-mcp.

Generated from tests/toolaccord/contracts/demo/forecast.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

FORECAST_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "place": {"type": "string", "maxLength": 40, "description": "Name of the place"},
        "fresh": {"type": "boolean", "default": False, "description": "Bypass the cache"},
    },
    "required": ["place"],
    "additionalProperties": False,
}
"""Schema of the arguments of forecast."""

FORECAST_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "load": {"type": "integer", "description": "Number of the load, over all replicas"},
        "text": {"type": "string", "description": "Weather in words"},
    },
    "required": ["load", "text"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_LATENCY_MS: Final[JsonObject] = {"type": "number", "minimum": 0, "description": "Duration of the call in milliseconds"}

FORECAST_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "data": FORECAST_RETURNS,
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

FORECAST_PARAMETERS_1_0_0: Final[JsonObject] = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 40, "description": "Name of the city"}},
    "required": ["city"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 1.0.0."""

FORECAST_RETURNS_1_0_0: Final[JsonObject] = FORECAST_RETURNS
"""Schema of the result of version 1.0.0."""
