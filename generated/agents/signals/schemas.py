"""JSON Schemas of signal-mcp.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_SYMBOL: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
    "description": "Trading pair, such as ETH/USD: capital letters and digits around a slash",
}

COLLECT_EVIDENCE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"symbol": _SYMBOL},
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of collect_evidence."""

_SIGNAL_ID: Final[JsonObject] = {
    "type": "string",
    "pattern": "^sig-[A-Za-z0-9]{1,32}$",
    "description": "Id of the signal, equal for one symbol in one minute: sig- and 1 to 32 letters or digits",
}

_ACTION: Final[JsonObject] = {"type": "string", "enum": ["BUY", "SELL", "HOLD"], "description": "Direction of a signal"}

_CONFIDENCE: Final[JsonObject] = {
    "type": "number",
    "minimum": 0.27,
    "maximum": 0.95,
    "description": "Confidence from consensus and scores, less what missing data costs, as a fraction from 0.27 to 0.95",
}

_STRATEGIES_ANALYZED: Final[JsonObject] = {
    "type": "integer",
    "minimum": 0,
    "maximum": 100,
    "description": "Number of strategies with a current signal, at most 100",
}

_STRATEGIES_BULLISH: Final[JsonObject] = {
    "type": "integer",
    "minimum": 0,
    "maximum": 100,
    "description": "Number of strategies whose signal is BUY, at most 100",
}

_STRATEGIES_BEARISH: Final[JsonObject] = {
    "type": "integer",
    "minimum": 0,
    "maximum": 100,
    "description": "Number of strategies whose signal is SELL, at most 100",
}

_STRATEGIES_NEUTRAL: Final[JsonObject] = {
    "type": "integer",
    "minimum": 0,
    "maximum": 100,
    "description": "Number of strategies whose signal is HOLD, at most 100",
}

_SCORE: Final[JsonObject] = {
    "type": "number",
    "description": "Share of right signals in the newest measured period, from 0 to 1",
}

_TOP_STRATEGY: Final[JsonObject] = {
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
}

_SIGNAL: Final[JsonObject] = {
    "type": "string",
    "enum": ["BUY", "SELL", "HOLD"],
    "description": "The strategy's current signal",
}

_STRATEGY_BREAKDOWN_ITEM: Final[JsonObject] = {
    "type": "object",
    "description": "A strategy with its current signal.",
    "properties": {
        "name": {"type": "string", "description": "Name of the strategy's spec"},
        "signal": _SIGNAL,
        "score": _SCORE,
    },
    "required": ["name", "signal", "score"],
    "additionalProperties": False,
}

_STRATEGY_BREAKDOWN: Final[JsonObject] = {
    "type": "array",
    "maxItems": 100,
    "items": _STRATEGY_BREAKDOWN_ITEM,
    "description": "The analysed strategies, best ranked first",
}

_REASONING: Final[JsonObject] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 8000,
    "description": "Explanation of the signal, at most 8,000 characters",
}

_MARKET_CONTEXT: Final[JsonObject] = {
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
}

_REVISION: Final[JsonObject] = {
    "type": "integer",
    "minimum": 2,
    "maximum": 2,
    "description": "2 if this signal from complete data replaces a degraded one with its id; absent otherwise",
}

_IS_DEGRADED: Final[JsonObject] = {
    "type": "boolean",
    "description": (
        "True if a call failed, or no majority of the requested strategies has a current signal; absent otherwise"
    ),
}

_TIMESTAMP: Final[JsonObject] = {
    "type": "string",
    "format": "date-time",
    "description": "Time of the judgement, in UTC, never before that of its data, e.g. 2026-11-23T09:30:00Z",
}

