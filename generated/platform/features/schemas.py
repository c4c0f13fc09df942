"""JSON Schemas of features-mcp, with every reference inlined.

Generated from contracts/platform/features.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

FEATURES_OHLCV_WINDOW_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
        "start": {
            "type": "string",
            "format": "date-time",
            "description": "Begin of the window; the first bar opens then or later",
        },
        "end": {
            "type": "string",
            "format": "date-time",
            "description": "End of the window; the last bar closes then or earlier",
        },
        "interval": {
            "type": "string",
            "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
            "description": "Duration of a bar; bars are aligned to midnight UTC",
        },
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
                    {
                        "type": "string",
                        "enum": ["sma", "ema", "rsi", "macd", "bollinger", "volatility", "volume_profile"],
                    },
                    {
                        "type": "object",
                        "description": "A feature with a chosen period.",
                        "properties": {
                            "feature": {
                                "type": "string",
                                "enum": ["sma", "ema", "rsi", "atr"],
                                "description": "Feature that has a period",
                            },
                            "period": {
                                "type": "integer",
                                "minimum": 2,
                                "maximum": 200,
                                "description": "Period of the feature in bars, 2 to 200",
                            },
                        },
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

FEATURES_OHLCV_WINDOW_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
        "interval": {
            "type": "string",
            "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
            "description": "Duration of a bar; bars are aligned to midnight UTC",
        },
        "rows": {
            "type": "array",
            "maxItems": 1440,
            "description": "The bars of the window that exist, oldest first",
            "items": {
                "type": "object",
                "description": "Prices and volume of one interval.",
                "properties": {
                    "timestamp": {
                        "type": "string",
                        "format": "date-time",
                        "description": "Opening time of the bar, in UTC",
                    },
                    "open": {"type": "number", "description": "First price, in the quote currency"},
                    "high": {"type": "number", "description": "Highest price"},
                    "low": {"type": "number", "description": "Lowest price"},
                    "close": {"type": "number", "description": "Last price"},
                    "volume": {
                        "type": "number",
                        "minimum": 0,
                        "description": "Traded volume, in units of the base currency",
                    },
                },
                "required": ["timestamp", "open", "high", "low", "close", "volume"],
                "additionalProperties": False,
            },
        },
        "stats": {
            "type": "object",
            "description": "Values of the requested features.",
            "properties": {
                "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                "sma_50": {"type": "number", "description": "Mean of the last 50 closes. Absent if fewer exist"},
                "ema_12": {"type": "number", "description": "Exponential moving average of the closes, factor 2/13"},
                "ema_26": {
                    "type": "number",
                    "description": "Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist",
                },
                "rsi_14": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 100,
                    "description": "Wilder's relative strength index over 14 changes of the close. Absent if the close never changed",
                },
                "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                "macd_signal": {
                    "type": "number",
                    "description": "Exponential moving average of macd_line, factor 2/10",
                },
                "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                "bollinger_upper": {
                    "type": "number",
                    "description": "bollinger_middle plus two population standard deviations of the last 20 closes",
                },
                "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                "bollinger_lower": {
                    "type": "number",
                    "description": "bollinger_middle minus two population standard deviations of the last 20 closes",
                },
                "volatility": {
                    "type": "number",
                    "minimum": 0,
                    "description": (
                        "Sample standard deviation of the last 20 simple returns between closes, as a "
                        "fraction per bar. Not annualised"
                    ),
                },
                "volume_vwap": {
                    "type": "number",
                    "minimum": 0,
                    "description": (
                        "Mean of the closes of the rows in the quote currency, weighted by volume. "
                        "Absent if nothing was traded"
                    ),
                },
                "volume_profile": {
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
                },
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
                            "feature": {
                                "type": "string",
                                "enum": ["sma", "ema", "rsi", "atr"],
                                "description": "Feature that has a period",
                            },
                            "period": {
                                "type": "integer",
                                "minimum": 2,
                                "maximum": 200,
                                "description": "Period of the feature in bars, 2 to 200",
                            },
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
        "metadata": {
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
        },
    },
    "required": ["symbol", "interval", "rows", "stats", "metadata"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

FEATURES_OHLCV_WINDOW_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "symbol": {
                    "type": "string",
                    "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
                    "description": "Instrument e.g. EURUSD or ETH/USD",
                },
                "interval": {
                    "type": "string",
                    "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
                    "description": "Duration of a bar; bars are aligned to midnight UTC",
                },
                "rows": {
                    "type": "array",
                    "maxItems": 1440,
                    "description": "The bars of the window that exist, oldest first",
                    "items": {
                        "type": "object",
                        "description": "Prices and volume of one interval.",
                        "properties": {
                            "timestamp": {
                                "type": "string",
                                "format": "date-time",
                                "description": "Opening time of the bar, in UTC",
                            },
                            "open": {"type": "number", "description": "First price, in the quote currency"},
                            "high": {"type": "number", "description": "Highest price"},
                            "low": {"type": "number", "description": "Lowest price"},
                            "close": {"type": "number", "description": "Last price"},
                            "volume": {
                                "type": "number",
                                "minimum": 0,
                                "description": "Traded volume, in units of the base currency",
                            },
                        },
                        "required": ["timestamp", "open", "high", "low", "close", "volume"],
                        "additionalProperties": False,
                    },
                },
                "stats": {
                    "type": "object",
                    "description": "Values of the requested features.",
                    "properties": {
                        "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                        "sma_50": {
                            "type": "number",
                            "description": "Mean of the last 50 closes. Absent if fewer exist",
                        },
                        "ema_12": {
                            "type": "number",
                            "description": "Exponential moving average of the closes, factor 2/13",
                        },
                        "ema_26": {
                            "type": "number",
                            "description": "Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist",
                        },
                        "rsi_14": {
                            "type": "number",
                            "minimum": 0,
                            "maximum": 100,
                            "description": "Wilder's relative strength index over 14 changes of the close. Absent if the close never changed",
                        },
                        "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                        "macd_signal": {
                            "type": "number",
                            "description": "Exponential moving average of macd_line, factor 2/10",
                        },
                        "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                        "bollinger_upper": {
                            "type": "number",
                            "description": "bollinger_middle plus two population standard deviations of the last 20 closes",
                        },
                        "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                        "bollinger_lower": {
                            "type": "number",
                            "description": "bollinger_middle minus two population standard deviations of the last 20 closes",
                        },
                        "volatility": {
                            "type": "number",
                            "minimum": 0,
                            "description": (
                                "Sample standard deviation of the last 20 simple returns between closes, as a "
                                "fraction per bar. Not annualised"
                            ),
                        },
                        "volume_vwap": {
                            "type": "number",
                            "minimum": 0,
                            "description": (
                                "Mean of the closes of the rows in the quote currency, weighted by volume. "
                                "Absent if nothing was traded"
                            ),
                        },
                        "volume_profile": {
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
                        },
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
                                    "feature": {
                                        "type": "string",
                                        "enum": ["sma", "ema", "rsi", "atr"],
                                        "description": "Feature that has a period",
                                    },
                                    "period": {
                                        "type": "integer",
                                        "minimum": 2,
                                        "maximum": 200,
                                        "description": "Period of the feature in bars, 2 to 200",
                                    },
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
                "metadata": {
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
                },
            },
            "required": ["symbol", "interval", "rows", "stats", "metadata"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "symbol": {
                    "type": "string",
                    "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
                    "description": "Instrument e.g. EURUSD or ETH/USD",
                },
                "interval": {
                    "type": "string",
                    "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
                    "description": "Duration of a bar; bars are aligned to midnight UTC",
                },
                "rows": {
                    "type": "array",
                    "maxItems": 1440,
                    "description": "The bars of the window that exist, oldest first",
                    "items": {
                        "type": "object",
                        "description": "Prices and volume of one interval.",
                        "properties": {
                            "timestamp": {
                                "type": "string",
                                "format": "date-time",
                                "description": "Opening time of the bar, in UTC",
                            },
                            "open": {"type": "number", "description": "First price, in the quote currency"},
                            "high": {"type": "number", "description": "Highest price"},
                            "low": {"type": "number", "description": "Lowest price"},
                            "close": {"type": "number", "description": "Last price"},
                            "volume": {
                                "type": "number",
                                "minimum": 0,
                                "description": "Traded volume, in units of the base currency",
                            },
                        },
                        "required": ["timestamp", "open", "high", "low", "close", "volume"],
                        "additionalProperties": False,
                    },
                },
                "stats": {
                    "type": "object",
                    "description": "Values of the requested features.",
                    "properties": {
                        "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                        "sma_50": {
                            "type": "number",
                            "description": "Mean of the last 50 closes. Absent if fewer exist",
                        },
                        "ema_12": {
                            "type": "number",
                            "description": "Exponential moving average of the closes, factor 2/13",
                        },
                        "ema_26": {
                            "type": "number",
                            "description": "Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist",
                        },
                        "rsi_14": {
                            "type": "number",
                            "minimum": 0,
                            "maximum": 100,
                            "description": "Wilder's relative strength index over 14 changes of the close. Absent if the close never changed",
                        },
                        "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                        "macd_signal": {
                            "type": "number",
                            "description": "Exponential moving average of macd_line, factor 2/10",
                        },
                        "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                        "bollinger_upper": {
                            "type": "number",
                            "description": "bollinger_middle plus two population standard deviations of the last 20 closes",
                        },
                        "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                        "bollinger_lower": {
                            "type": "number",
                            "description": "bollinger_middle minus two population standard deviations of the last 20 closes",
                        },
                        "volatility": {
                            "type": "number",
                            "minimum": 0,
                            "description": (
                                "Sample standard deviation of the last 20 simple returns between closes, as a "
                                "fraction per bar. Not annualised"
                            ),
                        },
                        "volume_vwap": {
                            "type": "number",
                            "minimum": 0,
                            "description": (
                                "Mean of the closes of the rows in the quote currency, weighted by volume. "
                                "Absent if nothing was traded"
                            ),
                        },
                        "volume_profile": {
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
                        },
                    },
                    "required": [],
                    "additionalProperties": False,
                },
                "metadata": {
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
                },
            },
            "required": ["symbol", "interval", "rows", "stats", "metadata"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "symbol": {
                    "type": "string",
                    "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
                    "description": "Instrument e.g. EURUSD or ETH/USD",
                },
                "interval": {
                    "type": "string",
                    "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
                    "description": "Duration of a bar; bars are aligned to midnight UTC",
                },
                "rows": {
                    "type": "array",
                    "maxItems": 1440,
                    "description": "The bars of the window that exist, oldest first",
                    "items": {
                        "type": "object",
                        "description": "Prices and volume of one interval.",
                        "properties": {
                            "timestamp": {
                                "type": "string",
                                "format": "date-time",
                                "description": "Opening time of the bar, in UTC",
                            },
                            "open": {"type": "number", "description": "First price, in the quote currency"},
                            "high": {"type": "number", "description": "Highest price"},
                            "low": {"type": "number", "description": "Lowest price"},
                            "close": {"type": "number", "description": "Last price"},
                            "volume": {
                                "type": "number",
                                "minimum": 0,
                                "description": "Traded volume, in units of the base currency",
                            },
                        },
                        "required": ["timestamp", "open", "high", "low", "close", "volume"],
                        "additionalProperties": False,
                    },
                },
                "stats": {
                    "type": "object",
                    "description": "Values of the requested features.",
                    "properties": {
                        "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                        "sma_50": {
                            "type": "number",
                            "description": "Mean of the last 50 closes. Absent if fewer exist",
                        },
                        "ema_12": {
                            "type": "number",
                            "description": "Exponential moving average of the closes, factor 2/13",
                        },
                        "ema_26": {
                            "type": "number",
                            "description": "Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist",
                        },
                        "rsi_14": {
                            "type": "number",
                            "minimum": 0,
                            "maximum": 100,
                            "description": "Wilder's relative strength index over 14 changes of the close. Absent if the close never changed",
                        },
                        "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                        "macd_signal": {
                            "type": "number",
                            "description": "Exponential moving average of macd_line, factor 2/10",
                        },
                        "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                        "bollinger_upper": {
                            "type": "number",
                            "description": "bollinger_middle plus two population standard deviations of the last 20 closes",
                        },
                        "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                        "bollinger_lower": {
                            "type": "number",
                            "description": "bollinger_middle minus two population standard deviations of the last 20 closes",
                        },
                        "volatility": {
                            "type": "number",
                            "minimum": 0,
                            "description": (
                                "Sample standard deviation of the last 20 simple returns between closes, as a "
                                "fraction per bar. Not annualised"
                            ),
                        },
                        "volume_vwap": {
                            "type": "number",
                            "minimum": 0,
                            "description": (
                                "Mean of the closes of the rows in the quote currency, weighted by volume. "
                                "Absent if nothing was traded"
                            ),
                        },
                    },
                    "required": [],
                    "additionalProperties": False,
                },
                "metadata": {
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
                },
            },
            "required": ["symbol", "interval", "rows", "stats", "metadata"],
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
                                "MCP-001",
                                "MCP-010",
                                "MCP-007",
                                "MCP-003",
                                "MCP-004",
                                "MCP-999",
                                "MCP-006",
                                "MCP-013",
                                "MCP-008",
                                "MCP-009",
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
                }
            },
            "required": ["error"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

FEATURES_OHLCV_WINDOW_PARAMETERS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
        "start": {
            "type": "string",
            "format": "date-time",
            "description": "Begin of the window; the first bar opens then or later",
        },
        "end": {
            "type": "string",
            "format": "date-time",
            "description": "End of the window; the last bar closes then or earlier",
        },
        "interval": {
            "type": "string",
            "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
            "description": "Duration of a bar; bars are aligned to midnight UTC",
        },
        "features": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "description": "Features to compute for the last bar of the window; volume_profile is of the whole window",
            "items": {
                "type": "string",
                "enum": ["sma", "ema", "rsi", "macd", "bollinger", "volatility", "volume_profile"],
            },
        },
    },
    "required": ["symbol", "start", "end", "interval", "features"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 1.1.0."""

