"""JSON Schemas of swimmy-mcp.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

HEALTH_PING_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of health.ping."""

HEALTH_PING_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"status": {"const": "ok", "description": "Always ok"}},
    "required": ["status"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

SYSTEM_STATUS_PARAMETERS: Final[JsonObject] = HEALTH_PING_PARAMETERS
"""Schema of the arguments of system.status."""

SYSTEM_STATUS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "swimmy": {
            "type": "object",
            "description": (
                "Lines of Swimmy's status file: time (as Swimmy writes it, in Japan's time), "
                "ticks, equity and pnl (in the account's currency), mt5 (ONLINE or OFFLINE)"
            ),
            "additionalProperties": {"type": "string"},
        },
        "backtest": {
            "type": "object",
            "description": (
                "Lines of the backtests' status file: timestamp (ISO 8601, UTC), count, pending, "
                "and last_name, last_sharpe, last_trades, last_request_id of the backtest that "
                "ended last"
            ),
            "additionalProperties": {"type": "string"},
        },
    },
    "required": ["swimmy", "backtest"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

SYSTEM_METRICS_PARAMETERS: Final[JsonObject] = HEALTH_PING_PARAMETERS
"""Schema of the arguments of system.metrics."""

SYSTEM_METRICS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "schema_version": {"description": "Version of the file's own schema; the members below are those of version 1"},
        "timestamp": {"description": "Time at which Swimmy wrote the file, ISO 8601 in UTC"},
        "heap_used_bytes": {"description": "Used heap of Swimmy's Lisp process, in bytes"},
        "heap_used_mb": {"description": "The same in MiB"},
        "strategy_count": {"description": "Number of strategies that Swimmy knows"},
        "uptime_seconds": {"description": "Seconds since Swimmy started"},
    },
    "required": [],
    "additionalProperties": True,
}
"""Schema of the handler's result."""

_STRATEGY: Final[JsonObject] = {
    "type": "object",
    "description": "Strategy to test.",
    "properties": {
        "name": {
            "type": "string",
            "pattern": "^[A-Za-z0-9][A-Za-z0-9 ._:+-]{0,63}$",
            "description": (
                "Name of the strategy, which the result repeats, e.g. SMA 20-50: at most 64 "
                "letters, digits, spaces or any of . _ : + -"
            ),
        },
        "sma_short": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10000,
            "description": "Bars of the short average, or of the indicator, 1 to 10000",
        },
        "sma_long": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10000,
            "description": "Bars of the long average, or of the indicator's second period, 1 to 10000",
        },
        "sl": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000000,
            "description": "Stop loss: distance from the entry price, in price units",
        },
        "tp": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000000,
            "description": "Take profit: distance from the entry price, in price units",
        },
        "volume": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000,
            "description": "Size of a trade in lots, above 0 and at most 1000",
        },
        "indicator_type": {
            "type": "string",
            "enum": ["sma", "ema", "rsi", "macd", "bb", "stoch", "vwap", "volsma", "vpoc", "vwapvr", "keltner"],
            "description": "Indicator that gives the signals; sma if absent",
        },
        "filter_enabled": {
            "type": "boolean",
            "description": (
                "If true, trades need the condition filter_logic on candles of filter_tf; give "
                "all of filter_tf, filter_period, filter_logic, and aux_candles of filter_tf"
            ),
        },
        "filter_tf": {
            "type": "string",
            "enum": ["m5", "m15", "m30", "h1", "h4", "d1", "w1"],
            "description": "Timeframe of the filter's candles: minutes, hours, day or week",
        },
        "filter_period": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10000,
            "description": "Bars of the filter's average, 1 to 10000",
        },
        "filter_logic": {
            "type": "string",
            "enum": ["PRICE_ABOVE_SMA", "PRICE_BELOW_SMA"],
            "description": "Side of the average on which the price must be",
        },
        "band_mult": {
            "type": "number",
            "minimum": 0,
            "maximum": 1000,
            "description": "Width of bb in standard deviations, of keltner in ATRs, 0 to 1000; 2 if absent",
        },
        "atr_period": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10000,
            "description": "Bars of the average true range (ATR), 1 to 10000; 14 if absent",
        },
        "atr_barrier_sl": {
            "type": "number",
            "minimum": 0,
            "maximum": 1000,
            "description": "Stop loss in ATRs, instead of sl, at most 1000; 0 or absent: sl counts",
        },
        "atr_barrier_tp": {
            "type": "number",
            "minimum": 0,
            "maximum": 1000,
            "description": "Take profit in ATRs, instead of tp, at most 1000; 0 or absent: tp counts",
        },
    },
    "required": ["name", "sma_short", "sma_long", "sl", "tp", "volume"],
    "additionalProperties": False,
}

