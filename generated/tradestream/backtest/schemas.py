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
        "by_month": {
            "type": "boolean",
            "default": False,
            "description": (
                "If true, the result has the equity at the end of each month. It takes several "
                "times as long, so ask for a task if the range is long"
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
        "equity_curve": {
            "type": "array",
            "minItems": 1,
            "maxItems": 13,
            "description": (
                "Months of the range, the oldest first, without those at its beginning that the "
                "indicators need; absent unless requested"
            ),
            "items": {
                "type": "object",
                "description": "Equity at the end of a month.",
                "properties": {
                    "month": {
                        "type": "string",
                        "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$",
                        "description": "The month, e.g. 2026-10; the last one may end with the range",
                    },
                    "equity": {
                        "type": "number",
                        "minimum": 0,
                        "description": (
                            "Equity as a multiple of that at the start: 1.023 is a return of 2.3 %. An open "
                            "position counts as sold, with its fee"
                        ),
                    },
                    "max_drawdown": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 1,
                        "description": "Deepest fall of the equity until then from an earlier high, as a fraction of that high",
                    },
                    "ends_on": {
                        "type": "string",
                        "format": "date",
                        "description": "Last day of the month within the range, in UTC, as YYYY-MM-DD",
                    },
                },
                "required": ["month", "equity"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["total_return", "max_drawdown", "trades"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

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
