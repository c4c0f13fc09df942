"""The schemas of moex-iss-mcp, every reference written out.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from runtime.tool import JsonObject

GET_SECURITY_SNAPSHOT_PARAMETERS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetSecuritySnapshotInput",
    "type": "object",
    "properties": {
        "ticker": {"type": "string", "minLength": 1, "maxLength": 16, "description": "Security ticker, e.g. 'SBER'."},
        "board": {
            "type": "string",
            "minLength": 1,
            "maxLength": 16,
            "description": "MOEX board, e.g. 'TQBR'.",
            "default": "TQBR",
        },
    },
    "required": ["ticker"],
    "additionalProperties": False,
}
"""What get_security_snapshot takes."""

GET_SECURITY_SNAPSHOT_RETURNS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetSecuritySnapshotOutput",
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "enum": ["moex-iss"]},
                "ticker": {"type": "string"},
                "board": {"type": "string"},
                "as_of": {"type": "string", "format": "date-time"},
            },
            "required": ["source", "ticker", "board", "as_of"],
            "additionalProperties": False,
        },
        "data": {
            "type": "object",
            "properties": {
                "last_price": {"type": "number"},
                "price_change_abs": {"type": "number"},
                "price_change_pct": {"type": "number"},
                "open_price": {"type": "number"},
                "high_price": {"type": "number"},
                "low_price": {"type": "number"},
                "volume": {"type": "number"},
                "value": {"type": "number"},
            },
            "required": ["last_price", "price_change_abs", "price_change_pct"],
            "additionalProperties": True,
        },
        "metrics": {
            "type": "object",
            "properties": {"intraday_volatility_estimate": {"type": "number"}},
            "required": [],
            "additionalProperties": True,
        },
        "error": {
            "type": ["null", "object"],
            "properties": {"error_type": {"type": "string"}, "message": {"type": "string"}, "details": {}},
            "required": ["error_type", "message"],
            "additionalProperties": True,
        },
    },
    "required": ["metadata", "data"],
    "additionalProperties": False,
}
"""What its handler gives."""

GET_SECURITY_SNAPSHOT_OUTPUT: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetSecuritySnapshotOutput",
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "enum": ["moex-iss"]},
                "ticker": {"type": "string"},
                "board": {"type": "string"},
                "as_of": {"type": "string", "format": "date-time"},
            },
            "required": ["source", "ticker", "board", "as_of"],
            "additionalProperties": False,
        },
        "data": {
            "type": "object",
            "properties": {
                "last_price": {"type": "number"},
                "price_change_abs": {"type": "number"},
                "price_change_pct": {"type": "number"},
                "open_price": {"type": "number"},
                "high_price": {"type": "number"},
                "low_price": {"type": "number"},
                "volume": {"type": "number"},
                "value": {"type": "number"},
            },
            "required": ["last_price", "price_change_abs", "price_change_pct"],
            "additionalProperties": True,
        },
        "metrics": {
            "type": "object",
            "properties": {"intraday_volatility_estimate": {"type": "number"}},
            "required": [],
            "additionalProperties": True,
        },
        "error": {
            "type": ["null", "object"],
            "properties": {"error_type": {"type": "string"}, "message": {"type": "string"}, "details": {}},
            "required": ["error_type", "message"],
            "additionalProperties": True,
        },
    },
    "required": ["metadata", "data"],
    "additionalProperties": False,
}
"""What it answers, as tools/list publishes it."""
