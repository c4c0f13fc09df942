"""JSON Schemas of features-mcp.

Generated from contracts/platform/features.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_SYMBOL: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
    "description": "Instrument e.g. EURUSD or ETH/USD",
}

_START: Final[JsonObject] = {
    "type": "string",
    "format": "date-time",
    "description": "Begin of the window; the first bar opens then or later",
}

_END: Final[JsonObject] = {
    "type": "string",
    "format": "date-time",
    "description": "End of the window; the last bar closes then or earlier",
}

_INTERVAL: Final[JsonObject] = {
    "type": "string",
    "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
    "description": "Duration of a bar; bars are aligned to midnight UTC",
}

_FEATURES_ITEM: Final[JsonObject] = {
    "type": "string",
    "enum": ["sma", "ema", "rsi", "macd", "bollinger", "volatility", "volume_profile"],
}

_FEATURE: Final[JsonObject] = {
    "type": "string",
    "enum": ["sma", "ema", "rsi", "atr"],
    "description": "Feature that has a period",
}

_PERIOD: Final[JsonObject] = {
    "type": "integer",
    "minimum": 2,
    "maximum": 200,
    "description": "Period of the feature in bars, 2 to 200",
}

FEATURES_OHLCV_WINDOW_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "start": _START,
        "end": _END,
        "interval": _INTERVAL,
        "features": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "description": (
                "Features to compute for the last bar of the window, 1 to 10: names, or objects "
                'such as {"feature": "sma", "period": 34}; volume_profile is of the whole window'
            ),
            "items": {
                "anyOf": [
                    _FEATURES_ITEM,
                    {
                        "type": "object",
                        "description": "A feature with a chosen period.",
                        "properties": {"feature": _FEATURE, "period": _PERIOD},
                        "required": ["feature", "period"],
                        "additionalProperties": False,
                    },
                ]
            },
        },
    },
    "required": ["symbol", "start", "end", "interval", "features"],
    "additionalProperties": False,
}
"""Schema of the arguments of features.ohlcv_window."""

_VOLUME: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "description": "Traded volume, in units of the base currency",
}

_ROWS: Final[JsonObject] = {
    "type": "array",
    "maxItems": 1440,
    "description": "The bars of the window that exist, oldest first",
    "items": {
        "type": "object",
        "description": "Prices and volume of one interval.",
        "properties": {
            "timestamp": {"type": "string", "format": "date-time", "description": "Opening time of the bar, in UTC"},
            "open": {"type": "number", "description": "First price, in the quote currency"},
            "high": {"type": "number", "description": "Highest price"},
            "low": {"type": "number", "description": "Lowest price"},
            "close": {"type": "number", "description": "Last price"},
            "volume": _VOLUME,
        },
        "required": ["timestamp", "open", "high", "low", "close", "volume"],
        "additionalProperties": False,
    },
}

_SMA_50: Final[JsonObject] = {"type": "number", "description": "Mean of the last 50 closes. Absent if fewer exist"}

_EMA_12: Final[JsonObject] = {"type": "number", "description": "Exponential moving average of the closes, factor 2/13"}

_EMA_26: Final[JsonObject] = {
    "type": "number",
    "description": "Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist",
}

_RSI_14: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "maximum": 100,
    "description": "Wilder's relative strength index over 14 changes of the close. Absent if the close never changed",
}

_MACD_SIGNAL: Final[JsonObject] = {
    "type": "number",
    "description": "Exponential moving average of macd_line, factor 2/10",
}

_BOLLINGER_UPPER: Final[JsonObject] = {
    "type": "number",
    "description": "bollinger_middle plus two population standard deviations of the last 20 closes",
}

_BOLLINGER_LOWER: Final[JsonObject] = {
    "type": "number",
    "description": "bollinger_middle minus two population standard deviations of the last 20 closes",
}

_VOLATILITY: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "description": (
        "Sample standard deviation of the last 20 simple returns between closes, as a fraction per bar. Not annualised"
    ),
}

_VOLUME_VWAP: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "description": (
        "Mean of the closes of the rows in the quote currency, weighted by volume. Absent if nothing was traded"
    ),
}

_VOLUME_PROFILE: Final[JsonObject] = {
    "type": "array",
    "maxItems": 20,
    "description": (
        "Traded volume of the rows by price, in 20 equal bins from the lowest low to the "
        "highest high, or in one bin if all prices are equal"
    ),
    "items": {
        "type": "object",
        "description": "The volume that was traded between two prices.",
        "properties": {
            "low": {"type": "number", "description": "Lower price of the bin"},
            "high": {"type": "number", "description": "Upper price of the bin"},
            "volume": {
                "type": "number",
                "minimum": 0,
                "description": (
                    "Traded volume, in units of the base currency; that of a bar is spread evenly "
                    "from its low to its high"
                ),
            },
        },
        "required": ["low", "high", "volume"],
        "additionalProperties": False,
    },
}

_METADATA: Final[JsonObject] = {
    "type": "object",
    "description": "Extent and completeness of the rows.",
    "properties": {
        "total_rows": {"type": "integer", "minimum": 1, "description": "Number of rows"},
        "first_timestamp": {
            "type": "string",
            "format": "date-time",
            "description": "Opening time of the first row, in UTC",
        },
        "last_timestamp": {
            "type": "string",
            "format": "date-time",
            "description": "Opening time of the last row, in UTC",
        },
        "data_completeness": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Share of the window's minutes that are stored, of its bars that have closed",
        },
    },
    "required": ["total_rows", "first_timestamp", "last_timestamp", "data_completeness"],
    "additionalProperties": False,
}

FEATURES_OHLCV_WINDOW_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "interval": _INTERVAL,
        "rows": _ROWS,
        "stats": {
            "type": "object",
            "description": "Values of the requested features.",
            "properties": {
                "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                "sma_50": _SMA_50,
                "ema_12": _EMA_12,
                "ema_26": _EMA_26,
                "rsi_14": _RSI_14,
                "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                "macd_signal": _MACD_SIGNAL,
                "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                "bollinger_upper": _BOLLINGER_UPPER,
                "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                "bollinger_lower": _BOLLINGER_LOWER,
                "volatility": _VOLATILITY,
                "volume_vwap": _VOLUME_VWAP,
                "volume_profile": _VOLUME_PROFILE,
                "by_period": {
                    "type": "array",
                    "maxItems": 10,
                    "description": (
                        "Values of the features that were requested with a period, in the requested "
                        "order. Without an rsi whose closes never changed"
                    ),
                    "items": {
                        "type": "object",
                        "description": "The value of a feature with a chosen period.",
                        "properties": {
                            "feature": _FEATURE,
                            "period": _PERIOD,
                            "value": {
                                "type": "number",
                                "minimum": 0,
                                "description": "Price or, for atr, range of prices in the quote currency; for rsi an index from 0 to 100",
                            },
                        },
                        "required": ["feature", "period", "value"],
                        "additionalProperties": False,
                    },
                },
            },
            "required": [],
            "additionalProperties": False,
        },
        "metadata": _METADATA,
    },
    "required": ["symbol", "interval", "rows", "stats", "metadata"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

FEATURES_OHLCV_WINDOW_PARAMETERS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "start": _START,
        "end": _END,
        "interval": _INTERVAL,
        "features": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "description": "Features to compute for the last bar of the window; volume_profile is of the whole window",
            "items": _FEATURES_ITEM,
        },
    },
    "required": ["symbol", "start", "end", "interval", "features"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 1.1.0."""

