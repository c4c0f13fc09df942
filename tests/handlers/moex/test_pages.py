"""Complete lists from the stand-in: no row lost between pages, and no superfluous request."""

import asyncio
import math
import statistics
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

import jsonschema
import pytest

from generated.moex.iss import schemas
from generated.moex.iss.server import server
from handlers.moex import iss
from sandbox.iss.shares import shares_on_board
from tests.handlers.moex.running import NOON, running
from tests.services.exchange import Exchange
from toolaccord.sources.http import HttpSource
from toolaccord.testing import ManualClock

YEAR: dict[str, Any] = {"from_date": "2025-11-01", "to_date": "2026-10-31", "interval": "1h"}
WEEK: dict[str, Any] = {"from_date": "2026-11-09", "to_date": "2026-11-15"}
SERIES, INDEX = "get_ohlcv_timeseries", "get_index_constituents_metrics"


@pytest.fixture(params=[False, True], ids=["without cursor", "with cursor"])
def exchange(request: pytest.FixtureRequest) -> Iterator[Exchange]:
    with Exchange(lambda: NOON, cursor=request.param).running() as each:
        yield each


async def requested(exchange: Exchange, tool: str, *, sectors: bool = False, **more: Any) -> dict[str, Any]:
    """Return the answer of a tool, validated by its contract."""
    async with running(exchange.url, deadline_ms=60000, timeout_s=60, sectors=sectors) as moex:
        answer = await moex.ask(tool, **more)
    assert not answer.is_error, answer.text
    jsonschema.validate(answer.body, getattr(schemas, f"{tool.upper()}_RETURNS"))
    return answer.body


async def test_a_year_of_hours_comes_whole_in_pages_of_five_hundred(exchange: Exchange) -> None:
    answer = await requested(exchange, SERIES, **YEAR)
    bars = answer["data"]
    times = [datetime.fromisoformat(bar["ts"]) for bar in bars]
    assert len(bars) > 4000
    assert all(earlier < later for earlier, later in pairwise(times))
    assert (times[0].date(), times[-1].date()) == (date(2025, 11, 1), date(2026, 10, 31))
    assert {time.utcoffset() for time in times} == {timedelta(hours=3)}
    assert {time.weekday() for time in times} == set(range(7)), "weekend sessions are there"
    starts = [int(each.query["start"]) for each in exchange.requests]
    assert starts == list(range(0, len(bars), 500))


async def test_the_metrics_of_a_year_of_hours_are_those_of_its_bars(exchange: Exchange) -> None:
    answer = await requested(exchange, SERIES, **YEAR)
    closes = [bar["close"] for bar in answer["data"]]
    returns = [math.log(later / earlier) for earlier, later in pairwise(closes)]
    days: dict[str, int] = defaultdict(int)
    for bar in answer["data"]:
        days[bar["ts"][:10]] += bar["volume"]
    assert answer["metrics"] == {
        "total_return_pct": pytest.approx((closes[-1] / closes[0] - 1) * 100),
        "annualized_volatility": pytest.approx(statistics.stdev(returns) * math.sqrt(252 * 17) * 100),
        "avg_daily_volume": pytest.approx(statistics.fmean(days.values())),
    }


async def test_hours_amount_to_the_days_they_belong_to(exchange: Exchange) -> None:
    by_day, by_hour = (
        await requested(exchange, SERIES, **WEEK),
        await requested(exchange, SERIES, interval="1h", **WEEK),
    )
    assert by_hour["metrics"]["avg_daily_volume"] == pytest.approx(by_day["metrics"]["avg_daily_volume"])
    assert len(by_day["data"]) == 7
    for day in by_day["data"]:
        hours = [bar for bar in by_hour["data"] if bar["ts"][:10] == day["ts"][:10]]
        assert (day["open"], day["close"]) == (hours[0]["open"], hours[-1]["close"])
        assert day["volume"] == sum(bar["volume"] for bar in hours)


async def test_a_page_that_is_exactly_full_loses_nothing() -> None:
    with Exchange(lambda: NOON).running() as exchange:
        years = await requested(exchange, SERIES, from_date="2024-06-01", to_date="2026-05-31")
        before, last = len(exchange.requests), years["data"][499]["ts"][:10]
        answer = await requested(exchange, SERIES, from_date="2024-06-01", to_date=last)
    assert answer["data"] == years["data"][:500]
    assert len(exchange.requests) - before == 2, (
        "without a cursor, only an empty page says that a full one was the last"
    )


@pytest.mark.parametrize("index", ["IMOEX", "RTSI"])
async def test_an_index_of_fifty_is_one_page_and_one_board(exchange: Exchange, index: str) -> None:
    answer = await requested(exchange, INDEX, index_ticker=index)
    assert (len(exchange.requests), len(answer["data"]), answer["metrics"]["num_constituents"]) == (2, 50, 50)
    weights = [member["weight_pct"] for member in answer["data"]]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(100, abs=0.5)
    assert answer["metrics"]["top5_weight_pct"] == pytest.approx(sum(weights[:5]))
    assert answer["metrics"]["prices_as_of"] == "2026-11-20T15:00:00+03:00"
    priced = [member for member in answer["data"] if "last_price" in member]
    assert 45 <= len(priced) < 50, "a member that is traded on another board has no price here"
    assert not any("sector" in member for member in answer["data"])


async def test_a_large_index_comes_in_pages_of_a_hundred() -> None:
    with Exchange(lambda: NOON, members=120).running() as exchange:
        answer = await requested(exchange, INDEX)
    starts = [each.query.get("start") for each in exchange.requests]
    assert (answer["metrics"]["num_constituents"], starts) == (len(answer["data"]), ["0", "100", None])
    assert len(answer["data"]) > 100


async def test_sectors_are_ten_requests_more(exchange: Exchange) -> None:
    answer = await requested(exchange, INDEX, sectors=True)
    sectors = {member["ticker"]: member.get("sector") for member in answer["data"]}
    assert (sectors["SBER"], sectors["LKOH"], sectors["YDEX"]) == ("Finance", "Oil and gas", "Information technology")
    assert len(exchange.requests) == 12


async def test_a_weekend_is_answered_with_the_day_that_was_served(exchange: Exchange) -> None:
    answer = await requested(exchange, INDEX, as_of_date="2026-11-15")
    assert answer["metadata"]["as_of_date"] == "2026-11-13"
    assert answer["metrics"]["requested_as_of_date"] == "2026-11-15"


async def test_thirty_callers_at_once_never_exceed_the_pace_and_the_connections(exchange: Exchange) -> None:
    clock = ManualClock(NOON)
    source = server(iss).sources[0]
    assert isinstance(source, HttpSource)
    pace: dict[str, Any] = {
        "requests_per_second": source.requests_per_second,
        "timeout_s": 1000,
        "connection_timeout_s": 1000,
    }
    tickers = [share.ticker for share in shares_on_board("TQBR")][-30:]
    async with running(exchange.url, clock=clock, deadline_ms=60000, **pace) as moex:
        asking = [asyncio.create_task(moex.ask("get_ohlcv_timeseries", ticker=ticker)) for ticker in tickers]
        for seconds in range(10):
            await asyncio.to_thread(exchange.wait_for_requests, 3 * (seconds + 1))
            clock.advance(0.999)
            for _ in range(100):
                await asyncio.sleep(0)
            assert len(exchange.requests) == 3 * (seconds + 1)
            clock.advance(0.001)
        await asyncio.gather(*asking)
    assert exchange.peak_connections <= source.max_connections
