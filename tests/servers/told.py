"""A conversation with a generated server as a process: everything a host may ask, and what it was told."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from sandbox.tradestream.strategies import generate_implementations
from tests.contracts.reading import contracts
from tests.servers.market import CONSENSUS, NOBODY, SIGNAL, SYMBOL, TOP
from tests.servers.stores import ROOMS, store_script
from tests.servers.wire import Wire, talk
from toolpact.testing import Era

RUN, PAST = "run_backtest", "get_historical_performance"
STRATEGY = next(
    str(each.strategy_id) for each in generate_implementations(1) if each.is_strategy and each.spec.name == "PIVOT"
)
"""A strategy of the sample market."""
UNKNOWN = ["no_such_tool", "", "get_top_strategies ", "GET_TOP_STRATEGIES"]

Object: TypeAlias = dict[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one process was asked and answered."""

    listings: list[Object]
    """The results of tools/list, asked twice."""
    calls: list[tuple[str, Object, str | None, Object]]
    """Tool, arguments, the code that is due, and the result of tools/call."""
    unknown: list[Object]
    """The whole answers to calls of tools that do not exist."""
    misshapen: Object
    """The whole answer to a call whose arguments are no object."""


Script: TypeAlias = list[tuple[str, Object, str | None]]
"""Tool, arguments, and the code that is due; None for a result."""


def script(room: str, strategy_id: str) -> Script:
    """What a process is asked."""
    if room in ROOMS.values():
        return store_script(room)
    scripts: dict[str, Script] = {
        "tradestream.strategy": [
            (TOP, {"symbol": SYMBOL}, None),
            (TOP, {"symbol": SYMBOL}, None),
            (TOP, {"symbol": SYMBOL, "limit": 2.0, "offset": 1, "metric": "return", "force_refresh": True}, None),
            (TOP, {"symbol": SYMBOL, "offset": 1_000_000}, None),
            (SIGNAL, {"symbol": SYMBOL, "strategy_id": strategy_id}, None),
            (CONSENSUS, {"symbol": SYMBOL}, None),
            (TOP, {}, "INVALID_SYMBOL"),
            (TOP, {"symbol": SYMBOL, "limit": "5"}, "INVALID_PARAMETER"),
            (TOP, {"symbol": SYMBOL, "metric": None}, "INVALID_METRIC"),
            (TOP, {"symbol": "NOTHING/USD"}, "SYMBOL_NOT_FOUND"),
            (SIGNAL, {"symbol": SYMBOL, "strategy_id": NOBODY}, "STRATEGY_NOT_FOUND"),
            (SIGNAL, {"symbol": "BTC/USD", "strategy_id": strategy_id}, "NO_SIGNAL"),
            (CONSENSUS, {"symbol": "NOTHING/USD"}, "NO_ACTIVE_STRATEGIES"),
        ],
        "tradestream.market_data": [
            ("get_candles", {"symbol": SYMBOL, "timeframe": "5m", "limit": 3.0, "offset": 1, "force_refresh": True}, None),
            ("get_candles", {"symbol": SYMBOL, "timeframe": "5m", "offset": 1_000_000}, None),
            ("get_current_price", {"symbol": SYMBOL}, None),
            ("get_current_price", {"symbol": SYMBOL}, None),
            ("get_volatility", {"symbol": SYMBOL}, None),
            ("get_candles", {"symbol": "ETH/USD' OR '1'='1"}, "INVALID_SYMBOL"),
            ("get_candles", {"symbol": SYMBOL, "timeframe": "2h"}, "INVALID_TIMEFRAME"),
            ("get_candles", {"symbol": SYMBOL, "limit": 1001}, "INVALID_PARAMETER"),
            ("get_candles", {"symbol": "NOTHING/USD"}, "NO_DATA"),
            ("get_current_price", {}, "INVALID_SYMBOL"),
            ("get_current_price", {"symbol": "NOTHING/USD"}, "SYMBOL_NOT_FOUND"),
            ("get_volatility", {"symbol": "NOTHING/USD"}, "INSUFFICIENT_DATA"),
            ("get_volatility", {"symbol": SYMBOL, "timeframe": "1m"}, "INVALID_TIMEFRAME"),
        ],
        "tradestream.backtest": [
            (RUN, {"symbol": SYMBOL, "strategy_id": STRATEGY, "start_date": days_ago(2)}, None),
            (RUN, {"symbol": "NEW/USD", "strategy_id": STRATEGY}, "INSUFFICIENT_DATA"),
            (RUN, {"symbol": SYMBOL, "strategy_id": NOBODY}, "STRATEGY_NOT_FOUND"),
            (RUN, {"symbol": SYMBOL, "strategy_id": STRATEGY, "start_date": days_ago(-2)}, "INVALID_DATE_RANGE"),
            (RUN, {"symbol": SYMBOL, "strategy_id": STRATEGY, "end_date": "2026-02-30"}, "INVALID_PARAMETER"),
            (RUN, {"symbol": SYMBOL}, "INVALID_PARAMETER"),
            (RUN, {}, "INVALID_SYMBOL"),
            (PAST, {"strategy_id": STRATEGY}, None),
            (PAST, {"strategy_id": STRATEGY, "period": "1y", "symbol": None}, "INVALID_PARAMETER"),
            (PAST, {"strategy_id": STRATEGY, "period": "1y", "force_refresh": True}, None),
            (PAST, {"strategy_id": STRATEGY, "period": "2y"}, "INVALID_PERIOD"),
            (PAST, {"strategy_id": STRATEGY, "symbol": "NEW/USD"}, "NO_PERFORMANCE_DATA"),
            (PAST, {"strategy_id": NOBODY}, "STRATEGY_NOT_FOUND"),
        ],
        "moex.iss": [
            ("get_security_snapshot", {"ticker": ticker}, due)
            for ticker, due in {
                "SBER": None, "KROT": None, "TATNP": None, "NOPE": "INVALID_TICKER", "": "INVALID_TICKER",
                "NSVZ": "NO_DATA", "HTTP500": "ISS_UNAVAILABLE", "NOTJSON": "ISS_BAD_RESPONSE", "ABSURD": "ISS_BAD_RESPONSE",
            }.items()
        ] + [("get_security_snapshot", {"ticker": "SBER", "board": 1}, "VALIDATION_ERROR")],
    }  # fmt: skip
    return scripts[room]


def days_ago(days: int) -> str:
    """A day, as a date in UTC."""
    return str((datetime.now(UTC) - timedelta(days=days)).date())


async def converse(room: str, era: Era, environment: dict[str, str], asked: Script) -> Told:
    """Ask a process everything."""
    async with talk(f"generated.{room}", era=era, environment=environment) as wire:
        listings = [(await wire.ask("tools/list", {}))["result"] for _ in range(2)]
        unknown = [await call(wire, name, {}) for name in UNKNOWN]
        misshapen = await call(wire, contracts()[room]["tools"][0]["name"], ["ETH/USD"])
        answers = [(await call(wire, name, arguments))["result"] for name, arguments, _ in asked]
    calls = [(*each, answer) for each, answer in zip(asked, answers, strict=True)]
    return Told(listings=listings, calls=calls, unknown=unknown, misshapen=misshapen)


async def call(wire: Wire, name: str, arguments: Any) -> Object:
    return await wire.ask("tools/call", {"name": name, "arguments": arguments})