_SYMBOL: Final[JsonObject] = {"type": "string", "pattern": "^[A-Z]{6}$", "description": "Currency pair, e.g. USDJPY"}

_TIMEFRAME: Final[JsonObject] = {
    "type": "integer",
    "minimum": 1,
    "maximum": 43200,
    "description": "Minutes of a bar, 1 to 43200; the Guardian combines candles to bars of this length, above 1",
}

_CANDLES_ITEM: Final[JsonObject] = {
    "type": "object",
    "description": "Prices of a span of time.",
    "properties": {
        "t": {
            "type": "integer",
            "minimum": 0,
            "maximum": 4102444800,
            "description": "Start of the candle, in Unix seconds",
        },
        "o": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "description": "Opening price"},
        "h": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "description": "Highest price"},
        "l": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "description": "Lowest price"},
        "c": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "description": "Closing price"},
        "v": {
            "type": "number",
            "minimum": 0,
            "maximum": 1000000000000,
            "description": "Traded volume in ticks or lots",
        },
    },
    "required": ["t", "o", "h", "l", "c"],
    "additionalProperties": False,
}

_CANDLES: Final[JsonObject] = {
    "type": "array",
    "items": _CANDLES_ITEM,
    "minItems": 1,
    "maxItems": 5000,
    "description": "Candles to test on, oldest first",
}

_CANDLES_FILE: Final[JsonObject] = {
    "type": "string",
    "pattern": "^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\\.csv$",
    "maxLength": 196,
    "description": (
        "CSV file of candles, relative to the Guardian's folder, e.g. "
        "data/historical/USDJPY_M1.csv, at most 196 characters; it is read once and then "
        "kept in memory"
    ),
}

_AUX_CANDLES: Final[JsonObject] = {
    "type": "object",
    "description": "Candles of longer timeframes for the strategy's filter, with candles only",
    "properties": {
        "m5": {
            "type": "array",
            "items": _CANDLES_ITEM,
            "minItems": 1,
            "maxItems": 1000,
            "description": "Candles of 5 minutes",
        },
        "m15": {
            "type": "array",
            "items": _CANDLES_ITEM,
            "minItems": 1,
            "maxItems": 1000,
            "description": "Candles of 15 minutes",
        },
        "m30": {
            "type": "array",
            "items": _CANDLES_ITEM,
            "minItems": 1,
            "maxItems": 1000,
            "description": "Candles of 30 minutes",
        },
        "h1": {
            "type": "array",
            "items": _CANDLES_ITEM,
            "minItems": 1,
            "maxItems": 1000,
            "description": "Candles of an hour",
        },
        "h4": {
            "type": "array",
            "items": _CANDLES_ITEM,
            "minItems": 1,
            "maxItems": 1000,
            "description": "Candles of 4 hours",
        },
        "d1": {
            "type": "array",
            "items": _CANDLES_ITEM,
            "minItems": 1,
            "maxItems": 1000,
            "description": "Candles of a day",
        },
        "w1": {
            "type": "array",
            "items": _CANDLES_ITEM,
            "minItems": 1,
            "maxItems": 1000,
            "description": "Candles of a week",
        },
    },
    "additionalProperties": False,
}

_SWAP_HISTORY: Final[JsonObject] = {
    "type": "array",
    "items": {
        "type": "object",
        "description": "Swap of a day.",
        "properties": {
            "t": {
                "type": "integer",
                "minimum": 0,
                "maximum": 4102444800,
                "description": "Time of the swap, in Unix seconds",
            },
            "sl": {
                "type": "number",
                "minimum": -1000000,
                "maximum": 1000000,
                "description": "Swap of a long position, in price units",
            },
            "ss": {
                "type": "number",
                "minimum": -1000000,
                "maximum": 1000000,
                "description": "Swap of a short position, in price units",
            },
        },
        "required": ["t", "sl", "ss"],
        "additionalProperties": False,
    },
    "maxItems": 1000,
    "description": "Swaps of the tested days, oldest first",
}

