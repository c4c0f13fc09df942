"""JSON Schemas of decisions-mcp.

Generated from contracts/tradestream/decisions.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

GET_RECENT_DECISIONS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
            "description": "Only decisions on this trading pair, such as ETH/USD",
        },
        "limit": {
            "type": "integer",
            "default": 10,
            "minimum": 1,
            "maximum": 100,
            "description": "Number of decisions to return per page, 1 to 100; 10 if absent",
        },
        "offset": {
            "type": "integer",
            "default": 0,
            "minimum": 0,
            "maximum": 1000000,
            "description": "Number of decisions to skip for pagination",
        },
        "action": {"type": "string", "enum": ["BUY", "SELL", "HOLD"], "description": "Only decisions with this action"},
        "force_refresh": {"type": "boolean", "default": False, "description": "Bypass cache and fetch fresh data"},
    },
    "additionalProperties": False,
}
"""Schema of the arguments of get_recent_decisions."""

_ACTION: Final[JsonObject] = {"type": "string", "enum": ["BUY", "SELL", "HOLD"], "description": "The decided action"}

_CONFIDENCE: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "maximum": 1,
    "description": "The agent's confidence, from 0 to 1",
}

GET_RECENT_DECISIONS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "maxItems": 100,
            "description": "The newest first",
            "items": {
                "type": "object",
                "description": "An agent's decision with its reasoning.",
                "properties": {
                    "decision_id": {"type": "string", "description": "Identifier of the decision"},
                    "symbol": {"type": "string", "description": "Trading pair"},
                    "action": _ACTION,
                    "confidence": _CONFIDENCE,
                    "opportunity_score": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 100,
                        "description": "Quality of the opportunity, from 0 to 100; absent if not given",
                    },
                    "reasoning": {"type": "string", "description": "Reasoning behind the decision"},
                    "created_at": {
                        "type": "string",
                        "format": "date-time",
                        "description": "Time at which it was saved, in UTC",
                    },
                },
                "required": ["decision_id", "symbol", "action", "confidence", "reasoning", "created_at"],
                "additionalProperties": False,
            },
        },
        "pagination": {
            "type": "object",
            "description": "Position of a page in the whole list.",
            "properties": {
                "offset": {"type": "integer", "minimum": 0, "description": "Number of skipped items"},
                "limit": {"type": "integer", "minimum": 1, "description": "Maximum number of items in a page"},
                "total": {"type": "integer", "minimum": 0, "description": "Number of items in the whole list"},
                "has_more": {"type": "boolean", "description": "True if items follow this page"},
            },
            "required": ["offset", "limit", "total", "has_more"],
            "additionalProperties": False,
        },
    },
    "required": ["items", "pagination"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

SAVE_DECISION_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
            "description": "Trading pair of the decision, such as ETH/USD",
        },
        "action": _ACTION,
        "confidence": _CONFIDENCE,
        "opportunity_score": {
            "type": "number",
            "minimum": 0,
            "maximum": 100,
            "description": "Quality of the opportunity, from 0 to 100",
        },
        "reasoning": {
            "type": "string",
            "minLength": 1,
            "maxLength": 10000,
            "pattern": "^[^\\u0000]*$",
            "description": "Reasoning behind the decision, for later readers, at most 10,000 characters",
        },
        "tool_calls": {
            "type": "array",
            "description": "Tool calls behind the decision, in order; stored unchanged",
            "items": {"description": "A tool call in the agent's own form, usually an object with tool and arguments"},
        },
    },
    "required": ["symbol", "action", "confidence", "reasoning"],
    "additionalProperties": False,
}
"""Schema of the arguments of save_decision."""

SAVE_DECISION_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "decision_id": {"type": "string", "description": "Identifier of the decision"},
        "saved": {"type": "boolean", "description": "True: the decision is stored"},
    },
    "required": ["decision_id", "saved"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""
