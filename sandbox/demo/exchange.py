"""The calls of moex-iss-mcp, on a stand-in of ISS with tickers that cause faults."""

import asyncio
from datetime import date, datetime, timedelta

from sandbox.demo.calls import UNKNOWN_TOOL, Arguments, Recorder
from sandbox.iss import sessions

SNAPSHOT = "get_security_snapshot"
TIMESERIES = "get_ohlcv_timeseries"
INDEX = "get_index_constituents_metrics"
SECURITIES = "list_securities"


async def call_exchange_tools(recorder: Recorder) -> None:
    """Call every tool of moex-iss-mcp: prices, candles, an index, and a faulty exchange."""
    slow_call = asyncio.create_task(
        recorder.call("the exchange does not answer", "ISS_TIMEOUT", SNAPSHOT, {"ticker": "SLOW"})
    )
    await _prices(recorder)
    await _candles(recorder)
    await _indices(recorder)
    await _lists(recorder)
    await _faults(recorder)
    await recorder.call("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})
    await slow_call


async def _prices(recorder: Recorder) -> None:
    await recorder.call("a share", "result", SNAPSHOT, {"ticker": "SBER"})
    await recorder.call("the same from the cache", "result cached", SNAPSHOT, {"ticker": "SBER"})
    await recorder.call("no trade yet: the previous price", "result", SNAPSHOT, {"ticker": "KROT"})
    await recorder.call("neither trade nor previous price", "NO_DATA", SNAPSHOT, {"ticker": "NSVZ"})
    await recorder.call("an unknown ticker", "INVALID_TICKER", SNAPSHOT, {"ticker": "NOPE"})
    await recorder.call("an unknown board", "INVALID_TICKER", SNAPSHOT, {"ticker": "SBER", "board": "TQTF"})
    await recorder.call("an empty ticker", "INVALID_TICKER", SNAPSHOT, {"ticker": ""})
    await recorder.call("an unknown argument", "VALIDATION_ERROR", SNAPSHOT, {"ticker": "SBER", "since": "today"})


async def _candles(recorder: Recorder) -> None:
    arguments: Arguments = {"ticker": "GAZP", "from_date": _ago(90), "to_date": _ago(1)}
    await recorder.call("three months of days", "result", TIMESERIES, arguments)
    await recorder.call("a month of hours", "result", TIMESERIES, arguments | {"from_date": _ago(30), "interval": "1h"})
    await recorder.call("the same from the cache", "result cached", TIMESERIES, arguments)
    await recorder.call(
        "before it was listed", "NO_DATA", TIMESERIES, arguments | _days("X5", "2023-01-09", "2023-02-10")
    )
    await recorder.call("an unknown ticker", "INVALID_TICKER", TIMESERIES, arguments | {"ticker": "NOPE"})
    await recorder.call(
        "a range that ends before it starts", "INVALID_DATE_RANGE", TIMESERIES, arguments | {"from_date": _ago(0)}
    )
    await recorder.call("more than two years", "DATE_RANGE_TOO_LARGE", TIMESERIES, arguments | {"from_date": _ago(800)})
    await recorder.call("an impossible day", "VALIDATION_ERROR", TIMESERIES, arguments | {"to_date": "2026-02-30"})


async def _indices(recorder: Recorder) -> None:
    arguments: Arguments = {"index_ticker": "IMOEX", "as_of_date": _working_day().isoformat()}
    await recorder.call("the composition of an index", "result", INDEX, arguments)
    await recorder.call("the same from the cache", "result cached", INDEX, arguments)
    await recorder.call("the index in dollars", "result", INDEX, arguments | {"index_ticker": "RTSI"})
    await recorder.call("an unknown index", "UNKNOWN_INDEX", INDEX, arguments | {"index_ticker": "DAX"})
    await recorder.call("before the first composition", "NO_DATA", INDEX, arguments | {"as_of_date": "1995-05-02"})


async def _lists(recorder: Recorder) -> None:
    await recorder.call("the securities of the main board", "result", SECURITIES, {})
    await recorder.call("the same from the cache", "result cached", SECURITIES, {"board": "TQBR"})
    await recorder.call("a malformed board", "VALIDATION_ERROR", SECURITIES, {"board": "TQ BR"})


async def _faults(recorder: Recorder) -> None:
    async def call_faulty(purpose: str, expected: str, ticker: str) -> None:
        await recorder.call(purpose, expected, SNAPSHOT, {"ticker": ticker})

    await call_faulty("the exchange fails", "ISS_UNAVAILABLE", "HTTP503")
    await call_faulty("the exchange closes the connection", "ISS_UNAVAILABLE", "CUT")
    await call_faulty("the exchange limits the rate", "RATE_LIMITED", "HTTP429")
    await call_faulty("the exchange sends half an answer", "ISS_BAD_RESPONSE", "BROKENJSON")
    await call_faulty("the exchange sends an error as success", "ISS_BAD_RESPONSE", "ERRORBLOCK")
    await call_faulty("the exchange sends impossible numbers", "ISS_BAD_RESPONSE", "ABSURD")


def _days(ticker: str, first: str, last: str) -> Arguments:
    return {"ticker": ticker, "from_date": first, "to_date": last}


def _ago(days: int) -> str:
    """Return the date *days* days ago."""
    return (_today() - timedelta(days=days)).isoformat()


def _working_day() -> date:
    """Return a trading day about a week ago: neither a weekend nor a holiday."""
    day = _today() - timedelta(days=7)
    while sessions.is_weekend(day) or not sessions.trading_hours(day):
        day -= sessions.DAY
    return day


def _today() -> date:
    return datetime.now(sessions.MOSCOW).date()