BACKTEST_SUBMIT_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "strategy": _STRATEGY,
        "symbol": _SYMBOL,
        "timeframe": _TIMEFRAME,
        "candles": _CANDLES,
        "candles_file": _CANDLES_FILE,
        "data_id": {
            "type": "string",
            "pattern": "^[A-Za-z0-9_-]{1,64}$",
            "description": "Name of candles that the Guardian already holds, e.g. USDJPY_M1",
        },
        "aux_candles": _AUX_CANDLES,
        "start_time": {
            "type": "integer",
            "minimum": 0,
            "maximum": 4102444800,
            "description": "Time of the first candle to use, in Unix seconds",
        },
        "end_time": {
            "type": "integer",
            "minimum": 0,
            "maximum": 4102444800,
            "description": "Time of the last candle to use, in Unix seconds",
        },
        "swap_history": _SWAP_HISTORY,
        "include_trades": {
            "type": "boolean",
            "description": (
                "If true, the result lists its trades; a result above 64 KiB, of about 1,000 "
                "trades, never reaches backtest.status"
            ),
        },
        "request_id": {
            "type": "string",
            "pattern": "^[A-Za-z0-9_-]{1,64}$",
            "description": (
                "Id under which backtest.status finds the result: at most 64 letters, digits, _ "
                "or -; without it, the gateway makes one"
            ),
        },
        "wait": {
            "type": "boolean",
            "default": False,
            "description": (
                "If true, the answer comes with the result, or pending at the deadline: after an "
                "hour in a task, else after a minute. Needs a gateway that receives results"
            ),
        },
    },
    "required": ["strategy"],
    "additionalProperties": False,
}
"""Schema of the arguments of backtest.submit."""

_REQUEST_ID: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Za-z0-9_-]{1,64}$",
    "description": "Id of a backtest",
}

_RESULT: Final[JsonObject] = {
    "type": "object",
    "description": (
        "Figures of the backtest, as the Guardian sent them; null for a figure that is no number or was not sent."
    ),
    "properties": {
        "strategy_name": {"description": "Name of the strategy"},
        "request_id": {"description": "Id of the backtest"},
        "sharpe": {"type": ["number", "null"], "description": "Sharpe ratio, annualised"},
        "trades": {"type": ["number", "null"], "description": "Number of trades"},
        "profit_factor": {"type": ["number", "null"], "description": "Ratio of gross profit to gross loss"},
        "win_rate": {"type": ["number", "null"], "description": "Share of trades that won, from 0 to 1"},
        "max_dd": {"type": ["number", "null"], "description": "Largest drawdown, as a fraction"},
        "trade_list": {"description": "Trades, if include_trades was true"},
    },
    "required": ["sharpe", "trades", "profit_factor", "win_rate", "max_dd"],
    "additionalProperties": True,
}

_REASON: Final[JsonObject] = {"type": "string", "description": "Reason of the Guardian for a failed backtest"}

BACKTEST_SUBMIT_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "status": {"const": 202, "description": "202, accepted: the request was sent; the backtest runs later"},
        "request_id": _REQUEST_ID,
        "state": {
            "type": "string",
            "enum": ["done", "failed", "pending"],
            "description": (
                "done: it has a result. failed: it has a reason. pending: no result came in "
                "time, so ask backtest.status later. Absent without wait, or if the gateway "
                "receives no results"
            ),
        },
        "result": _RESULT,
        "reason": _REASON,
    },
    "required": ["status", "request_id"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

BACKTEST_STATUS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "request_id": {
            "type": "string",
            "pattern": "^[A-Za-z0-9_-]{1,64}$",
            "description": "Id that backtest.submit returned: at most 64 letters, digits, _ or -",
        }
    },
    "additionalProperties": False,
}
"""Schema of the arguments of backtest.status."""

_MODE: Final[JsonObject] = {
    "type": "string",
    "enum": ["latest", "request"],
    "description": "request: about the backtest of request_id. latest: lines of the backtests' status file",
}

_BACKTEST_STATUS_RETURNS_REQUEST_ID: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Za-z0-9_-]{1,64}$",
    "description": "Id of the backtest; with mode request only",
}

_BACKTEST_STATUS_RETURNS_VALUE: Final[JsonObject] = {
    "type": "string",
    "description": (
        "With mode latest: timestamp (ISO 8601, UTC), count, pending, last_name, "
        "last_sharpe, last_trades, last_request_id"
    ),
}