COLLECT_EVIDENCE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "evidence_id": {"type": "string", "description": "Id for publish_signal, which takes it once"},
        "expires_at": {
            "type": "string",
            "format": "date-time",
            "description": "End of the evidence, in UTC, e.g. 2026-11-23T09:35:00Z",
        },
        "raw_signal": {
            "type": "object",
            "description": "The signal that follows from the results of the tools",
            "properties": {
                "signal_id": _SIGNAL_ID,
                "symbol": _SYMBOL,
                "action": _ACTION,
                "confidence": _CONFIDENCE,
                "strategies_analyzed": _STRATEGIES_ANALYZED,
                "strategies_bullish": _STRATEGIES_BULLISH,
                "strategies_bearish": _STRATEGIES_BEARISH,
                "strategies_neutral": _STRATEGIES_NEUTRAL,
                "top_strategy": _TOP_STRATEGY,
                "strategy_breakdown": _STRATEGY_BREAKDOWN,
                "reasoning": _REASONING,
                "market_context": _MARKET_CONTEXT,
                "revision": _REVISION,
                "is_degraded": _IS_DEGRADED,
                "timestamp": _TIMESTAMP,
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
        },
    },
    "required": ["evidence_id", "expires_at", "raw_signal"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_CLAIM_TIMESTAMP: Final[JsonObject] = {
    "type": "string",
    "format": "date-time",
    "description": "Time of the signal, in UTC, e.g. 2026-11-23T09:30:00Z",
}

PUBLISH_SIGNAL_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "evidence_id": {
            "type": "string",
            "pattern": "^sig-[A-Za-z0-9]{1,32}$",
            "description": "Id that collect_evidence returned: sig- and 1 to 32 letters or digits",
        },
        "reasoning": {
            "type": "string",
            "minLength": 1,
            "maxLength": 8000,
            "description": (
                "Explanation of the signal in plain English, whose numbers are those of the "
                "evidence, at most 8,000 characters"
            ),
        },
        "claim": {
            "type": "object",
            "description": "Values of a caller of 1.1.0, which must be those of the evidence",
            "properties": {
                "action": _ACTION,
                "confidence": _CONFIDENCE,
                "strategies_analyzed": _STRATEGIES_ANALYZED,
                "strategies_bullish": _STRATEGIES_BULLISH,
                "strategies_bearish": _STRATEGIES_BEARISH,
                "strategies_neutral": _STRATEGIES_NEUTRAL,
                "current_price": {
                    "type": "number",
                    "description": "Price at the time of the evidence, in the quote currency",
                },
                "timestamp": _CLAIM_TIMESTAMP,
            },
            "required": [],
            "additionalProperties": False,
        },
    },
    "required": ["symbol", "evidence_id", "reasoning"],
    "additionalProperties": False,
}
"""Schema of the arguments of publish_signal."""

PUBLISH_SIGNAL_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "signal_id": {"type": "string", "description": "Id of the published signal"},
        "channel": {"type": "string", "description": "Channel of Redis on which it was published"},
        "publication": {
            "type": "string",
            "enum": ["published", "replaced", "duplicate"],
            "description": (
                "replaced: the complete signal follows a degraded one of its minute. duplicate: "
                "its minute had a signal, and nothing was sent"
            ),
        },
    },
    "required": ["signal_id", "channel", "publication"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

PUBLISH_SIGNAL_PARAMETERS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "description": "A raw signal.",
    "properties": {
        "signal_id": _SIGNAL_ID,
        "symbol": _SYMBOL,
        "action": _ACTION,
        "confidence": _CONFIDENCE,
        "strategies_analyzed": _STRATEGIES_ANALYZED,
        "strategies_bullish": _STRATEGIES_BULLISH,
        "strategies_bearish": _STRATEGIES_BEARISH,
        "strategies_neutral": _STRATEGIES_NEUTRAL,
        "top_strategy": {
            "type": "object",
            "description": "The best strategy; absent without strategies",
            "properties": {
                "name": {"type": "string", "description": "Name of the strategy's spec"},
                "score": _SCORE,
                "signal": _SIGNAL,
                "parameters": {
                    "type": "object",
                    "additionalProperties": True,
                    "description": "The strategy's parameters behind the signal, by name",
                },
            },
            "required": ["name", "score", "signal", "parameters"],
            "additionalProperties": False,
        },
        "strategy_breakdown": {
            "type": "array",
            "maxItems": 100,
            "items": _STRATEGY_BREAKDOWN_ITEM,
            "description": "The analysed strategies, best score first",
        },
        "reasoning": _REASONING,
        "market_context": _MARKET_CONTEXT,
        "is_degraded": {"type": "boolean", "description": "True if data was missing; absent otherwise"},
        "timestamp": _CLAIM_TIMESTAMP,
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
"""Schema of the arguments of version 1.1.0."""

PUBLISH_SIGNAL_RETURNS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "signal_id": {"type": "string", "description": "Id of the published signal"},
        "channel": {"type": "string", "description": "Channel of Redis on which it was published"},
    },
    "required": ["signal_id", "channel"],
    "additionalProperties": False,
}
"""Schema of the result of version 1.1.0."""

RAW_SIGNAL_PAYLOAD: Final[JsonObject] = {
    "type": "object",
    "description": "A raw signal.",
    "properties": {
        "signal_id": _SIGNAL_ID,
        "symbol": _SYMBOL,
        "action": _ACTION,
        "confidence": _CONFIDENCE,
        "strategies_analyzed": _STRATEGIES_ANALYZED,
        "strategies_bullish": _STRATEGIES_BULLISH,
        "strategies_bearish": _STRATEGIES_BEARISH,
        "strategies_neutral": _STRATEGIES_NEUTRAL,
        "top_strategy": _TOP_STRATEGY,
        "strategy_breakdown": _STRATEGY_BREAKDOWN,
        "reasoning": _REASONING,
        "market_context": _MARKET_CONTEXT,
        "revision": _REVISION,
        "is_degraded": _IS_DEGRADED,
        "timestamp": _TIMESTAMP,
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
"""Schema of the payload of the event raw_signal."""
