"""The scenes of moex-iss-mcp, on a stand-in of ISS with tickers that cause faults."""

import asyncio
from datetime import date, datetime, timedelta

from sandbox.demo.scenes import UNKNOWN_TOOL, Arguments, Stage
from sandbox.iss import sessions

SNAPSHOT = "get_security_snapshot"
TIMESERIES = "get_ohlcv_timeseries"
INDEX = "get_index_constituents_metrics"


async def exchange(stage: Stage) -> None:
    """Call every tool of moex-iss-mcp: prices, candles, an index, and a faulty exchange."""
    silence = asyncio.create_task(
        stage.play("the exchange does not answer", "ISS_TIMEOUT", SNAPSHOT, {"ticker": "SLOW"})
    )
    await _prices(stage)
    await _past(stage)
    await _indices(stage)
    await _misbehaviour(stage)
    await stage.play("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})
    await silence


async def _prices(stage: Stage) -> None:
    await stage.play("a share", "result", SNAPSHOT, {"ticker": "SBER"})
    await stage.play("the same from the cache", "result", SNAPSHOT, {"ticker": "SBER"})
    await stage.play("no trade yet: the previous price", "result", SNAPSHOT, {"ticker": "KROT"})
    await stage.play("neither trade nor previous price", "NO_DATA", SNAPSHOT, {"ticker": "NSVZ"})
    await stage.play("an unknown ticker", "INVALID_TICKER", SNAPSHOT, {"ticker": "NOPE"})
    await stage.play("an unknown board", "INVALID_TICKER", SNAPSHOT, {"ticker": "SBER", "board": "TQTF"})
    await stage.play("an empty ticker", "INVALID_TICKER", SNAPSHOT, {"ticker": ""})
    await stage.play("an argument too many", "VALIDATION_ERROR", SNAPSHOT, {"ticker": "SBER", "since": "today"})


async def _past(stage: Stage) -> None:
    asked: Arguments = {"ticker": "GAZP", "from_date": _ago(90), "to_date": _ago(1)}
    await stage.play("three months of days", "result", TIMESERIES, asked)
    await stage.play("a month of hours", "result", TIMESERIES, asked | {"from_date": _ago(30), "interval": "1h"})
    await stage.play("the same from the cache", "result", TIMESERIES, asked)
    await stage.play("before it was listed", "NO_DATA", TIMESERIES, asked | _days("X5", "2023-01-09", "2023-02-10"))
    await stage.play("nobody of that name", "INVALID_TICKER", TIMESERIES, asked | {"ticker": "NOPE"})
    await stage.play("the end before the beginning", "INVALID_DATE_RANGE", TIMESERIES, asked | {"from_date": _ago(0)})
    await stage.play("more than two years", "DATE_RANGE_TOO_LARGE", TIMESERIES, asked | {"from_date": _ago(800)})
    await stage.play("a day that never was", "VALIDATION_ERROR", TIMESERIES, asked | {"to_date": "2026-02-30"})


async def _indices(stage: Stage) -> None:
    asked: Arguments = {"index_ticker": "IMOEX", "as_of_date": _working_day().isoformat()}
    await stage.play("what an index is made of", "result", INDEX, asked)
    await stage.play("the same from the cache", "result", INDEX, asked)
    await stage.play("the index in dollars", "result", INDEX, asked | {"index_ticker": "RTSI"})
    await stage.play("an unknown index", "UNKNOWN_INDEX", INDEX, asked | {"index_ticker": "DAX"})
    await stage.play("before there was an index", "NO_DATA", INDEX, asked | {"as_of_date": "1995-05-02"})


async def _misbehaviour(stage: Stage) -> None:
    async def fault(shows: str, expected: str, ticker: str) -> None:
        await stage.play(shows, expected, SNAPSHOT, {"ticker": ticker})

    await fault("the exchange fails", "ISS_UNAVAILABLE", "HTTP503")
    await fault("the exchange hangs up", "ISS_UNAVAILABLE", "CUT")
    await fault("the exchange limits the rate", "RATE_LIMITED", "HTTP429")
    await fault("the exchange sends half an answer", "ISS_BAD_RESPONSE", "BROKENJSON")
    await fault("the exchange sends an error as success", "ISS_BAD_RESPONSE", "ERRORBLOCK")
    await fault("the exchange sends numbers that cannot be", "ISS_BAD_RESPONSE", "ABSURD")


def _days(ticker: str, first: str, last: str) -> Arguments:
    return {"ticker": ticker, "from_date": first, "to_date": last}


def _ago(days: int) -> str:
    """Return the date *days* days ago."""
    return (_today() - timedelta(days=days)).isoformat()


def _working_day() -> date:
    """Return a trading day about a week ago: neither a weekend nor a holiday."""
    day = _today() - timedelta(days=7)
    while sessions.is_weekend(day) or not sessions.hours(day):
        day -= sessions.DAY
    return day


def _today() -> date:
    return datetime.now(sessions.MOSCOW).date()
