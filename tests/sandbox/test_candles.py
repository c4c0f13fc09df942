"""The sandbox's candles, and its stand-in for InfluxDB beside a real one."""

import itertools
import json
import random
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from datetime import UTC, datetime, timedelta
from statistics import fmean, pstdev
from typing import Any

import pytest

from handlers.candles.influxql import InfluxqlQueries
from handlers.candles.store import WIDTH_MS
from sandbox.candles import MINUTES, SimulatedCandles, serve
from sandbox.market import PAIRS, Market
from tests.services import influxd
from tests.services.candles import Candle, generate_candles, serve_candles

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
LAST = int(NOW.timestamp()) // 60
MARKET = Market(1)
QUERIES = InfluxqlQueries("candles")
SYMBOL = "ETH/USD"
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
PROXYLESS = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(url: str, text: str, database: str = "candles") -> Any:
    query = urllib.parse.urlencode({"db": database, "q": text, "epoch": "ms"})
    with PROXYLESS.open(f"{url}/query?{query}", timeout=60) as response:
        return json.load(response)


def read(url: str, symbol: str = SYMBOL, start_ms: int = 0, end_ms: int = NOW_MS + DAY_MS) -> list[Candle]:
    (result,) = ask(url, QUERIES.between(symbol, WIDTH_MS["1m"], start_ms, end_ms))["results"]
    return [(symbol, *row) for series in result.get("series", []) for row in series["values"]]


# --- the simulated candles -------------------------------------------------------------------------------------------


def test_a_candle_is_a_function_of_symbol_and_minute_in_any_range() -> None:
    whole = generate_candles(MARKET, SYMBOL, LAST - 2000, LAST)
    assert [row[1] for row in whole] == [minute * 60_000 for minute in range(LAST - 2000, LAST)]
    assert whole[-200:] == [
        row for minute in range(LAST - 200, LAST) for row in generate_candles(MARKET, SYMBOL, minute, minute + 1)
    ]
    assert generate_candles(Market(2), SYMBOL, LAST - 2000, LAST) != whole
    assert generate_candles(MARKET, SYMBOL, LAST, LAST) == []