FEATURES_OHLCV_WINDOW_RETURNS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
        "interval": {
            "type": "string",
            "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
            "description": "Duration of a bar; bars are aligned to midnight UTC",
        },
        "rows": {
            "type": "array",
            "maxItems": 1440,
            "description": "The bars of the window that exist, oldest first",
            "items": {
                "type": "object",
                "description": "Prices and volume of one interval.",
                "properties": {
                    "timestamp": {
                        "type": "string",
                        "format": "date-time",
                        "description": "Opening time of the bar, in UTC",
                    },
                    "open": {"type": "number", "description": "First price, in the quote currency"},
                    "high": {"type": "number", "description": "Highest price"},
                    "low": {"type": "number", "description": "Lowest price"},
                    "close": {"type": "number", "description": "Last price"},
                    "volume": {
                        "type": "number",
                        "minimum": 0,
                        "description": "Traded volume, in units of the base currency",
                    },
                },
                "required": ["timestamp", "open", "high", "low", "close", "volume"],
                "additionalProperties": False,
            },
        },
        "stats": {
            "type": "object",
            "description": "Values of the requested features.",
            "properties": {
                "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                "sma_50": {"type": "number", "description": "Mean of the last 50 closes. Absent if fewer exist"},
                "ema_12": {"type": "number", "description": "Exponential moving average of the closes, factor 2/13"},
                "ema_26": {
                    "type": "number",
                    "description": "Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist",
                },
                "rsi_14": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 100,
                    "description": "Wilder's relative strength index over 14 changes of the close. Absent if the close never changed",
                },
                "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                "macd_signal": {
                    "type": "number",
                    "description": "Exponential moving average of macd_line, factor 2/10",
                },
                "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                "bollinger_upper": {
                    "type": "number",
                    "description": "bollinger_middle plus two population standard deviations of the last 20 closes",
                },
                "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                "bollinger_lower": {
                    "type": "number",
                    "description": "bollinger_middle minus two population standard deviations of the last 20 closes",
                },
                "volatility": {
                    "type": "number",
                    "minimum": 0,
                    "description": (
                        "Sample standard deviation of the last 20 simple returns between closes, as a "
                        "fraction per bar. Not annualised"
                    ),
                },
                "volume_vwap": {
                    "type": "number",
                    "minimum": 0,
                    "description": (
                        "Mean of the closes of the rows in the quote currency, weighted by volume. "
                        "Absent if nothing was traded"
                    ),
                },
                "volume_profile": {
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
                },
            },
            "required": [],
            "additionalProperties": False,
        },
        "metadata": {
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
        },
    },
    "required": ["symbol", "interval", "rows", "stats", "metadata"],
    "additionalProperties": False,
}
"""Schema of the result of version 1.1.0."""

