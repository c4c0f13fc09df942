"""List the additions of market-data-mcp's contract to the specification, with reasons."""

from typing import Final

from tests.contracts.differences import A_SENTENCE
from tests.contracts.stores import (
    BOUND,
    CLOSED,
    DESCRIBED,
    DETAILS,
    FORMATS,
    MEANINGS,
    PAGES,
    STATUSES,
    Table,
    closed,
    meanings,
    merged,
    page,
    page_closed,
    page_meanings,
    places,
    statuses,
    under,
)

_PAIR = "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$"
_TOOLS = ("get_candles", "get_current_price", "get_volatility")
_CANDLE = "get_candles/returns/properties/items/items"
_PRICE = "get_current_price/returns"
_MOVES = "get_volatility/returns"
_SYMBOL = {"symbol": {"type": "string"}}

MARKET_DATA: Final[dict[str, Table]] = {
    DESCRIBED: {"market-data-mcp/description": A_SENTENCE},
    FORMATS: {f"{tool}/parameters/properties/symbol/pattern": _PAIR for tool in _TOOLS}
    | {
        f"{_CANDLE}/properties/timestamp/format": "date-time",
        f"{_PRICE}/properties/timestamp/format": "date-time",
    },
    PAGES: page("get_candles", 1000),
    CLOSED: merged(
        [
            page_closed("get_candles", "timestamp open high low close volume"),
            closed("get_current_price/parameters"),
            closed("get_volatility/parameters"),
            closed(_MOVES, "volatility atr high_low_range"),
        ]
    ),
    "A price that has no hour or day behind it has no change, and a change that is not there is left out.": closed(
        _PRICE, "price volume_24h timestamp"
    ),
    "What was traded and how far a price goes is never less than nothing.": {
        f"{_CANDLE}/properties/volume/minimum": 0,
        f"{_PRICE}/properties/volume_24h/minimum": 0,
        **{f"{place}/minimum": 0 for place in under(_MOVES, "volatility atr high_low_range")},
    },
    MEANINGS: page_meanings("get_candles")
    | meanings(
        *(f"{tool}/parameters/properties/{name}" for tool in _TOOLS for name in ("symbol", "force_refresh")),
        *(f"{tool}/parameters/properties/timeframe" for tool in ("get_candles", "get_volatility")),
        *under(_CANDLE, "timestamp open high low close volume"),
        *under(_PRICE, "price change_1h change_24h volume_24h timestamp"),
        *under(_MOVES, "volatility atr high_low_range"),
    ),
    BOUND: merged(
        [
            places("get_candles", INVALID_SYMBOL="/symbol", INVALID_TIMEFRAME="/timeframe"),
            places("get_current_price", INVALID_SYMBOL="/symbol"),
            places("get_volatility", INVALID_SYMBOL="/symbol", INVALID_TIMEFRAME="/timeframe"),
        ]
    ),
    STATUSES: merged(
        [
            statuses("get_candles", INVALID_SYMBOL=400, INVALID_TIMEFRAME=400, NO_DATA=404),
            statuses("get_current_price", INVALID_SYMBOL=400, SYMBOL_NOT_FOUND=404, STALE_DATA=503),
            statuses("get_volatility", INVALID_SYMBOL=400, INVALID_TIMEFRAME=400, INSUFFICIENT_DATA=422),
        ]
    ),
    "The newest minute arrives a moment later, so the call may be repeated.": {
        "get_current_price/errors/STALE_DATA/retryable": True
    },
    DETAILS: {
        "get_candles/errors/NO_DATA/details": _SYMBOL | {"timeframe": {"type": "string"}},
        "get_current_price/errors/SYMBOL_NOT_FOUND/details": _SYMBOL,
        "get_current_price/errors/STALE_DATA/details": _SYMBOL
        | {
            "timestamp": {"type": "string", "description": A_SENTENCE},
            "age_s": {"type": "number", "description": A_SENTENCE},
            "max_age_s": {"type": "integer", "description": A_SENTENCE},
        },
        "get_volatility/errors/INSUFFICIENT_DATA/details": _SYMBOL
        | {"available": {"type": "integer", "description": A_SENTENCE}},
    },
}