BACKTEST_STATUS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "mode": _MODE,
        "request_id": _BACKTEST_STATUS_RETURNS_REQUEST_ID,
        "state": {
            "type": "string",
            "enum": ["done", "failed", "pending", "unknown"],
            "description": (
                "done: it has a result. failed: it has a reason. pending: this process of the "
                "gateway submitted it, and no result came; a result above 64 KiB never does. "
                "unknown: this process did not submit it, or 1,000 others ago, and heard no "
                "result; it may have been submitted before a restart, or never. With mode "
                "request only"
            ),
        },
        "result": _RESULT,
        "reason": _REASON,
    },
    "required": ["mode"],
    "additionalProperties": _BACKTEST_STATUS_RETURNS_VALUE,
}
"""Schema of the handler's result."""

BACKTEST_STATUS_PARAMETERS_1_0_1: Final[JsonObject] = BACKTEST_STATUS_PARAMETERS
"""Schema of the arguments of version 1.0.1."""

BACKTEST_STATUS_RETURNS_1_0_1: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "mode": _MODE,
        "request_id": _BACKTEST_STATUS_RETURNS_REQUEST_ID,
        "state": {
            "type": "string",
            "enum": ["done", "failed", "unknown"],
            "description": (
                "done: it has a result. failed: it has a reason. unknown: it still runs, was "
                "never submitted, its result came before the gateway started, or is above 64 "
                "KiB; with mode request only"
            ),
        },
        "result": {
            "type": "object",
            "description": "Figures of the backtest, as the Guardian sent them; null for a figure that is no number.",
            "properties": {
                "strategy_name": {"description": "Name of the strategy"},
                "request_id": {"description": "Id of the backtest"},
                "sharpe": {"description": "Sharpe ratio, annualised"},
                "trades": {"description": "Number of trades"},
                "profit_factor": {"description": "Gross profit divided by gross loss"},
                "win_rate": {"description": "Share of trades that won, from 0 to 1"},
                "max_dd": {"description": "Largest drawdown, as a fraction"},
                "trade_list": {"description": "Trades, if include_trades was true"},
            },
            "required": [],
            "additionalProperties": True,
        },
        "reason": _REASON,
    },
    "required": ["mode"],
    "additionalProperties": _BACKTEST_STATUS_RETURNS_VALUE,
}
"""Schema of the result of version 1.0.1."""

TRADE_SUBMIT_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": True}
"""Schema of the arguments of trade.submit."""

TRADE_SUBMIT_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {},
    "required": [],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_START_TIME_ITEM: Final[JsonObject] = {
    "type": "integer",
    "minimum": 0,
    "maximum": 4102444800,
    "description": "Seconds since 1970-01-01 UTC",
}

BACKTEST_REQUEST_PAYLOAD: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "action": {"const": "BACKTEST", "description": "Command of the Guardian; no caller can choose it"},
        "strategy": _STRATEGY,
        "symbol": _SYMBOL,
        "timeframe": {
            "type": "array",
            "items": _TIMEFRAME,
            "maxItems": 1,
            "description": "Minutes of a bar; empty: those of the candles",
        },
        "start_time": {
            "type": "array",
            "items": _START_TIME_ITEM,
            "maxItems": 1,
            "description": "Time of the first candle; empty: no bound",
        },
        "end_time": {
            "type": "array",
            "items": _START_TIME_ITEM,
            "maxItems": 1,
            "description": "Time of the last candle; empty: no bound",
        },
        "data_id": {
            "type": "array",
            "items": {
                "type": "string",
                "pattern": "^(mcp:)?[A-Za-z0-9._/-]{1,200}$",
                "description": "Name of candles that the Guardian holds, or of those that it keeps from candles_file",
            },
            "maxItems": 1,
            "description": "Key of the Guardian's cache of candles",
        },
        "candles_file": {
            "type": "array",
            "items": _CANDLES_FILE,
            "maxItems": 1,
            "description": "File that the Guardian reads candles from",
        },
        "candles": _CANDLES,
        "aux_candles": _AUX_CANDLES,
        "swap_history": _SWAP_HISTORY,
        "include_trades": {"type": "boolean", "description": "If true, the result lists its trades"},
        "request_id": _REQUEST_ID,
    },
    "required": ["action", "strategy", "request_id"],
    "additionalProperties": False,
}
"""Schema of the payload of the event backtest_request."""
