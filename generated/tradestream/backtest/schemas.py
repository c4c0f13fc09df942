"""JSON Schemas of backtest-mcp.

Generated from contracts/tradestream/backtest.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

RUN_BACKTEST_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "strategy_id": {"type": "string", "description": "Strategy identifier"},
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
            "description": "Trading pair whose 1-minute candles are used, such as ETH/USD; need not be the strategy's own",
        },
        "start_date": {
            "type": "string",
            "format": "date",
            "description": "First day in UTC, as YYYY-MM-DD; 30 days before the end if not given",
        },
        "end_date": {
            "type": "string",
            "format": "date",
            "description": (
                "Exclusive end, at 00:00 UTC of this day, as YYYY-MM-DD; at most 366 days after "
                "start_date. Now if not given"
            ),
        },
    },
    "required": ["strategy_id", "symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of run_backtest."""

RUN_BACKTEST_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "total_return": {
            "type": "number",
            "minimum": -1,
            "description": "Return over the whole time, fees of 0.1 % an order included, as a fraction: 0.023 is 2.3 %",
        },
        "sharpe_ratio": {
            "type": "number",
            "description": "Annual Sharpe ratio over a risk-free 2 % a year; absent without trades",
        },
        "max_drawdown": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Deepest fall of the equity from an earlier high, as a fraction of that high",
        },
        "win_rate": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Share of the trades that gained, from 0 to 1; absent without trades",
        },
        "trades": {"type": "integer", "minimum": 0, "description": "Number of trades, each a purchase and its sale"},
    },
    "required": ["total_return", "max_drawdown", "trades"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_LATENCY_MS: Final[JsonObject] = {"type": "number", "minimum": 0, "description": "Duration of the call in milliseconds"}

_METADATA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "latency_ms": _LATENCY_MS,
        "cached": {"type": "boolean", "description": "True if the result came from the cache"},
        "cache_ttl_remaining": {
            "type": ["number", "null"],
            "minimum": 0,
            "description": "Seconds until the cached result expires; null if the result was fetched for this call",
        },
        "source": {"type": ["string", "null"], "description": "Kind of the system that the result came from"},
    },
    "required": ["latency_ms", "cached", "cache_ttl_remaining", "source"],
    "additionalProperties": False,
}

_MESSAGE: Final[JsonObject] = {
    "type": "string",
    "description": "Explanation of the error, with a remedy where there is one",
}

_DETAILS: Final[JsonObject] = {"type": "object", "description": "Details of the error", "additionalProperties": True}

_RUN_BACKTEST_OUTPUT__METADATA: Final[JsonObject] = {
    "type": "object",
    "properties": {"latency_ms": _LATENCY_MS},
    "required": ["latency_ms"],
    "additionalProperties": False,
}

RUN_BACKTEST_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": RUN_BACKTEST_RETURNS, "_metadata": _METADATA},
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
                                "STRATEGY_NOT_FOUND",
                                "INVALID_SYMBOL",
                                "INVALID_DATE_RANGE",
                                "INSUFFICIENT_DATA",
                                "BACKTEST_TIMEOUT",
                                "GRPC_ERROR",
                                "DATABASE_ERROR",
                                "UNKNOWN_VERSION",
                                "INVALID_PARAMETER",
                                "INTERNAL_ERROR",
                                "OVERLOADED",
                            ],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
                    },
                    "required": ["code", "message", "details"],
                    "additionalProperties": False,
                },
                "_metadata": _RUN_BACKTEST_OUTPUT__METADATA,
            },
            "required": ["error", "_metadata"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

GET_HISTORICAL_PERFORMANCE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "strategy_id": {"type": "string", "description": "Strategy identifier"},
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
            "description": (
                "Trading pair, such as ETH/USD; the strategy's own pair if not given. A strategy "
                "has performance on its own pair only"
            ),
        },
        "period": {
            "type": "string",
            "enum": ["1w", "1m", "3m", "6m", "1y"],
            "default": "3m",
            "description": "Time before today: measurements that end in this week, month or year count; 3m if absent",
        },
        "force_refresh": {"type": "boolean", "default": False, "description": "Bypass cache and fetch fresh data"},
    },
    "required": ["strategy_id"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_historical_performance."""

_ACCURACY: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "maximum": 1,
    "description": "Share of right signals among all, from 0 to 1; absent without signals",
}

GET_HISTORICAL_PERFORMANCE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "total_signals": {"type": "integer", "minimum": 0, "description": "Number of signals"},
        "accuracy": _ACCURACY,
        "avg_return": {
            "type": "number",
            "minimum": -1,
            "description": "Mean of the months' returns, as a fraction: 0.023 is 2.3 %",
        },
        "sharpe": {
            "type": "number",
            "description": "Mean of the measured annual Sharpe ratios, weighted by the days they were measured over",
        },
        "performance_by_month": {
            "type": "array",
            "minItems": 1,
            "maxItems": 13,
            "description": "Months with measurements, the oldest first",
            "items": {
                "type": "object",
                "description": "Performance of a strategy in the measurements that end in one month.",
                "properties": {
                    "month": {
                        "type": "string",
                        "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$",
                        "description": "The month, e.g. 2026-10",
                    },
                    "signals": {"type": "integer", "minimum": 0, "description": "Number of signals"},
                    "accuracy": _ACCURACY,
                    "return": {
                        "type": "number",
                        "minimum": -1,
                        "description": "Return, compounded, as a fraction: 0.023 is 2.3 %",
                    },
                },
                "required": ["month", "signals", "return"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["total_signals", "avg_return", "sharpe", "performance_by_month"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

GET_HISTORICAL_PERFORMANCE_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": GET_HISTORICAL_PERFORMANCE_RETURNS, "_metadata": _METADATA},
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
                                "STRATEGY_NOT_FOUND",
                                "INVALID_PERIOD",
                                "NO_PERFORMANCE_DATA",
                                "DATABASE_ERROR",
                                "UNKNOWN_VERSION",
                                "INVALID_PARAMETER",
                                "TIMEOUT",
                                "INTERNAL_ERROR",
                                "OVERLOADED",
                            ],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
                    },
                    "required": ["code", "message", "details"],
                    "additionalProperties": False,
                },
                "_metadata": _RUN_BACKTEST_OUTPUT__METADATA,
            },
            "required": ["error", "_metadata"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""
