"""Prove every promise of market-data-mcp on a real InfluxDB, also when InfluxDB fails."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from sandbox.market import Market
from tests.contracts.reading import tool
from tests.servers.contracts import Observations, answers, cached, paginated, parametrize_tools
from tests.servers.harness import NOW, Answer, ServerUnderTest, break_handler, open_server
from tests.services import influxd
from tests.services.candles import Candle, generate_candles
from tests.services.fetched import fetched
from tests.services.influxd import Influxd
from toolaccord.testing import ManualClock, capture_logs

SERVER = "tradestream.market_data"
CANDLES, PRICE, VOLATILITY = TOOLS = ("get_candles", "get_current_price", "get_volatility")
SYMBOL = "ETH/USD"
DATABASE = "candles"
MINUTE = int(NOW.timestamp()) // 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Influxd]:
    """A real InfluxDB of this module alone, with a thousand minutes of a symbol."""
    with influxd.running(fetched("influxdb"), tmp_path_factory.mktemp("influxd")) as server:
        influxd.command(server.url, f"CREATE DATABASE {DATABASE}")
        influxd.write(server.url, DATABASE, generate_candles(Market(1), SYMBOL, MINUTE - 1000, MINUTE + 1))
        yield server


@pytest.fixture
async def market(server: Influxd, clock: ManualClock, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    async with open_server(
        SERVER, {"influxdb_url": server.url, "influxdb_bucket": DATABASE}, observations, clock
    ) as each:
        yield each


async def call_tool(market: ServerUnderTest, name: str, **more: Any) -> Answer:
    return await market.call(name, **{"symbol": SYMBOL} | more)


@parametrize_tools(TOOLS, "INVALID_PARAMETER")
async def test_an_invalid_argument_without_a_code_of_its_own_is_an_invalid_parameter(
    market: ServerUnderTest, tool: str
) -> None:
    answer = await call_tool(market, tool, force_refresh="yes", verbose=True)
    assert answer.code == "INVALID_PARAMETER"
    assert [violation["at"] for violation in answer.details["violations"]] == ["/force_refresh", "/verbose"]
    assert market.source_requests == 0


@parametrize_tools(TOOLS, "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "ETH", "ETH/USD\n", "", None, 5, "ETH/USD' OR '1'='1"])
async def test_a_malformed_symbol_never_reaches_the_store(market: ServerUnderTest, tool: str, symbol: Any) -> None:
    assert (await call_tool(market, tool, symbol=symbol)).code == "INVALID_SYMBOL"
    assert market.source_requests == 0


@parametrize_tools((CANDLES, VOLATILITY), "INVALID_TIMEFRAME")
@pytest.mark.parametrize("timeframe", ["2h", "1H", "", 60])
async def test_an_unknown_timeframe_is_an_invalid_timeframe(market: ServerUnderTest, tool: str, timeframe: Any) -> None:
    assert (await call_tool(market, tool, timeframe=timeframe)).code == "INVALID_TIMEFRAME"


@answers(CANDLES, "NO_DATA")
@answers(PRICE, "SYMBOL_NOT_FOUND")
@answers(VOLATILITY, "INSUFFICIENT_DATA")
async def test_a_symbol_without_data_has_a_code_of_its_own_in_each_tool(market: ServerUnderTest) -> None:
    codes = [(await call_tool(market, name, symbol="NOTHING/USD")).code for name in TOOLS]
    assert codes == ["NO_DATA", "SYMBOL_NOT_FOUND", "INSUFFICIENT_DATA"]


@answers(PRICE, "STALE_DATA")
async def test_a_price_becomes_stale_while_there_is_no_trading(market: ServerUnderTest, clock: ManualClock) -> None:
    assert (await call_tool(market, PRICE)).code is None
    clock.advance(300)
    assert (await call_tool(market, PRICE)).code is None
    clock.advance(5)  # the cached answer has expired
    answer = await call_tool(market, PRICE)
    assert (answer.code, answer.details["age_s"], answer.details["max_age_s"]) == ("STALE_DATA", 305, 300)


@paginated(CANDLES)
async def test_pages_neither_repeat_nor_lose_a_candle(market: ServerUnderTest) -> None:
    total = (await call_tool(market, CANDLES, timeframe="15m")).body["data"]["pagination"]["total"]
    found: list[Any] = []
    for offset in range(0, total, 20):
        data = (await call_tool(market, CANDLES, timeframe="15m", limit=20, offset=offset)).body["data"]
        assert data["pagination"]["has_more"] == (offset + 20 < total)
        found = data["items"] + found
    times = [item["timestamp"] for item in found]
    assert times == sorted(set(times))
    assert len(times) == total == 67


@pytest.mark.parametrize("tool", [pytest.param(name, marks=cached(name)) for name in TOOLS])
async def test_a_result_is_cached_until_it_expires(market: ServerUnderTest, clock: ManualClock, tool: str) -> None:
    ttl_s = _contract(tool)["cache"]["ttl_s"]
    first = await call_tool(market, tool)
    assert (first.metadata["cached"], first.metadata["source"]) == (False, "influxdb")
    clock.advance(ttl_s - 1)
    again = await call_tool(market, tool)
    assert (again.metadata["cached"], again.metadata["cache_ttl_remaining"]) == (True, 1)
    assert again.body["data"] == first.body["data"]
    assert (await call_tool(market, tool, force_refresh=True)).metadata["cached"] is False
    clock.advance(ttl_s)
    assert (await call_tool(market, tool)).metadata["cached"] is False


@parametrize_tools(TOOLS, "DATABASE_ERROR")
async def test_an_unreachable_influxdb_is_a_database_error_until_it_is_back(
    market: ServerUnderTest, server: Influxd, tool: str
) -> None:
    assert (await call_tool(market, tool)).code is None
    server.stop()
    try:
        answer = await call_tool(market, tool, force_refresh=True)
    finally:
        server.start()
    assert (answer.code, answer.message) == (
        "DATABASE_ERROR",
        "The data source influxdb is unavailable; call again later.",
    )
    assert "127.0.0.1" not in str(answer.body)
    assert (await call_tool(market, tool, force_refresh=True)).code is None


@parametrize_tools(TOOLS, "DATABASE_ERROR")
async def test_an_influxdb_killed_in_mid_query_is_a_database_error_and_the_next_call_works(
    market: ServerUnderTest, server: Influxd, tool: str
) -> None:
    with server.frozen():
        call = asyncio.create_task(call_tool(market, tool))
        await market.wait_for_source_requests(1)
        server.kill()
        assert (await call).code == "DATABASE_ERROR"
        server.start()
    assert (await call_tool(market, tool)).code is None


@parametrize_tools(TOOLS, "DATABASE_ERROR")
async def test_an_error_inside_success_is_a_database_error_without_its_text(
    server: Influxd, observations: Observations, tool: str
) -> None:
    elsewhere = {"influxdb_url": server.url, "influxdb_bucket": "elsewhere"}
    async with open_server(SERVER, elsewhere, observations) as market:
        with capture_logs(logging.DEBUG) as records:
            answer = await call_tool(market, tool)
    assert answer.code == "DATABASE_ERROR"
    assert "elsewhere" not in str(answer.body)
    assert any("database elsewhere: " in str(record.exc_info) for record in records)


@parametrize_tools(TOOLS, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    market: ServerUnderTest, server: Influxd, clock: ManualClock, tool: str
) -> None:
    timeout_s = _contract(tool)["deadline"]["timeout_ms"] / 1000
    assert (await call_tool(market, tool)).code is None
    before = market.source_requests
    with server.frozen():
        call = asyncio.create_task(call_tool(market, tool, force_refresh=True))
        await market.wait_for_source_requests(before + 1)
        clock.advance(timeout_s)
        assert (await call).code == "TIMEOUT"
    assert (await call_tool(market, tool, force_refresh=True)).code is None


@parametrize_tools(TOOLS, "INTERNAL_ERROR")
async def test_the_bug_of_a_handler_is_an_internal_error_without_its_text(
    server: Influxd, observations: Observations, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    break_handler(monkeypatch, SERVER, tool)
    async with open_server(SERVER, {"influxdb_url": server.url}, observations) as market:
        answer = await call_tool(market, tool)
    assert (answer.code, answer.message, answer.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})


@parametrize_tools(TOOLS, "DATABASE_ERROR")
async def test_impossible_candles_are_a_database_error_and_never_sent(
    server: Influxd, influxdb_database: str, observations: Observations, tool: str
) -> None:
    influxd.write(server.url, influxdb_database, invalid_candles(tool))
    async with open_server(
        SERVER, {"influxdb_url": server.url, "influxdb_bucket": influxdb_database}, observations
    ) as market:
        answer = await call_tool(market, tool)
    message = "A data source cannot serve this call; the server's log has the reason."
    assert (answer.code, answer.message, answer.details) == ("DATABASE_ERROR", message, {})


@pytest.fixture
def influxdb_database(server: Influxd) -> Iterator[str]:
    """An empty database of one test."""
    influxd.command(server.url, "CREATE DATABASE invalid")
    yield "invalid"
    influxd.command(server.url, "DROP DATABASE invalid")


def invalid_candles(tool: str) -> list[Candle]:
    """Return candles that the contract excludes: with a negative volume, or with prices of 0."""
    wrong = (1.0, 1.0, 1.0, 1.0, -5.0) if tool != VOLATILITY else (0.0, 0.0, 0.0, 0.0, 5.0)
    return [(SYMBOL, (MINUTE - number * 60) * 60_000, *wrong) for number in range(20)]


def _contract(name: str) -> dict[str, Any]:
    return tool(SERVER, name)
