"""List the contracts' additions to the specification, with reasons; stale ones fail.

A place is the server's or tool's name and a JSON pointer; the value is what our contract has there.
"""

from typing import Any, Final

A_SENTENCE: Final = object()
"""Stands for any text: people judge descriptions."""
A_TOOL: Final = object()
"""Stands for a whole tool that the specification lacks."""

_PAIR = "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$"

_TOP = "get_top_strategies/parameters/properties"
_ITEM = "get_top_strategies/returns/properties/items/items"
_PAGE = "get_top_strategies/returns/properties/pagination"
_SIGNAL = "get_strategy_signal/returns"
_VIEW = "get_strategy_consensus/returns"

STRATEGY: Final[dict[str, dict[str, Any]]] = {
    "The purpose is written as a description, which begins with what is described.": {
        "strategy-mcp/description": A_SENTENCE,
    },
    "INVALID_SYMBOL speaks of a symbol's format: the format is a pattern.": {
        f"{_TOP}/symbol/pattern": _PAIR,
        "get_strategy_signal/parameters/properties/symbol/pattern": _PAIR,
        "get_strategy_consensus/parameters/properties/symbol/pattern": _PAIR,
    },
    "A page has a row at least, and begins at the first one or later; a million rows on, nobody reads.": {
        f"{_TOP}/limit/minimum": 1,
        f"{_TOP}/offset/minimum": 0,
        f"{_TOP}/offset/maximum": 1_000_000,
    },
    "An argument nobody knows is a mistake of the caller, and is refused by name.": {
        "get_top_strategies/parameters/additionalProperties": False,
        "get_strategy_signal/parameters/additionalProperties": False,
        "get_strategy_consensus/parameters/additionalProperties": False,
    },
    "A result is whole and holds nothing else, so that a caller need not guess.": {
        f"{_ITEM}/required": ["strategy_id", "name", "score", "sharpe", "accuracy", "signals_count"],
        f"{_ITEM}/additionalProperties": False,
        f"{_PAGE}/required": ["offset", "limit", "total", "has_more"],
        f"{_PAGE}/additionalProperties": False,
        "get_top_strategies/returns/required": ["items", "pagination"],
        "get_top_strategies/returns/additionalProperties": False,
        f"{_SIGNAL}/required": ["signal", "confidence", "triggered_at", "parameters"],
        f"{_SIGNAL}/additionalProperties": False,
        f"{_VIEW}/required": ["bullish_count", "bearish_count", "neutral_count", "consensus", "confidence"],
        f"{_VIEW}/additionalProperties": False,
    },
    "Shares and confidences are fractions, counts are not negative, and a page is no longer than its limit may be.": {
        f"{_ITEM}/properties/accuracy/minimum": 0,
        f"{_ITEM}/properties/accuracy/maximum": 1,
        f"{_ITEM}/properties/signals_count/minimum": 0,
        "get_top_strategies/returns/properties/items/maxItems": 100,
        f"{_PAGE}/properties/offset/minimum": 0,
        f"{_PAGE}/properties/limit/minimum": 1,
        f"{_PAGE}/properties/total/minimum": 0,
        f"{_SIGNAL}/properties/confidence/minimum": 0,
        f"{_SIGNAL}/properties/confidence/maximum": 1,
        f"{_VIEW}/properties/bullish_count/minimum": 0,
        f"{_VIEW}/properties/bearish_count/minimum": 0,
        f"{_VIEW}/properties/neutral_count/minimum": 0,
        f"{_VIEW}/properties/confidence/minimum": 0,
        f"{_VIEW}/properties/confidence/maximum": 1,
    },
    "Each strategy has parameters of its own: the object says that it is open.": {
        f"{_SIGNAL}/properties/parameters/additionalProperties": True,
    },
    "Some hosts drop patterns, bounds and defaults, so that a description says them.": {
        f"{_TOP}/symbol/description": A_SENTENCE,
        f"{_TOP}/limit/description": A_SENTENCE,
        "get_strategy_signal/parameters/properties/symbol/description": A_SENTENCE,
        "get_strategy_consensus/parameters/properties/symbol/description": A_SENTENCE,
    },
    "A number without a unit and a value without a meaning mislead the model that reads them.": {
        f"{_TOP}/metric/description": A_SENTENCE,
        f"{_ITEM}/description": A_SENTENCE,
        f"{_ITEM}/properties/strategy_id/description": A_SENTENCE,
        f"{_ITEM}/properties/name/description": A_SENTENCE,
        f"{_ITEM}/properties/score/description": A_SENTENCE,
        f"{_ITEM}/properties/sharpe/description": A_SENTENCE,
        f"{_ITEM}/properties/accuracy/description": A_SENTENCE,
        f"{_ITEM}/properties/signals_count/description": A_SENTENCE,
        "get_top_strategies/returns/properties/items/description": A_SENTENCE,
        f"{_PAGE}/description": A_SENTENCE,
        f"{_PAGE}/properties/offset/description": A_SENTENCE,
        f"{_PAGE}/properties/limit/description": A_SENTENCE,
        f"{_PAGE}/properties/total/description": A_SENTENCE,
        f"{_PAGE}/properties/has_more/description": A_SENTENCE,
        f"{_SIGNAL}/properties/confidence/description": A_SENTENCE,
        f"{_SIGNAL}/properties/triggered_at/description": A_SENTENCE,
        f"{_SIGNAL}/properties/parameters/description": A_SENTENCE,
        f"{_VIEW}/properties/bullish_count/description": A_SENTENCE,
        f"{_VIEW}/properties/bearish_count/description": A_SENTENCE,
        f"{_VIEW}/properties/neutral_count/description": A_SENTENCE,
        f"{_VIEW}/properties/consensus/description": A_SENTENCE,
        f"{_VIEW}/properties/confidence/description": A_SENTENCE,
    },
    "A code that arises outside the handler is bound to its place.": {
        "get_top_strategies/errors/INVALID_SYMBOL/when": {"at": ["/symbol"]},
        "get_top_strategies/errors/INVALID_METRIC/when": {"at": ["/metric"]},
        "get_top_strategies/errors/DATABASE_ERROR/when": {"occasion": "source"},
        "get_strategy_signal/errors/INVALID_SYMBOL/when": {"at": ["/symbol"]},
        "get_strategy_signal/errors/DATABASE_ERROR/when": {"occasion": "source"},
        "get_strategy_consensus/errors/INVALID_SYMBOL/when": {"at": ["/symbol"]},
        "get_strategy_consensus/errors/DATABASE_ERROR/when": {"occasion": "source"},
    },
    "The specification gives HTTP equivalents to its standard codes alone; those of a tool follow their meaning.": {
        "get_top_strategies/errors/INVALID_SYMBOL/http": 400,
        "get_top_strategies/errors/INVALID_METRIC/http": 400,
        "get_top_strategies/errors/SYMBOL_NOT_FOUND/http": 404,
        "get_strategy_signal/errors/INVALID_SYMBOL/http": 400,
        "get_strategy_signal/errors/STRATEGY_NOT_FOUND/http": 404,
        "get_strategy_signal/errors/NO_SIGNAL/http": 404,
        "get_strategy_consensus/errors/INVALID_SYMBOL/http": 400,
        "get_strategy_consensus/errors/NO_ACTIVE_STRATEGIES/http": 404,
    },
    "The specification's example of an error has details that name what was not found; so do ours.": {
        "get_top_strategies/errors/SYMBOL_NOT_FOUND/details": {"symbol": {"type": "string"}},
        "get_strategy_signal/errors/STRATEGY_NOT_FOUND/details": {"strategy_id": {"type": "string"}},
        "get_strategy_signal/errors/NO_SIGNAL/details": {
            "strategy_id": {"type": "string"},
            "symbol": {"type": "string"},
        },
        "get_strategy_consensus/errors/NO_ACTIVE_STRATEGIES/details": {"symbol": {"type": "string"}},
    },
}

