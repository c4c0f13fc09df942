"""JSON Schemas of moex-iss-mcp.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_TICKER: Final[JsonObject] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 16,
    "description": "Security ticker, e.g. 'SBER'.",
}

_BOARD: Final[JsonObject] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 16,
    "description": "MOEX board, e.g. 'TQBR'.",
    "default": "TQBR",
}

GET_SECURITY_SNAPSHOT_PARAMETERS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetSecuritySnapshotInput",
    "type": "object",
    "properties": {"ticker": _TICKER, "board": _BOARD},
    "required": ["ticker"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_security_snapshot."""

_ERROR: Final[JsonObject] = {
    "type": ["null", "object"],
    "properties": {"error_type": {"type": "string"}, "message": {"type": "string"}, "details": {}},
    "required": ["error_type", "message"],
    "additionalProperties": True,
}

GET_SECURITY_SNAPSHOT_RETURNS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetSecuritySnapshotOutput",
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "enum": ["moex-iss"]},
                "ticker": {"type": "string"},
                "board": {"type": "string"},
                "as_of": {"type": "string", "format": "date-time"},
            },
            "required": ["source", "ticker", "board", "as_of"],
            "additionalProperties": False,
        },
        "data": {
            "type": "object",
            "properties": {
                "last_price": {"type": "number"},
                "price_change_abs": {"type": "number"},
                "price_change_pct": {"type": "number"},
                "open_price": {"type": "number"},
                "high_price": {"type": "number"},
                "low_price": {"type": "number"},
                "volume": {"type": "number"},
                "value": {"type": "number"},
            },
            "required": ["last_price", "price_change_abs", "price_change_pct"],
            "additionalProperties": True,
        },
        "metrics": {
            "type": "object",
            "properties": {"intraday_volatility_estimate": {"type": "number"}},
            "required": [],
            "additionalProperties": True,
        },
        "error": _ERROR,
    },
    "required": ["metadata", "data"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

GET_OHLCV_TIMESERIES_PARAMETERS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetOhlcvTimeseriesInput",
    "type": "object",
    "properties": {
        "ticker": _TICKER,
        "board": _BOARD,
        "from_date": {
            "type": "string",
            "format": "date",
            "description": "Start date, inclusive, in ISO format (YYYY-MM-DD).",
        },
        "to_date": {
            "type": "string",
            "format": "date",
            "description": "End date, inclusive, in ISO format (YYYY-MM-DD).",
        },
        "interval": {
            "type": "string",
            "enum": ["1d", "1h"],
            "description": "Aggregation interval: 1d (daily) or 1h (hourly).",
            "default": "1d",
        },
    },
    "required": ["ticker", "from_date", "to_date"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_ohlcv_timeseries."""

GET_OHLCV_TIMESERIES_RETURNS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetOhlcvTimeseriesOutput",
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "enum": ["moex-iss"]},
                "ticker": {"type": "string"},
                "board": {"type": "string"},
                "interval": {"type": "string", "enum": ["1d", "1h"]},
                "from_date": {"type": "string", "format": "date"},
                "to_date": {"type": "string", "format": "date"},
            },
            "required": ["source", "ticker", "interval", "from_date", "to_date"],
            "additionalProperties": False,
        },
        "data": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "ts": {"type": "string", "format": "date-time"},
                    "open": {"type": "number"},
                    "high": {"type": "number"},
                    "low": {"type": "number"},
                    "close": {"type": "number"},
                    "volume": {"type": "number"},
                    "value": {"type": "number"},
                },
                "required": ["ts", "open", "high", "low", "close"],
                "additionalProperties": True,
            },
        },
        "metrics": {
            "type": "object",
            "properties": {
                "total_return_pct": {"type": "number"},
                "annualized_volatility": {"type": "number"},
                "avg_daily_volume": {"type": "number"},
            },
            "required": [],
            "additionalProperties": True,
        },
        "error": _ERROR,
    },
    "required": ["metadata", "data"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

GET_INDEX_CONSTITUENTS_METRICS_PARAMETERS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetIndexConstituentsMetricsInput",
    "type": "object",
    "properties": {
        "index_ticker": {"type": "string", "enum": ["IMOEX", "RTSI"], "description": "Index ticker."},
        "as_of_date": {
            "type": "string",
            "format": "date",
            "description": "Date for which index composition is requested.",
        },
    },
    "required": ["index_ticker", "as_of_date"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_index_constituents_metrics."""

GET_INDEX_CONSTITUENTS_METRICS_RETURNS: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "GetIndexConstituentsMetricsOutput",
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "enum": ["moex-iss"]},
                "index_ticker": {"type": "string"},
                "as_of_date": {"type": "string", "format": "date"},
            },
            "required": ["source", "index_ticker", "as_of_date"],
            "additionalProperties": False,
        },
        "data": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "ticker": {"type": "string"},
                    "weight_pct": {"type": "number"},
                    "last_price": {"type": "number"},
                    "price_change_pct": {"type": "number"},
                    "sector": {"type": "string"},
                },
                "required": ["ticker", "weight_pct"],
                "additionalProperties": True,
            },
        },
        "metrics": {
            "type": "object",
            "properties": {"top5_weight_pct": {"type": "number"}, "num_constituents": {"type": "integer"}},
            "required": [],
            "additionalProperties": True,
        },
        "error": _ERROR,
    },
    "required": ["metadata", "data"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

LIST_SECURITIES_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "board": {
            "type": "string",
            "minLength": 1,
            "maxLength": 16,
            "pattern": "^[A-Za-z0-9][A-Za-z0-9@._-]*$",
            "description": "MOEX board of at most 16 characters, by default 'TQBR', the main one.",
            "default": "TQBR",
        }
    },
    "required": [],
    "additionalProperties": False,
}
"""Schema of the arguments of list_securities."""

