"""The tools of market-data-mcp on every candle store, through the whole path of a call."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
import talib
from aiohttp import web

from generated.tradestream.market_data.server import server
from handlers.tradestream import market_data
from sandbox.market import Market
from tests.handlers.candles.stores import Store, closing, opened
from tests.services import influxd
from tests.services.candles import generate_candles
from tests.services.fetched import fetched
from tests.services.flux_double import TOKEN, FluxDouble, serving
from tests.services.flux_parser import FluxParser
from tests.services.influxd import Influxd
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.sources.influxdb import Influxdb
from toolaccord.testing import ManualClock, pipeline

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
MINUTE_NOW = int(NOW.timestamp()) // 60
SYMBOL = "ETH/USD"


def served(source: Influxdb, clock: ManualClock | None = None, **settings: Any) -> Pipeline:
    return pipeline(
        server(market_data), sources={"influxdb": source}, settings=settings, clock=clock or ManualClock(NOW)
    )


async def ask(calls: Pipeline, tool: str, **arguments: Any) -> dict[str, Any]:
    """The data of an answer, or its error."""
    answer: Answer = await calls.call(tool, arguments)
    body: dict[str, Any] = answer.body.get("data") or answer.body["error"]
    return body


def minutes(count: int, *, until: int = MINUTE_NOW) -> list[tuple[str, int, float, float, float, float, float]]:
    """The sandbox's candles of the last *count* minutes, the running one among them."""
    return list(generate_candles(Market(1), SYMBOL, until - count + 1, until + 1))