_TICKER: Final[dict[str, Any]] = {
    "description": A_SENTENCE,
    "http": 422,
    "details": {"ticker": {"type": "string"}, "board": {"type": "string"}},
    "when": {"at": ["/ticker"]},
}
_NOTHING: Final[dict[str, Any]] = {
    "description": A_SENTENCE,
    "http": 404,
    "details": {"ticker": {"type": "string", "description": A_SENTENCE}},
}

ISS: Final[dict[str, dict[str, Any]]] = {
    "The specification leaves error_type open; these are the codes it can have.": {
        "get_security_snapshot/errors/INVALID_TICKER": _TICKER,
        "get_security_snapshot/errors/NO_DATA": _NOTHING,
        "get_ohlcv_timeseries/errors/INVALID_TICKER": _TICKER,
        "get_ohlcv_timeseries/errors/NO_DATA": _NOTHING,
        "get_ohlcv_timeseries/errors/INVALID_DATE_RANGE": {"description": A_SENTENCE, "http": 422},
        "get_ohlcv_timeseries/errors/DATE_RANGE_TOO_LARGE": {"description": A_SENTENCE, "http": 422},
        "get_index_constituents_metrics/errors/UNKNOWN_INDEX": {
            "description": A_SENTENCE,
            "http": 404,
            "when": {"at": ["/index_ticker"], "keyword": "enum"},
        },
        "get_index_constituents_metrics/errors/NO_DATA": _NOTHING,
    }
    | {
        f"{tool}/errors/{code}": {"description": A_SENTENCE} | more
        for tool in ("get_security_snapshot", "get_ohlcv_timeseries", "get_index_constituents_metrics")
        for code, more in (
            ("RATE_LIMITED", {"http": 429, "retryable": True}),
            ("ISS_TIMEOUT", {"when": {"occasion": "deadline"}}),
            ("ISS_UNAVAILABLE", {"when": {"occasion": "source"}}),
            ("ISS_BAD_RESPONSE", {"http": 502, "retryable": True}),
        )
    },
    "The schemas are the specification's to the letter, so the description says what each metric means, its formula and its unit.": {
        "get_security_snapshot/description": A_SENTENCE,
        "get_ohlcv_timeseries/description": A_SENTENCE,
        "get_index_constituents_metrics/description": A_SENTENCE,
    },
    "The specification says nothing about caching; the exchange limits how often it may be asked.": {
        "get_security_snapshot/cache": {"ttl_s": 30},
        "get_ohlcv_timeseries/cache": {"ttl_s": 3600, "provisional_ttl_s": 30},
        "get_index_constituents_metrics/cache": {"ttl_s": 60},
    },
    "The specification has no way from a name to a ticker, and the analyst resolves names on the exchange's own list.": {
        "list_securities": A_TOOL,
    },
    "The specification names the server and does not describe it.": {
        "moex-iss-mcp/description": A_SENTENCE,
    },
    "The specification says nothing about connections, nor how often the exchange may be asked.": {
        "moex-iss-mcp/pools/http": {
            "max_connections": 5,
            "connection_timeout_s": 3,
            "timeout_s": 8,
            "requests_per_second": 3,
            "store": "redis",
            "retries": 2,
        },
    },
    "The exchange counts the requests of all replicas together, and so do they, in Redis.": {
        "moex-iss-mcp/pools/redis": {"connection_timeout_s": 1.5, "timeout_s": 1.5},
    },
}

