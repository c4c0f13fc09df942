"""JSON Schemas of the agent signal-generator.

Generated from contracts/agents/signal_generator.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_SYMBOL: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
    "description": "Trading pair, such as ETH/USD: capital letters and digits around a slash",
}

INPUT: Final[JsonObject] = {
    "type": "object",
    "description": "The symbol to analyse.",
    "examples": [{"symbol": "ETH/USD"}, {"symbol": "BTC/USD"}],
    "properties": {"symbol": _SYMBOL},
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of a request."""

_SCORE: Final[JsonObject] = {
    "type": "number",
    "description": "Share of right signals in the newest measured period, from 0 to 1",
}

OUTPUT: Final[JsonObject] = {
    "type": "object",
    "description": "A raw signal.",
    "properties": {
        "signal_id": {
            "type": "string",
            "pattern": "^sig-[A-Za-z0-9]{1,32}$",
            "description": "Id of the signal, equal for one symbol in one minute: sig- and 1 to 32 letters or digits",
        },
        "symbol": _SYMBOL,
        "action": {"type": "string", "enum": ["BUY", "SELL", "HOLD"], "description": "Direction of a signal"},
        "confidence": {
            "type": "number",
            "minimum": 0.27,
            "maximum": 0.95,
            "description": "Confidence from consensus and scores, less what missing data costs, as a fraction from 0.27 to 0.95",
        },
        "strategies_analyzed": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100,
            "description": "Number of strategies with a current signal, at most 100",
        },
        "strategies_bullish": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100,
            "description": "Number of strategies whose signal is BUY, at most 100",
        },
        "strategies_bearish": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100,
            "description": "Number of strategies whose signal is SELL, at most 100",
        },
        "strategies_neutral": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100,
            "description": "Number of strategies whose signal is HOLD, at most 100",
        },
        "top_strategy": {
            "type": "object",
            "description": "The best strategy with a current signal, or the best without one; absent without strategies",
            "properties": {
                "name": {"type": "string", "description": "Name of the strategy's spec"},
                "score": _SCORE,
                "signal": {
                    "type": "string",
                    "enum": ["BUY", "SELL", "HOLD"],
                    "description": "The strategy's current signal; absent without one",
                },
                "parameters": {
                    "type": "object",
                    "additionalProperties": True,
                    "description": "The strategy's parameters behind the signal, by name; absent without a signal",
                },
            },
            "required": ["name", "score"],
            "additionalProperties": False,
        },
        "strategy_breakdown": {
            "type": "array",
            "maxItems": 100,
            "items": {
                "type": "object",
                "description": "A strategy with its current signal.",
                "properties": {
                    "name": {"type": "string", "description": "Name of the strategy's spec"},
                    "signal": {
                        "type": "string",
                        "enum": ["BUY", "SELL", "HOLD"],
                        "description": "The strategy's current signal",
                    },
                    "score": _SCORE,
                },
                "required": ["name", "signal", "score"],
                "additionalProperties": False,
            },
            "description": "The analysed strategies, best ranked first",
        },
        "reasoning": {
            "type": "string",
            "minLength": 1,
            "maxLength": 8000,
            "description": "Explanation of the signal, at most 8,000 characters",
        },
        "market_context": {
            "type": "object",
            "description": "State of the market; absent if unknown",
            "properties": {
                "current_price": {"type": "number", "description": "The newest price, in the quote currency"},
                "price_change_1h": {
                    "type": "number",
                    "description": "Change of the price in the last hour, as a fraction: 0.023 is 2.3 percent",
                },
                "volume_ratio": {
                    "type": "number",
                    "minimum": 0,
                    "description": "Volume of the last closed hour, as a ratio to the mean of the 24 hours before it",
                },
                "volatility_1h": {
                    "type": "number",
                    "minimum": 0,
                    "description": "Standard deviation of hourly returns, as a fraction",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
        "revision": {
            "type": "integer",
            "minimum": 2,
            "maximum": 2,
            "description": "2 if this signal from complete data replaces a degraded one with its id; absent otherwise",
        },
        "is_degraded": {
            "type": "boolean",
            "description": (
                "True if a call failed, or no majority of the requested strategies has a current "
                "signal; absent otherwise"
            ),
        },
        "timestamp": {
            "type": "string",
            "format": "date-time",
            "description": "Time of the judgement, in UTC, never before that of its data, e.g. 2026-11-23T09:30:00Z",
        },
    },
    "required": [
        "signal_id",
        "symbol",
        "action",
        "confidence",
        "strategies_analyzed",
        "strategies_bullish",
        "strategies_bearish",
        "strategies_neutral",
        "strategy_breakdown",
        "reasoning",
        "timestamp",
    ],
    "additionalProperties": False,
}
"""Schema of a result."""

SIGNAL_ERROR_PAYLOAD: Final[JsonObject] = {
    "type": "object",
    "description": "A symbol without a signal.",
    "properties": {
        "symbol": {"type": "string", "maxLength": 200, "description": "The symbol as it was given"},
        "error": {"type": "string", "maxLength": 2000, "description": "The reason"},
        "error_type": {"type": "string", "maxLength": 100, "description": "Code or class of the error"},
        "retries_attempted": {"type": "integer", "minimum": 0, "description": "Number of retries before the failure"},
    },
    "required": ["symbol", "error", "error_type", "retries_attempted"],
    "additionalProperties": False,
}
"""Schema of the payload of the event signal_error."""

BATCH_RESULT: Final[JsonObject] = {
    "type": "object",
    "description": "The outcome of a batch.",
    "properties": {
        "successful": {"type": "array", "maxItems": 1000, "items": OUTPUT, "description": "Signals from complete data"},
        "partial": {
            "type": "array",
            "maxItems": 1000,
            "items": {
                "type": "object",
                "description": "A signal from incomplete data.",
                "properties": {
                    "signal": OUTPUT,
                    "missing_data": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 3,
                        "items": {"type": "string", "enum": ["strategies", "market_context", "volatility"]},
                        "description": "The data that could not be had",
                    },
                    "confidence_penalty": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 1,
                        "description": "Reduction of the confidence, as a fraction",
                    },
                },
                "required": ["signal", "missing_data", "confidence_penalty"],
                "additionalProperties": False,
            },
            "description": "Signals from incomplete data",
        },
        "duplicate": {
            "type": "array",
            "maxItems": 1000,
            "items": OUTPUT,
            "description": "Signals that were not published, because their minute has one",
        },
        "deferred": {
            "type": "array",
            "maxItems": 1000,
            "items": OUTPUT,
            "description": "Signals that are published once Redis is back, up to 120 s after their requested time",
        },
        "failed": {
            "type": "array",
            "maxItems": 1000,
            "items": SIGNAL_ERROR_PAYLOAD,
            "description": "Symbols without a signal",
        },
        "success_rate": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Share of symbols with a signal, as a fraction",
        },
    },
    "required": ["successful", "partial", "duplicate", "deferred", "failed", "success_rate"],
    "additionalProperties": False,
}
"""Schema of a batch's result."""

RAW_SIGNAL_PAYLOAD: Final[JsonObject] = OUTPUT
"""Schema of the payload of the event raw_signal."""