FEATURES_OHLCV_WINDOW_PARAMETERS_1_0_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
        "start": {
            "type": "string",
            "format": "date-time",
            "description": "Begin of the window; the first bar opens then or later",
        },
        "end": {
            "type": "string",
            "format": "date-time",
            "description": "End of the window; the last bar closes then or earlier",
        },
        "interval": {
            "type": "string",
            "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
            "description": "Duration of a bar; bars are aligned to midnight UTC",
        },
        "features": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "description": "Features to compute for the last bar of the window; volume_profile is of the whole window",
            "items": {
                "type": "string",
                "enum": ["sma", "ema", "rsi", "macd", "bollinger", "volatility", "volume_profile"],
            },
        },
    },
    "required": ["symbol", "start", "end", "interval", "features"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 1.0.0."""

FEATURES_OHLCV_WINDOW_RETURNS_1_0_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
        "interval": {
            "type": "string",
            "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
            "description": "Duration of a bar; bars are aligned to midnight UTC",
        },
        "rows": {
            "type": "array",
            "maxItems": 1440,
            "description": "The bars of the window that exist, oldest first",
            "items": {
                "type": "object",
                "description": "Prices and volume of one interval.",
                "properties": {
                    "timestamp": {
                        "type": "string",
                        "format": "date-time",
                        "description": "Opening time of the bar, in UTC",
                    },
                    "open": {"type": "number", "description": "First price, in the quote currency"},
                    "high": {"type": "number", "description": "Highest price"},
                    "low": {"type": "number", "description": "Lowest price"},
                    "close": {"type": "number", "description": "Last price"},
                    "volume": {
                        "type": "number",
                        "minimum": 0,
                        "description": "Traded volume, in units of the base currency",
                    },
                },
                "required": ["timestamp", "open", "high", "low", "close", "volume"],
                "additionalProperties": False,
            },
        },
        "stats": {
            "type": "object",
            "description": "Values of the requested features.",
            "properties": {
                "sma_20": {"type": "number", "description": "Mean of the last 20 closes"},
                "sma_50": {"type": "number", "description": "Mean of the last 50 closes. Absent if fewer exist"},
                "ema_12": {"type": "number", "description": "Exponential moving average of the closes, factor 2/13"},
                "ema_26": {
                    "type": "number",
                    "description": "Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist",
                },
                "rsi_14": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 100,
                    "description": "Wilder's relative strength index over 14 changes of the close. Absent if the close never changed",
                },
                "macd_line": {"type": "number", "description": "ema_12 minus ema_26, in the quote currency"},
                "macd_signal": {
                    "type": "number",
                    "description": "Exponential moving average of macd_line, factor 2/10",
                },
                "macd_histogram": {"type": "number", "description": "macd_line minus macd_signal"},
                "bollinger_upper": {
                    "type": "number",
                    "description": "bollinger_middle plus two population standard deviations of the last 20 closes",
                },
                "bollinger_middle": {"type": "number", "description": "Mean of the last 20 closes"},
                "bollinger_lower": {
                    "type": "number",
                    "description": "bollinger_middle minus two population standard deviations of the last 20 closes",
                },
                "volatility": {
                    "type": "number",
                    "minimum": 0,
                    "description": (
                        "Sample standard deviation of the last 20 simple returns between closes, as a "
                        "fraction per bar. Not annualised"
                    ),
                },
                "volume_vwap": {
                    "type": "number",
                    "minimum": 0,
                    "description": (
                        "Mean of the closes of the rows in the quote currency, weighted by volume. "
                        "Absent if nothing was traded"
                    ),
                },
            },
            "required": [],
            "additionalProperties": False,
        },
        "metadata": {
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
        },
    },
    "required": ["symbol", "interval", "rows", "stats", "metadata"],
    "additionalProperties": False,
}
"""Schema of the result of version 1.0.0."""

FEATURES_LIVE_MARKET_DATA_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
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
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
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
                    "volume": {
                        "type": "number",
                        "minimum": 0,
                        "description": "Traded volume, in units of the base currency",
                    },
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

FEATURES_LIVE_MARKET_DATA_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "symbol": {
                    "type": "string",
                    "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
                    "description": "Instrument e.g. EURUSD or ETH/USD",
                },
                "ticks": {
                    "type": "array",
                    "maxItems": 1000,
                    "description": "The ticks, oldest first",
                    "items": {
                        "type": "object",
                        "description": "A price at a moment.",
                        "properties": {
                            "timestamp": {
                                "type": "string",
                                "format": "date-time",
                                "description": "Time of the tick, in UTC",
                            },
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
                            "volume": {
                                "type": "number",
                                "minimum": 0,
                                "description": "Traded volume, in units of the base currency",
                            },
                        },
                        "required": ["timestamp", "price"],
                        "additionalProperties": False,
                    },
                },
                "metadata": {
                    "type": "object",
                    "description": "Completeness of the ticks.",
                    "properties": {
                        "total_ticks": {
                            "type": "integer",
                            "minimum": 1,
                            "maximum": 1000,
                            "description": "Number of ticks",
                        },
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
                                "MCP-010",
                                "MCP-007",
                                "MCP-001",
                                "MCP-003",
                                "MCP-004",
                                "MCP-999",
                                "MCP-006",
                                "MCP-013",
                                "MCP-008",
                                "MCP-009",
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
                }
            },
            "required": ["error"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""