STANDARD_CODES: Final[dict[str, dict[str, Any]]] = {
    "No code of the specification says that the server itself is at fault.": {
        "tradestream/codes/INTERNAL_ERROR": {"http": 500, "description": A_SENTENCE, "retryable": False},
    },
    "No code of the specification says that an idempotency key came again with other arguments.": {
        "tradestream/codes/IDEMPOTENCY_CONFLICT": {"http": 409, "description": A_SENTENCE, "retryable": False},
    },
    "No code of the specification says that a tool is asked for in a version that it has not, or has no more.": {
        "tradestream/codes/UNKNOWN_VERSION": {"http": 404, "description": A_SENTENCE, "retryable": False},
        "tradestream/codes/VERSION_SUNSET": {"http": 410, "description": A_SENTENCE, "retryable": False},
    },
    "No code of the specification says that the server is too busy to finish in time.": {
        "tradestream/codes/OVERLOADED": {"http": 503, "description": A_SENTENCE, "retryable": True},
    },
    "The specification does not say which errors a repeated call may not meet again.": {
        f"tradestream/codes/{code}/retryable": retryable
        for code, retryable in (
            ("DATABASE_ERROR", True),
            ("GRPC_ERROR", True),
            ("TIMEOUT", True),
            ("INVALID_PARAMETER", False),
            ("NOT_FOUND", False),
            ("UNAUTHORIZED", False),
        )
    },
}