FEATURES_OHLCV_WINDOW_RETURNS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "interval": _INTERVAL,
        "rows": _ROWS,
        "stats": {
            "type": "object",
            "description": "Values of the requested features.",
            "properties": {
                "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                "sma_50": _SMA_50,
                "ema_12": _EMA_12,
                "ema_26": _EMA_26,
                "rsi_14": _RSI_14,
                "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                "macd_signal": _MACD_SIGNAL,
                "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                "bollinger_upper": _BOLLINGER_UPPER,
                "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                "bollinger_lower": _BOLLINGER_LOWER,
                "volatility": _VOLATILITY,
                "volume_vwap": _VOLUME_VWAP,
                "volume_profile": _VOLUME_PROFILE,
            },
            "required": [],
            "additionalProperties": False,
        },
        "metadata": _METADATA,
    },
    "required": ["symbol", "interval", "rows", "stats", "metadata"],
    "additionalProperties": False,
}
"""Schema of the result of version 1.1.0."""

FEATURES_OHLCV_WINDOW_PARAMETERS_1_0_0: Final[JsonObject] = FEATURES_OHLCV_WINDOW_PARAMETERS_1_1_0
"""Schema of the arguments of version 1.0.0."""

FEATURES_OHLCV_WINDOW_RETURNS_1_0_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "interval": _INTERVAL,
        "rows": _ROWS,
        "stats": {
            "type": "object",
            "description": "Values of the requested features.",
            "properties": {
                "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                "sma_50": _SMA_50,
                "ema_12": _EMA_12,
                "ema_26": _EMA_26,
                "rsi_14": _RSI_14,
                "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                "macd_signal": _MACD_SIGNAL,
                "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                "bollinger_upper": _BOLLINGER_UPPER,
                "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                "bollinger_lower": _BOLLINGER_LOWER,
                "volatility": _VOLATILITY,
                "volume_vwap": _VOLUME_VWAP,
            },
            "required": [],
            "additionalProperties": False,
        },
        "metadata": _METADATA,
    },
    "required": ["symbol", "interval", "rows", "stats", "metadata"],
    "additionalProperties": False,
}
"""Schema of the result of version 1.0.0."""

FEATURES_LIVE_MARKET_DATA_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "lookback_minutes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 60,
            "default": 5,
            "description": "Minutes up to now whose ticks are returned, 1 to 60; 5 if absent",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 1000,
            "default": 1000,
            "description": (
                "Maximum number of ticks, 1 to 1000; 1000 if absent. If more exist, the oldest "
                "are left out: 1 gives the newest tick"
            ),
        },
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of features.live_market_data."""

FEATURES_LIVE_MARKET_DATA_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "ticks": {
            "type": "array",
            "maxItems": 1000,
            "description": "The ticks, oldest first",
            "items": {
                "type": "object",
                "description": "A price at a moment.",
                "properties": {
                    "timestamp": {"type": "string", "format": "date-time", "description": "Time of the tick, in UTC"},
                    "price": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "description": "Last traded price in the quote currency",
                    },
                    "bid": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "description": "Best price of buyers in the quote currency",
                    },
                    "ask": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "description": "Best price of sellers in the quote currency",
                    },
                    "volume": _VOLUME,
                },
                "required": ["timestamp", "price"],
                "additionalProperties": False,
            },
        },
        "metadata": {
            "type": "object",
            "description": "Completeness of the ticks.",
            "properties": {
                "total_ticks": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Number of ticks"},
                "skipped": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 1000,
                    "description": "Number of read messages that are no ticks of the symbol, e.g. because they lie in the future",
                },
                "remaining": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Number of older messages that were left out",
                },
            },
            "required": ["total_ticks", "skipped", "remaining"],
            "additionalProperties": False,
        },
    },
    "required": ["symbol", "ticks", "metadata"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""
