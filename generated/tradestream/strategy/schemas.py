"""JSON Schemas of strategy-mcp.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_SYMBOL: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
    "description": "Trading pair, such as ETH/USD: capital letters and digits around a slash",
}

_FORCE_REFRESH: Final[JsonObject] = {
    "type": "boolean",
    "default": False,
    "description": "Bypass cache and fetch fresh data",
}

GET_TOP_STRATEGIES_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "limit": {
            "type": "integer",
            "default": 5,
            "minimum": 1,
            "maximum": 100,
            "description": "Number of strategies to return per page, 1 to 100; 5 if absent",
        },
        "offset": {
            "type": "integer",
            "default": 0,
            "minimum": 0,
            "maximum": 1000000,
            "description": "Number of strategies to skip for pagination",
        },
        "metric": {
            "type": "string",
            "enum": ["sharpe", "accuracy", "return"],
            "default": "sharpe",
            "description": "Performance figure that ranks the strategies and is their score; sharpe if absent",
        },
        "force_refresh": _FORCE_REFRESH,
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_top_strategies."""

GET_TOP_STRATEGIES_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "maxItems": 100,
            "description": (
                "Best first: those with 10 signals or more before others, then by the score, "
                "shrunk towards the mean of all the fewer signals it has"
            ),
            "items": {
                "type": "object",
                "description": "A strategy and its performance.",
                "properties": {
                    "strategy_id": {"type": "string", "description": "Strategy identifier"},
                    "name": {"type": "string", "description": "Name of the strategy's spec"},
                    "score": {
                        "type": "number",
                        "description": "Value of the requested metric; the order also weighs signals_count",
                    },
                    "sharpe": {"type": "number", "description": "Sharpe ratio of the newest measured period"},
                    "accuracy": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 1,
                        "description": "Share of right signals in the newest measured period, from 0 to 1",
                    },
                    "signals_count": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "Number of signals in the newest measured period",
                    },
                },
                "required": ["strategy_id", "name", "score", "sharpe", "accuracy", "signals_count"],
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

GET_STRATEGY_SIGNAL_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "strategy_id": {"type": "string", "description": "Strategy identifier"},
        "symbol": _SYMBOL,
        "force_refresh": _FORCE_REFRESH,
    },
    "required": ["strategy_id", "symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_strategy_signal."""

GET_STRATEGY_SIGNAL_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "signal": {"type": "string", "enum": ["BUY", "SELL", "HOLD"]},
        "confidence": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "The strategy's confidence, from 0 to 1",
        },
        "triggered_at": {"type": "string", "format": "date-time", "description": "Time of the signal, in UTC"},
        "parameters": {
            "type": "object",
            "additionalProperties": True,
            "description": "The strategy's parameters behind the signal, by name",
        },
    },
    "required": ["signal", "confidence", "triggered_at", "parameters"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

GET_STRATEGY_CONSENSUS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"symbol": _SYMBOL, "force_refresh": _FORCE_REFRESH},
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_strategy_consensus."""

GET_STRATEGY_CONSENSUS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "bullish_count": {"type": "integer", "minimum": 0, "description": "Strategies whose current signal is BUY"},
        "bearish_count": {"type": "integer", "minimum": 0, "description": "Strategies whose current signal is SELL"},
        "neutral_count": {"type": "integer", "minimum": 0, "description": "Strategies whose current signal is HOLD"},
        "consensus": {
            "type": "string",
            "enum": ["STRONG_BUY", "BUY", "NEUTRAL", "SELL", "STRONG_SELL"],
            "description": "STRONG_BUY from a bullish share of 0.7, BUY above 0.5; SELL alike for bears; else NEUTRAL",
        },
        "confidence": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": (
                "Mean confidence of the signals on the winning side, from 0 to 1. If NEUTRAL: of "
                "all signals, or 0 without signals"
            ),
        },
    },
    "required": ["bullish_count", "bearish_count", "neutral_count", "consensus", "confidence"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

PROMPT_ANALYZE_SYMBOL_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "strategies": {
            "type": "integer",
            "minimum": 1,
            "maximum": 20,
            "default": 5,
            "description": "Number of strategies to ask, 1 to 20",
        },
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt analyze-symbol."""