async def test_candles_are_those_that_have_closed_oldest_first(store: Store) -> None:
    rows = minutes(240)
    store.write(rows)
    data = await ask(served(store.source), "get_candles", symbol=SYMBOL, limit=2)
    assert data["pagination"] == {"offset": 0, "limit": 2, "total": 4, "has_more": True}
    assert [item["timestamp"] for item in data["items"]] == ["2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"]
    hour = [row for row in rows if row[1] // 3_600_000 == MINUTE_NOW // 60 - 1]
    assert len(hour) == 60
    assert data["items"][1] == {
        "timestamp": "2026-11-21T11:00:00Z",
        "open": hour[0][2],
        "high": max(row[3] for row in hour),
        "low": min(row[4] for row in hour),
        "close": hour[-1][5],
        "volume": pytest.approx(sum(row[6] for row in hour)),
    }


async def test_the_price_is_the_newest_and_its_changes_are_fractions(store: Store) -> None:
    rows = minutes(1500)
    store.write(rows)
    data = await ask(served(store.source), "get_current_price", symbol=SYMBOL)
    closes = {row[1] // 60_000: row[5] for row in rows}
    price = closes[MINUTE_NOW]
    assert data == {
        "price": price,
        "change_1h": pytest.approx((price - closes[MINUTE_NOW - 60]) / closes[MINUTE_NOW - 60]),
        "change_24h": pytest.approx((price - closes[MINUTE_NOW - 1440]) / closes[MINUTE_NOW - 1440]),
        "volume_24h": pytest.approx(sum(row[6] for row in rows[-1440:])),
        "timestamp": "2026-11-21T12:34:00Z",
    }
    assert abs(data["change_24h"]) < 0.5


async def test_a_change_without_a_price_to_compare_with_is_left_out(store: Store) -> None:
    store.write(minutes(10))
    data = await ask(served(store.source), "get_current_price", symbol=SYMBOL)
    assert set(data) == {"price", "volume_24h", "timestamp"}


@pytest.mark.parametrize("most, fresh", [(300, False), (356, True), (355, False), (None, False)])
async def test_a_price_is_stale_once_it_is_older_than_the_setting_says(
    store: Store, most: int | None, *, fresh: bool
) -> None:
    store.write(minutes(3, until=MINUTE_NOW - 5))  # opened 5 minutes and 56 seconds ago
    settings: dict[str, Any] = {} if most is None else {"price_max_age_s": most}
    data = await ask(served(store.source, **settings), "get_current_price", symbol=SYMBOL)
    if fresh:
        assert data["timestamp"] == "2026-11-21T12:29:00Z"
        return
    assert data["code"] == "STALE_DATA"
    assert data["details"] == {
        "symbol": SYMBOL,
        "timestamp": "2026-11-21T12:29:00Z",
        "age_s": 356.0,
        "max_age_s": most or 300,
    }


@pytest.mark.parametrize("timeframe, width", [("1h", 60), ("4h", 240), ("1d", 1440)])
async def test_volatility_is_what_numpy_and_talib_say_of_the_last_hundred_bars(
    store: Store, timeframe: str, width: int
) -> None:
    count = 16 if width == 1440 else 101  # the store has more bars than are measured, where that is quickly written
    rows = minutes(width * count + MINUTE_NOW % width + 1)[:: 10 if width == 1440 else 1]
    store.write(rows)
    data = await ask(served(store.source), "get_volatility", symbol=SYMBOL, timeframe=timeframe)
    bars: dict[int, list[Any]] = {}
    for row in rows:
        if (bar := row[1] // 60_000 // width) < MINUTE_NOW // width:
            bars.setdefault(bar, []).append(row)
    last = list(bars.values())[-100:]
    high, low, close = (np.array(column) for column in zip(*(_extremes(bar) for bar in last), strict=True))
    assert data == {
        "volatility": pytest.approx(np.std(np.diff(close) / close[:-1])),
        "atr": pytest.approx(talib.ATR(high, low, close, 14)[-1]),
        "high_low_range": pytest.approx(high.max() - low.min()),
    }


def _extremes(bar: list[Any]) -> tuple[float, float, float]:
    return max(row[3] for row in bar), min(row[4] for row in bar), bar[-1][5]


@pytest.mark.parametrize("bars", [0, 14, 15])
async def test_fewer_than_fifteen_bars_are_not_enough(store: Store, bars: int) -> None:
    store.write(minutes(60 * bars + MINUTE_NOW % 60 + 1)[::20])
    data = await ask(served(store.source), "get_volatility", symbol=SYMBOL)
    if bars == 15:
        assert data["volatility"] > 0
        return
    assert (data["code"], data["details"]) == ("INSUFFICIENT_DATA", {"symbol": SYMBOL, "available": bars})


async def test_a_symbol_with_nothing_behind_it_has_its_codes(store: Store) -> None:
    store.write(minutes(10))
    calls = served(store.source)
    outcome = await ask(calls, "get_candles", symbol="ZZZ/USD", timeframe="1m")
    assert (outcome["code"], outcome["details"]) == ("NO_DATA", {"symbol": "ZZZ/USD", "timeframe": "1m"})
    outcome = await ask(calls, "get_current_price", symbol="ZZZ/USD")
    assert (outcome["code"], outcome["details"]) == ("SYMBOL_NOT_FOUND", {"symbol": "ZZZ/USD"})


@pytest.mark.parametrize(
    "tool, arguments, code",
    [
        ("get_candles", {"symbol": "eth"}, "INVALID_SYMBOL"),
        ("get_candles", {"symbol": "ETH/USD' OR '1'='1"}, "INVALID_SYMBOL"),
        ("get_candles", {"symbol": SYMBOL, "timeframe": "2h"}, "INVALID_TIMEFRAME"),
        ("get_candles", {"symbol": SYMBOL, "limit": 1001}, "INVALID_PARAMETER"),
        ("get_candles", {"symbol": SYMBOL, "offset": -1}, "INVALID_PARAMETER"),
        ("get_current_price", {"symbol": "ETH/USD\n"}, "INVALID_SYMBOL"),
        ("get_current_price", {}, "INVALID_SYMBOL"),
        ("get_volatility", {"symbol": SYMBOL, "timeframe": "1m"}, "INVALID_TIMEFRAME"),
    ],
)
async def test_arguments_that_break_the_contract_never_reach_the_store(
    tool: str, arguments: dict[str, Any], code: str
) -> None:
    async with closing(opened("http://127.0.0.1:9")) as source:
        assert (await ask(served(source), tool, **arguments))["code"] == code


async def test_the_metadata_name_what_answered(store: Store) -> None:
    store.write(minutes(10))
    answer = await served(store.source).call("get_candles", {"symbol": SYMBOL, "timeframe": "1m"})
    assert answer.body["_metadata"] == {
        "latency_ms": 0,
        "cached": False,
        "cache_ttl_remaining": None,
        "source": "influxdb",
    }


@pytest.mark.parametrize("tool, ttl_s", [("get_candles", 60), ("get_current_price", 5), ("get_volatility", 30)])
async def test_answers_are_cached_as_long_as_the_contract_states(store: Store, tool: str, ttl_s: int) -> None:
    store.write(minutes(60 * 20)[::10])
    clock = ManualClock(NOW)
    calls = served(store.source, clock, price_max_age_s=3600)
    for moved, cached in ((0, False), (ttl_s - 1, True), (1, False)):
        clock.advance(moved)
        answer = await calls.call(tool, {"symbol": SYMBOL})
        assert answer.body["_metadata"]["cached"] is cached
    answer = await calls.call(tool, {"symbol": SYMBOL, "force_refresh": True})
    assert answer.body["_metadata"]["cached"] is False


# --- faults: each has the contract's code, and the next call works ----------------------------------------------------

TOOLS = ("get_candles", "get_current_price", "get_volatility")


@pytest.fixture(scope="module")
def fragile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Influxd]:
    """A real InfluxDB of this module alone, with users."""
    with influxd.running(fetched("influxdb"), tmp_path_factory.mktemp("influxd"), auth=True) as server:
        influxd.command(server.url, "CREATE USER reader WITH PASSWORD 'secret' WITH ALL PRIVILEGES")
        influxd.command(server.url, "CREATE DATABASE candles", u="reader", p="secret")
        influxd.write(server.url, "candles", minutes(60 * 16)[::5], u="reader", p="secret")
        yield server


async def assert_works(calls: Pipeline) -> None:
    for tool in TOOLS:
        answer = await calls.call(tool, {"symbol": SYMBOL, "force_refresh": True})
        assert not answer.is_error, answer.body


async def assert_fails(calls: Pipeline, code: str) -> None:
    for tool in TOOLS:
        answer = await calls.call(tool, {"symbol": SYMBOL, "force_refresh": True})
        assert (answer.code, "secret" in answer.text) == (code, False)


async def test_a_stopped_influxdb_is_a_database_error_until_it_is_back(fragile: Influxd) -> None:
    async with closing(opened(fragile.url, token="reader:secret")) as source:
        calls = served(source)
        await assert_works(calls)
        fragile.stop()
        try:
            await assert_fails(calls, "DATABASE_ERROR")
        finally:
            fragile.start()
        await assert_works(calls)


async def test_an_influxdb_killed_in_the_middle_is_a_database_error_and_the_next_call_works(fragile: Influxd) -> None:
    async with closing(opened(fragile.url, token="reader:secret")) as source:
        calls = served(source)
        await assert_works(calls)
        with fragile.frozen():
            failing = asyncio.create_task(assert_fails(calls, "DATABASE_ERROR"))
            await asyncio.sleep(0.05)
            fragile.kill()
            await failing
            fragile.start()
        await assert_works(calls)


async def test_an_influxdb_that_takes_too_long_is_a_timeout_and_the_next_call_works(fragile: Influxd) -> None:
    clock = ManualClock(NOW)
    async with closing(opened(fragile.url, token="reader:secret")) as source:
        calls = served(source, clock, price_max_age_s=3600)
        await assert_works(calls)
        with fragile.frozen():
            asking = asyncio.create_task(ask(calls, "get_current_price", symbol=SYMBOL, force_refresh=True))
            await asyncio.sleep(0.05)
            clock.advance(10)
            assert (await asking)["code"] == "TIMEOUT"
        await assert_works(calls)


@pytest.mark.parametrize(
    "access", [{"token": "reader:wrong"}, {"token": ""}, {"token": "reader:secret", "bucket": "x"}]
)
async def test_a_wrong_password_and_an_unknown_database_are_database_errors(
    fragile: Influxd, access: dict[str, str]
) -> None:
    async with closing(opened(fragile.url, **access)) as source:
        await assert_fails(served(source), "DATABASE_ERROR")
    async with closing(opened(fragile.url, token="reader:secret")) as source:
        await assert_works(served(source))


async def test_a_candle_that_is_not_whole_is_a_database_error(influxdb_url: str, influx_database: str) -> None:
    at = int(NOW.timestamp() - 60) * 1000
    influxd.write_lines(influxdb_url, influx_database, [f"candles,currency_pair=ETH/USD close=1 {at}"])
    async with closing(opened(influxdb_url, bucket=influx_database)) as source:
        outcome = await ask(served(source), "get_candles", symbol=SYMBOL, timeframe="1m")
        assert outcome["code"] == "DATABASE_ERROR"


HOUR = 3_600_000
NUMBERS = "open", "high", "low", "close", "volume"
CANDLE = {"time": MINUTE_NOW // 60 * HOUR - HOUR, "open": 2.0, "high": 3.0, "low": 1.0, "close": 2.0, "volume": 5.0}
NO_NUMBERS: list[Any] = ["2.0", "much", True, [], {}, -1.0, 1e300]
NO_TIMES: list[Any] = [None, "2026-11-21", [], 10**30, -(10**30), 10**14, CANDLE["time"] + 10**9]
IMPOSSIBLE: list[dict[str, Any]] = [
    *({name: value} for name in NUMBERS for value in NO_NUMBERS),
    *({name: 0} for name in NUMBERS if name != "volume"),
    *({"time": value} for value in NO_TIMES),
    {"high": 1.0, "low": 2.0},
]
DAY: dict[str, Any] = {"time": 0, "before_1h": 2.0, "before_24h": 2.0, "volume": 5.0}


def influxql(*rows: dict[str, Any]) -> web.Response:
    series = [{"columns": list(row), "values": [list(row.values())]} for row in rows]
    return web.json_response({"results": [{"series": series}]})


@asynccontextmanager
async def answered_by(respond: Callable[[str], web.Response], language: str = "influxql") -> AsyncIterator[Pipeline]:
    """The server on an InfluxDB that answers a query by *respond*."""

    async def handler(request: web.Request) -> web.Response:
        return respond(request.query.get("q", ""))

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with closing(opened(f"http://127.0.0.1:{runner.addresses[0][1]}", language=language)) as source:
            yield served(source, price_max_age_s=86_400)
    finally:
        await runner.cleanup()


def day_or_candle(query: str, day: dict[str, Any], candle: dict[str, Any]) -> web.Response:
    return influxql(day) if "before_1h" in query else influxql(candle)


async def test_a_possible_candle_is_served() -> None:
    async with answered_by(lambda query: day_or_candle(query, DAY, CANDLE | {"total": 1})) as calls:
        assert len((await ask(calls, "get_candles", symbol=SYMBOL))["items"]) == 1
        assert (await ask(calls, "get_current_price", symbol=SYMBOL))["price"] == 2.0


@pytest.mark.parametrize("change", IMPOSSIBLE, ids=str)
async def test_an_impossible_candle_is_a_database_error(change: dict[str, Any]) -> None:
    async with answered_by(lambda query: day_or_candle(query, DAY, CANDLE | {"total": 1} | change)) as calls:
        tools = ["get_candles", "get_volatility"]
        if set(change) <= {"time", "close"}:
            tools.append("get_current_price")
        for tool in tools:
            assert (await ask(calls, tool, symbol=SYMBOL))["code"] == "DATABASE_ERROR"


@pytest.mark.parametrize("name", ["before_1h", "before_24h", "volume"])
@pytest.mark.parametrize("value", ["2.0", True, [], -1.0, 1e300])
async def test_an_impossible_figure_of_the_day_is_a_database_error(name: str, value: Any) -> None:
    async with answered_by(lambda query: day_or_candle(query, DAY | {name: value}, CANDLE)) as calls:
        assert (await ask(calls, "get_current_price", symbol=SYMBOL))["code"] == "DATABASE_ERROR"


@pytest.mark.parametrize("total", ["1", 1.5, -1, True, []])
async def test_an_impossible_total_is_a_database_error(total: Any) -> None:
    async with answered_by(lambda _: influxql(CANDLE | {"total": total})) as calls:
        assert (await ask(calls, "get_candles", symbol=SYMBOL))["code"] == "DATABASE_ERROR"


async def test_candles_out_of_order_or_beyond_the_limit_are_a_database_error() -> None:
    newest_first = [CANDLE | {"time": CANDLE["time"] - HOUR * number, "total": 200} for number in range(101)]
    for rows in (newest_first[:100][::-1], [CANDLE | {"total": 2}] * 2, newest_first):
        async with answered_by(lambda _, rows=rows: influxql(*rows)) as calls:  # type: ignore[misc]
            assert (await ask(calls, "get_candles", symbol=SYMBOL))["code"] == "DATABASE_ERROR"


@pytest.mark.parametrize(
    "value, kind", [("NaN", "double"), ("+Inf", "double"), ("2.0", "string"), ("true", "boolean"), ("-2", "long")]
)
async def test_an_impossible_flux_value_is_a_database_error(value: str, kind: str) -> None:
    table = (
        f"#datatype,string,long,dateTime:RFC3339,{kind},double,double,double,double\r\n"
        "#group,false,false,false,false,false,false,false,false\r\n#default,bars,,,,,,,\r\n"
        ",result,table,time,close,open,high,low,volume\r\n"
        f",,0,2026-11-21T11:00:00Z,{value},2,3,1,5\r\n"
    )
    async with answered_by(lambda _: web.Response(text=table, content_type="text/csv"), "flux") as calls:
        for tool in TOOLS:
            assert (await ask(calls, tool, symbol=SYMBOL))["code"] == "DATABASE_ERROR"


async def test_faults_of_a_flux_server_are_database_errors_and_the_next_call_works(flux_parser: FluxParser) -> None:
    double = FluxDouble(flux_parser, {"candles": minutes(60 * 16)[::5]})

    async def error_inside_success(_: web.Request) -> web.Response:
        outcome = (
            "#datatype,string,string\r\n#group,true,true\r\n#default,,\r\n,error,reference\r\n,out of memory,897\r\n"
        )
        return web.Response(text=outcome, content_type="text/csv")

    async def broken(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    async with serving(double) as url, closing(opened(url, token=TOKEN, language="flux")) as source:
        calls = served(source)
        for fault in (error_inside_success, broken):
            await assert_works(calls)
            double.fault = fault
            await assert_fails(calls, "DATABASE_ERROR")
            double.fault = None
        await assert_works(calls)
        assert all(flux_parser.accepts(text) for text in double.queries)
    async with serving(double) as url, closing(opened(url, token="secret", language="flux")) as source:
        await assert_fails(served(source), "DATABASE_ERROR")


async def test_fifty_callers_at_once_are_all_answered(store: Store) -> None:
    store.write(minutes(60 * 16)[::5])
    calls = served(store.source)
    requested = [(tool, {"symbol": SYMBOL, "force_refresh": True}) for tool in TOOLS for _ in range(50)]
    answers = await asyncio.gather(*(calls.call(tool, arguments) for tool, arguments in requested))
    assert [answer.body for answer in answers if answer.is_error] == []


async def test_a_longer_silence_than_a_day_is_no_fault_of_the_store(store: Store) -> None:
    store.write(minutes(3, until=MINUTE_NOW - 3 * 1440))
    data = await ask(served(store.source), "get_candles", symbol=SYMBOL, timeframe="1m", limit=1)
    at = (NOW - timedelta(days=3)).replace(second=0)
    assert data["items"][0]["timestamp"] == at.isoformat().replace("+00:00", "Z")
