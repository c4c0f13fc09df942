"""JSON Schemas of market-data-mcp.

Generated from contracts/tradestream/market_data.json; do not edit. Regenerate with `nox -s generate`.
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

GET_CANDLES_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "timeframe": {
            "type": "string",
            "enum": ["1m", "5m", "15m", "1h", "4h", "1d"],
            "default": "1h",
            "description": "Duration of a candle, 1h if absent; periods are aligned to midnight UTC",
        },
        "limit": {
            "type": "integer",
            "default": 100,
            "minimum": 1,
            "maximum": 1000,
            "description": "Number of candles to return per page, 1 to 1000; 100 if absent",
        },
        "offset": {
            "type": "integer",
            "default": 0,
            "minimum": 0,
            "maximum": 1000000,
            "description": "Number of candles to skip, counted back from the newest",
        },
        "force_refresh": _FORCE_REFRESH,
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_candles."""

GET_CANDLES_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "maxItems": 1000,
            "description": "The newest closed candles after the offset, oldest first",
            "items": {
                "type": "object",
                "description": "Prices and volume of one period.",
                "properties": {
                    "timestamp": {
                        "type": "string",
                        "format": "date-time",
                        "description": "Opening time of the candle, in UTC",
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

GET_CURRENT_PRICE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"symbol": _SYMBOL, "force_refresh": _FORCE_REFRESH},
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_current_price."""

GET_CURRENT_PRICE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "price": {"type": "number", "description": "The newest close, in the quote currency"},
        "change_1h": {
            "type": "number",
            "description": (
                "Change of the price in the last hour, as a fraction: 0.023 is 2.3 percent. "
                "Absent if there is no price between one and two hours ago"
            ),
        },
        "change_24h": {
            "type": "number",
            "description": (
                "Change of the price in the last 24 hours, as a fraction. Absent if there is no "
                "price between 24 and 25 hours ago"
            ),
        },
        "volume_24h": {
            "type": "number",
            "minimum": 0,
            "description": "Traded volume of the 24 hours up to the price, in units of the base currency",
        },
        "timestamp": {
            "type": "string",
            "format": "date-time",
            "description": "Opening time of the minute whose close is the price, in UTC",
        },
    },
    "required": ["price", "volume_24h", "timestamp"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

GET_VOLATILITY_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "timeframe": {
            "type": "string",
            "enum": ["1h", "4h", "1d"],
            "default": "1h",
            "description": "Duration of the measured bars, 1h if absent: the last 100 closed ones",
        },
        "force_refresh": _FORCE_REFRESH,
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_volatility."""

GET_VOLATILITY_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "volatility": {
            "type": "number",
            "minimum": 0,
            "description": (
                "Population standard deviation of simple close-to-close returns, as a fraction per bar. Not annualised"
            ),
        },
        "atr": {
            "type": "number",
            "minimum": 0,
            "description": "Average True Range after Wilder over 14 bars, in the quote currency",
        },
        "high_low_range": {
            "type": "number",
            "minimum": 0,
            "description": "Highest high minus lowest low, in the quote currency",
        },
    },
    "required": ["volatility", "atr", "high_low_range"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

PROMPT_DETECT_PATTERNS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": _SYMBOL,
        "candles": {
            "type": "integer",
            "minimum": 20,
            "maximum": 500,
            "default": 100,
            "description": "Number of candles to look at, 20 to 500",
        },
    },
    "required": ["symbol"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt detect-patterns."""