LIST_SECURITIES_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "enum": ["moex-iss"]},
                "board": {"type": "string", "description": "The board"},
            },
            "required": ["source", "board"],
            "additionalProperties": False,
        },
        "data": {
            "type": "array",
            "maxItems": 5000,
            "description": "Securities by ticker; empty for a board that the exchange does not know",
            "items": {
                "type": "object",
                "properties": {
                    "ticker": {"type": "string", "description": "Ticker, e.g. SBER"},
                    "share_class": {
                        "type": "string",
                        "enum": ["ordinary", "preferred", "other"],
                        "description": "Class of the share",
                    },
                    "names": {
                        "type": "array",
                        "maxItems": 3,
                        "items": {"type": "string"},
                        "description": "Names in Russian and English, e.g. Сбербанк and Sberbank",
                    },
                },
                "required": ["ticker", "share_class", "names"],
                "additionalProperties": False,
            },
        },
        "error": _ERROR,
    },
    "required": ["metadata", "data"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

READ_BOARDS_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the variables in the URI of boards."""

READ_BOARDS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "boards": {
            "type": "array",
            "maxItems": 1000,
            "items": {
                "type": "object",
                "properties": {
                    "board": {"type": "string", "description": "Board, e.g. TQBR"},
                    "title": {"type": "string", "description": "Name of the board, in Russian"},
                    "is_traded": {"type": "boolean", "description": "True if shares are traded there today"},
                },
                "required": ["board", "title", "is_traded"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["boards"],
    "additionalProperties": False,
}
"""Schema of the content of boards."""

READ_CALENDAR_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"year": {"type": "integer", "minimum": 2010, "maximum": 2100, "description": "Year, e.g. 2026"}},
    "required": ["year"],
    "additionalProperties": False,
}
"""Schema of the variables in the URI of calendar."""

_OPENS: Final[JsonObject] = {"type": "string", "description": "Moscow time of the opening, HH:MM:SS; absent if closed"}

_CLOSES: Final[JsonObject] = {"type": "string", "description": "Moscow time of the close, HH:MM:SS; absent if closed"}

READ_CALENDAR_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "year": {"type": "integer", "description": "Year"},
        "week": {
            "type": "array",
            "maxItems": 7,
            "description": "Usual days, Monday first",
            "items": {
                "type": "object",
                "properties": {
                    "week_day": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 7,
                        "description": "Day of the week; Monday is 1",
                    },
                    "is_trading": {"type": "boolean", "description": "True if the market opens"},
                    "opens": _OPENS,
                    "closes": _CLOSES,
                },
                "required": ["week_day", "is_trading"],
                "additionalProperties": False,
            },
        },
        "exceptions": {
            "type": "array",
            "maxItems": 366,
            "description": "Days of the year that differ from the usual ones, the earliest first",
            "items": {
                "type": "object",
                "properties": {
                    "day": {"type": "string", "format": "date", "description": "Day"},
                    "is_trading": {"type": "boolean", "description": "True if the market opens"},
                    "opens": _OPENS,
                    "closes": _CLOSES,
                },
                "required": ["day", "is_trading"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["year", "week", "exceptions"],
    "additionalProperties": False,
}
"""Schema of the content of calendar."""

_PROMPT_SECURITY_OVERVIEW_PARAMETERS_TICKER: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Za-z0-9][A-Za-z0-9@._-]{0,15}$",
    "description": "Ticker on the main board, e.g. SBER; a name such as Сбербанк finds it",
}

_LANGUAGE: Final[JsonObject] = {
    "type": "string",
    "enum": ["ru", "en"],
    "default": "ru",
    "description": "Language of the answer",
}

PROMPT_SECURITY_OVERVIEW_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"ticker": _PROMPT_SECURITY_OVERVIEW_PARAMETERS_TICKER, "language": _LANGUAGE},
    "required": ["ticker"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt security-overview."""

PROMPT_COMPARE_SECURITIES_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "first": _PROMPT_SECURITY_OVERVIEW_PARAMETERS_TICKER,
        "second": _PROMPT_SECURITY_OVERVIEW_PARAMETERS_TICKER,
        "from_date": {
            "type": "string",
            "format": "date",
            "description": "First day, e.g. 2026-01-15; without it, the first day of the year",
        },
        "to_date": {
            "type": "string",
            "format": "date",
            "description": "Last day, e.g. 2026-02-15; without it, today in Moscow",
        },
        "language": _LANGUAGE,
    },
    "required": ["first", "second"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt compare-securities."""

PROMPT_EXPLAIN_INDEX_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "index_ticker": {"type": "string", "enum": ["IMOEX", "RTSI"], "description": "Index"},
        "language": _LANGUAGE,
    },
    "required": ["index_ticker"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt explain-index."""