def test_another_process_makes_the_same_candles() -> None:
    code = f"""
from sandbox.candles.minutes import compute_candles
from sandbox.market import Market
print(compute_candles(Market(1), 'BTC/USD', {LAST}, {LAST + 3}).T.tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert json.loads(done.stdout) == [list(row[1:]) for row in generate_candles(MARKET, "BTC/USD", LAST, LAST + 3)]


@pytest.mark.parametrize("symbol", sorted(PAIRS))
def test_candles_are_those_of_a_market(symbol: str) -> None:
    rows = generate_candles(MARKET, symbol, LAST - 3 * 1440, LAST)
    for before, after in itertools.pairwise(rows):
        assert before[5] == after[2]
    for _, _, opened, high, low, closed, volume in rows:
        assert low <= min(opened, closed) <= max(opened, closed) <= high
        assert low > 0
        assert volume > 0
    returns = [row[5] / row[2] - 1 for row in rows]
    assert 0.5 < pstdev(returns) * 1440**0.5 / PAIRS[symbol].volatility < 2
    assert 0.3 < fmean(row[5] * row[6] for row in rows) / PAIRS[symbol].turnover < 3


@pytest.mark.parametrize("symbol", ["EURUSD", "AAPL"])
def test_currencies_and_shares_rest_at_weekends(symbol: str) -> None:
    store = SimulatedCandles(lambda: NOW)
    span = (NOW_MS - 14 * DAY_MS, NOW_MS)
    times = store.times(symbol, *span)
    assert times.tolist() == store.candles(symbol, *span)[0].tolist()
    assert {datetime.fromtimestamp(time / 1000, UTC).weekday() for time in times} == {0, 1, 2, 3, 4}
    assert len(times) == 10 * 1440


def test_the_hours_prices_are_the_markets_of_which_the_signals_speak() -> None:
    hour = LAST // 60
    (row,) = generate_candles(MARKET, "BTC/USD", hour * 60, hour * 60 + 1)
    assert row[2] == pytest.approx(MARKET.price("BTC/USD", hour), rel=1e-5)


@pytest.mark.parametrize("symbol", sorted(PAIRS))
def test_a_month_of_every_symbol_is_served_up_to_the_running_minute(symbol: str) -> None:
    with serve(SimulatedCandles(lambda: NOW)) as url:
        found = [
            row
            for first, last in itertools.pairwise((31, 25, 20, 15, 10, 5, 0))
            for row in read(url, symbol, NOW_MS - first * DAY_MS, NOW_MS - last * DAY_MS)
        ]
        assert read(url, symbol, 0, NOW_MS - 31 * DAY_MS) == []
        assert read(url, symbol, NOW_MS, NOW_MS + DAY_MS) == []
    assert found == generate_candles(MARKET, symbol, LAST - MINUTES + 1, LAST + 1)


def test_the_window_of_a_running_sandbox_moves_with_the_clock() -> None:
    clock = [NOW.replace(second=59, microsecond=999_999)]
    before = server_threads()
    with serve(SimulatedCandles(lambda: clock[0])) as url:
        for later in (timedelta(0), timedelta(microseconds=1), timedelta(days=400), timedelta(days=-800)):
            clock[0] += later
            last = int(clock[0].timestamp()) // 60
            for at in (last, last - MINUTES + 1):
                assert read(url, SYMBOL, at * 60_000, (at + 1) * 60_000) == generate_candles(MARKET, SYMBOL, at, at + 1)
            for at in (last + 1, last - MINUTES):
                assert read(url, SYMBOL, at * 60_000, (at + 1) * 60_000) == []
    assert server_threads() == before


def server_threads() -> set[threading.Thread]:
    """Return the threads that serve a sandbox in this process, also those of other tests."""
    return {thread for thread in threading.enumerate() if thread.name == "sandbox HTTP"}


# --- the stand-in beside a real InfluxDB -----------------------------------------------------------------------------


def candles_with_gaps() -> list[Candle]:
    """Candles of nine days with missing minutes, hours and days, and of another symbol."""
    chance = random.Random(5)
    rows = generate_candles(MARKET, SYMBOL, LAST - 9 * 1440, LAST)
    silent = {(NOW_MS - 3 * DAY_MS) // DAY_MS, *(NOW_MS // DAY_MS - day for day in (6, 7))}
    kept = [row for row in rows if chance.random() < 0.9 and chance.random() * 24 > row[1] // HOUR_MS % 24 / 2]
    others = generate_candles(MARKET, "BTC/USD", LAST - 100, LAST + 1)
    return [row for row in kept if row[1] // DAY_MS not in silent] + others


def queries() -> list[str]:
    """Every kind of query that the handlers send, at its limits too."""
    found = []
    for width in WIDTH_MS.values():
        end = NOW_MS // width * width
        for limit, offset in ((10, 0), (1000, 0), (7, 13), (1, 0), (3, 1_000_000)):
            found += [QUERIES.page(SYMBOL, width, since, end, limit, offset) for since in (0, end - 20 * width)]
        found.append(QUERIES.page("NOBODY/USD", width, 0, end, 5, 0))
        found.append(QUERIES.between(SYMBOL, width, end - 20 * width, end))
    for symbol in (SYMBOL, "BTC/USD", "NOBODY/USD"):
        found += [
            QUERIES.between(symbol, WIDTH_MS["1m"], start, start + 6 * DAY_MS)
            for start in (0, NOW_MS - 5 * DAY_MS, NOW_MS)
        ]
        found += [QUERIES.newest(symbol, end) for end in (NOW_MS + 1, NOW_MS - DAY_MS, NOW_MS - 30 * DAY_MS)]
        found += [QUERIES.day(symbol, (LAST - minutes) * 60_000) for minutes in (1, 90, 1500, 4000, 60_000)]
    return [*found, QUERIES.between(SYMBOL, WIDTH_MS["1m"], -DAY_MS, 0), QUERIES.day(SYMBOL, HOUR_MS)]


def test_the_stand_in_answers_every_query_as_a_real_influxdb_does(influxdb_url: str, influx_database: str) -> None:
    rows = candles_with_gaps()
    influxd.write(influxdb_url, influx_database, rows)
    with serve_candles(rows) as url:
        for text in queries():
            assert ask(url, text) == ask(influxdb_url, text, influx_database), text


def test_the_stand_in_rejects_a_query_that_no_handler_sends() -> None:
    with serve_candles([]) as url:
        for text in ("SELECT * FROM candles", "", "DROP DATABASE candles"):
            with pytest.raises(urllib.error.HTTPError, match="400") as caught:
                ask(url, text)
            assert "the sandbox does not answer" in json.load(caught.value)["error"]
            caught.value.close()
