"""Compare backtest-mcp's contract with the specification, and its parts with each other."""

import re
from typing import Any, Final

from generated.tradestream.backtester_pb2 import DESCRIPTOR
from tests.contracts.differences import A_SENTENCE
from tests.contracts.reading import contracts, tool
from tests.contracts.stores import (
    BOUND,
    BOUNDS,
    CLOSED,
    DETAILS,
    FORMATS,
    MEANINGS,
    STATUSES,
    Table,
    closed,
    fraction,
    meanings,
    merged,
    places,
    statuses,
    under,
)
from tests.contracts.test_seeds import differences, judge, promised, specification, specified

_PAIR = "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$"
_ID = {"strategy_id": {"type": "string"}}
_RUN, _PAST = "run_backtest", "get_historical_performance"
_RESULT, _WHOLE = f"{_RUN}/returns", f"{_PAST}/returns"
_EQUITY = {
    "type": "object",
    "description": A_SENTENCE,
    "properties": {
        "month": {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$", "description": A_SENTENCE},
        "equity": {"type": "number", "minimum": 0, "description": A_SENTENCE},
        "max_drawdown": {"type": "number", "minimum": 0, "maximum": 1, "description": A_SENTENCE},
        "ends_on": {"type": "string", "format": "date", "description": A_SENTENCE},
    },
    "required": ["month", "equity"],
    "additionalProperties": False,
}
_MONTHS = f"{_WHOLE}/properties/performance_by_month"
_MONTH = {
    "type": "object",
    "description": A_SENTENCE,
    "properties": {
        "month": {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$", "description": A_SENTENCE},
        "signals": {"type": "integer", "minimum": 0, "description": A_SENTENCE},
        "accuracy": {"type": "number", "minimum": 0, "maximum": 1, "description": A_SENTENCE},
        "return": {"type": "number", "minimum": -1, "description": A_SENTENCE},
    },
    "required": ["month", "signals", "return"],
    "additionalProperties": False,
}

BACKTEST: Final[dict[str, Table]] = {
    FORMATS: {f"{name}/parameters/properties/symbol/pattern": _PAIR for name in (_RUN, _PAST)},
    CLOSED: merged(
        [
            closed(f"{_RUN}/parameters"),
            closed(f"{_PAST}/parameters"),
            closed(_RESULT, "total_return max_drawdown trades"),
            closed(_WHOLE, "total_signals avg_return sharpe performance_by_month"),
        ]
    ),
    BOUNDS: {
        f"{_RESULT}/properties/total_return/minimum": -1,
        f"{_RESULT}/properties/trades/minimum": 0,
        f"{_WHOLE}/properties/total_signals/minimum": 0,
        f"{_WHOLE}/properties/avg_return/minimum": -1,
    }
    | merged(map(fraction, under(_RESULT, "max_drawdown win_rate") + under(_WHOLE, "accuracy"))),
    "The specification does not say what a month of performance is. A year of months has parts of thirteen.": {
        f"{_MONTHS}/items": _MONTH,
        f"{_MONTHS}/minItems": 1,
        f"{_MONTHS}/maxItems": 13,
    },
    MEANINGS: meanings(
        *under(f"{_RUN}/parameters", "strategy_id symbol start_date end_date"),
        *under(f"{_PAST}/parameters", "strategy_id symbol period force_refresh"),
        *under(_RESULT, "total_return sharpe_ratio max_drawdown win_rate trades"),
        *under(_WHOLE, "total_signals accuracy avg_return sharpe performance_by_month"),
    ),
    BOUND: places(_PAST, INVALID_PERIOD="/period")
    | {
        f"{_RUN}/errors/INVALID_SYMBOL/when": {"at": ["/symbol"]},
        f"{_RUN}/errors/BACKTEST_TIMEOUT/when": {"occasion": "deadline"},
    },
    STATUSES: statuses(
        _RUN,
        STRATEGY_NOT_FOUND=404,
        INVALID_SYMBOL=400,
        INVALID_DATE_RANGE=422,
        INSUFFICIENT_DATA=422,
        BACKTEST_TIMEOUT=504,
    )
    | statuses(_PAST, STRATEGY_NOT_FOUND=404, INVALID_PERIOD=400, NO_PERFORMANCE_DATA=404),
    "A backtest may be a task, which needs a store, and whose caller wants to see more than its end.": {
        "backtest-mcp/pools/redis": {},
        f"{_RUN}/parameters/properties/by_month": {"type": "boolean", "default": False, "description": A_SENTENCE},
        f"{_RESULT}/properties/equity_curve": {
            "type": "array",
            "minItems": 1,
            "maxItems": 13,
            "description": A_SENTENCE,
            "items": _EQUITY,
        },
    },
    "A backtest that was too slow may be fast enough on a less busy machine.": {
        f"{_RUN}/errors/BACKTEST_TIMEOUT/retryable": True
    },
    DETAILS: {
        f"{_RUN}/errors/STRATEGY_NOT_FOUND/details": _ID,
        f"{_RUN}/errors/INSUFFICIENT_DATA/details": {
            "symbol": {"type": "string"},
            "available": {"type": "integer", "description": A_SENTENCE},
        },
        f"{_PAST}/errors/STRATEGY_NOT_FOUND/details": _ID,
        f"{_PAST}/errors/NO_PERFORMANCE_DATA/details": _ID,
    },
    "The library's own exception is called GrpcError.": {f"{_RUN}/errors/GRPC_ERROR/name": "BacktesterUnavailable"},
    "A backtest reads the strategy and the candles first: where these are away, the backtester is not to blame.": {
        f"{_RUN}/errors/DATABASE_ERROR": {"description": A_SENTENCE, "when": {"occasion": "source"}},
    },
    "A backtest of a year is 40 MB: how many of them may be on the way is bounded.": {
        "backtest-mcp/pools/grpc/max_in_flight": 6,
    },
}


def pools(specified: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    """Return the parsed limits of each kind of source."""
    server = specified["backtest-mcp"]
    numbers = {kind: {key: n for key, n in pool.items() if isinstance(n, int)} for kind, pool in limits.items()}
    return specified | {"backtest-mcp": server | {"pools": numbers}}


def test_the_contract_differs_from_the_specification_only_where_a_reason_is_given() -> None:
    theirs = pools(specified("backtest"), specification("backtest")["connection_pools"])
    ours = promised("tradestream.backtest")
    ours = pools(ours, ours["backtest-mcp"]["pools"])
    assert judge(dict(differences(theirs, ours)), BACKTEST) == []


def test_no_difference_has_two_reasons() -> None:
    found = [place for rows in BACKTEST.values() for place in rows]
    assert len(found) == len(set(found))


def test_tools_have_the_order_of_the_specification_and_its_codes_come_first() -> None:
    specified, ours = specification("backtest")["tools"], contracts()["tradestream.backtest"]["tools"]
    assert [tool["name"] for tool in ours] == [tool["name"] for tool in specified]
    for theirs, mine in zip(specified, ours, strict=True):
        codes = [error["code"] for error in theirs["errors"]]
        assert [error["code"] for error in mine["errors"]][: len(codes)] == codes


def test_a_backtest_ends_before_the_third_ping_that_a_default_service_tolerates() -> None:
    limits = contracts()["tradestream.backtest"]["sources"]["backtester"]
    deadline_s = tool("tradestream.backtest", _RUN)["deadline"]["timeout_ms"] / 1000
    assert deadline_s / limits["keepalive_interval_s"] <= 2


def test_a_year_may_be_a_leap_year() -> None:
    spans = [each for each in tool("tradestream.backtest", _RUN)["conditions"] if "span" in each]
    assert [each["at_most"] for each in spans] == ["P366D"]


PUBLIC = """
Candle timestamp 1 currency_pair 2 open 3 high 4 low 5 close 6 volume 7
Strategy parameters 2 strategy_name 3
BacktestRequest candles 1 strategy 2
BacktestResult timeframe 1 cumulative_return 2 annualized_return 3 sharpe_ratio 4 sortino_ratio 5 max_drawdown 6
volatility 7 win_rate 8 profit_factor 9 number_of_trades 10 average_trade_duration 11 alpha 12 beta 13 strategy_score 14
"""
"""The names and numbers of TradeStream's public backtesting service."""


def test_the_protocol_of_the_backtester_has_the_names_and_numbers_of_the_public_service() -> None:
    messages = DESCRIPTOR.message_types_by_name
    ours = [f"{name} " + " ".join(f"{of.name} {of.number}" for of in each.fields) for name, each in messages.items()]
    assert " ".join(ours) == re.sub(r"\s+", " ", PUBLIC.strip())
    service = DESCRIPTOR.services_by_name["BacktestingService"]
    assert service.full_name == "backtesting.BacktestingService"
    assert [(each.name, each.input_type.name, each.output_type.name) for each in service.methods] == [
        ("RunBacktest", "BacktestRequest", "BacktestResult")
    ]
