"""market-data-mcp on a real InfluxDB: everything it promises, and every way InfluxDB can fail."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from sandbox.candles.minutes import Candle, generate_candles
from sandbox.market import Market
from tests.contracts.reading import tool
from tests.servers.manifest import answers, cached, each_tool, paginated
from tests.servers.seen import Seen
from tests.servers.station import NOW, Answer, Station, station
from tests.services import influxd
from tests.services.fetched import fetched
from tests.services.influxd import Influxd
from toolpact.testing import ManualClock, capture_logs

ROOM = "tradestream.market_data"
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
async def market(server: Influxd, clock: ManualClock, seen: Seen) -> AsyncIterator[Station]:
    async with station(ROOM, {"influxdb_url": server.url, "influxdb_bucket": DATABASE}, seen, clock) as each:
        yield each


async def ask(market: Station, name: str, **more: Any) -> Answer:
    return await market.ask(name, **{"symbol": SYMBOL} | more)


@each_tool(TOOLS, "INVALID_PARAMETER")
async def test_an_argument_that_no_code_guards_is_an_invalid_parameter(market: Station, tool: str) -> None:
    said = await ask(market, tool, force_refresh="yes", verbose=True)
    assert said.code == "INVALID_PARAMETER"
    assert [violation["at"] for violation in said.details["violations"]] == ["/force_refresh", "/verbose"]
    assert market.asked == 0


@each_tool(TOOLS, "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "ETH", "ETH/USD\n", "", None, 5, "ETH/USD' OR '1'='1"])
async def test_what_is_no_symbol_never_reaches_the_store(market: Station, tool: str, symbol: Any) -> None:
    assert (await ask(market, tool, symbol=symbol)).code == "INVALID_SYMBOL"
    assert market.asked == 0


@each_tool((CANDLES, VOLATILITY), "INVALID_TIMEFRAME")
@pytest.mark.parametrize("timeframe", ["2h", "1H", "", 60])
async def test_a_width_that_there_is_not_is_an_invalid_timeframe(market: Station, tool: str, timeframe: Any) -> None:
    assert (await ask(market, tool, timeframe=timeframe)).code == "INVALID_TIMEFRAME"


@answers(CANDLES, "NO_DATA")
@answers(PRICE, "SYMBOL_NOT_FOUND")
@answers(VOLATILITY, "INSUFFICIENT_DATA")
async def test_a_symbol_that_nobody_trades_has_a_code_of_each_tool(market: Station) -> None:
    said = [(await ask(market, name, symbol="NOTHING/USD")).code for name in TOOLS]
    assert said == ["NO_DATA", "SYMBOL_NOT_FOUND", "INSUFFICIENT_DATA"]


@answers(PRICE, "STALE_DATA")
async def test_a_price_becomes_stale_while_nothing_is_traded(market: Station, clock: ManualClock) -> None:
    assert (await ask(market, PRICE)).code is None
    clock.advance(300)
    assert (await ask(market, PRICE)).code is None
    clock.advance(5)  # the kept answer is forgotten
    said = await ask(market, PRICE)
    assert (said.code, said.details["age_s"], said.details["max_age_s"]) == ("STALE_DATA", 305, 300)


@paginated(CANDLES)
async def test_pages_neither_repeat_nor_lose_a_candle(market: Station) -> None:
    total = (await ask(market, CANDLES, timeframe="15m")).body["data"]["pagination"]["total"]
    found: list[Any] = []
    for offset in range(0, total, 20):
        data = (await ask(market, CANDLES, timeframe="15m", limit=20, offset=offset)).body["data"]
        assert data["pagination"]["has_more"] == (offset + 20 < total)
        found = data["items"] + found
    times = [item["timestamp"] for item in found]
    assert times == sorted(set(times))
    assert len(times) == total == 67


@pytest.mark.parametrize("tool", [pytest.param(name, marks=cached(name)) for name in TOOLS])
async def test_a_result_is_given_again_until_it_is_too_old(market: Station, clock: ManualClock, tool: str) -> None:
    ttl_s = _contract(tool)["cache"]["ttl_s"]
    first = await ask(market, tool)
    assert (first.metadata["cached"], first.metadata["source"]) == (False, "influxdb")
    clock.advance(ttl_s - 1)
    kept = await ask(market, tool)
    assert (kept.metadata["cached"], kept.metadata["cache_ttl_remaining"]) == (True, 1)
    assert kept.body["data"] == first.body["data"]
    assert (await ask(market, tool, force_refresh=True)).metadata["cached"] is False
    clock.advance(ttl_s)
    assert (await ask(market, tool)).metadata["cached"] is False


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_an_influxdb_that_is_away_is_a_database_error_and_used_again_when_it_is_back(
    market: Station, server: Influxd, tool: str
) -> None:
    assert (await ask(market, tool)).code is None
    server.stop()
    try:
        said = await ask(market, tool, force_refresh=True)
    finally:
        server.start()
    assert (said.code, said.message) == ("DATABASE_ERROR", "The data source did not answer.")
    assert "127.0.0.1" not in str(said.body)
    assert (await ask(market, tool, force_refresh=True)).code is None


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_an_influxdb_killed_in_mid_query_is_a_database_error_and_the_next_call_works(
    market: Station, server: Influxd, tool: str
) -> None:
    with server.frozen():
        call = asyncio.create_task(ask(market, tool))
        await market.until_asked(1)
        server.kill()
        assert (await call).code == "DATABASE_ERROR"
        server.start()
    assert (await ask(market, tool)).code is None


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_an_error_inside_success_is_a_database_error_without_its_text(
    server: Influxd, seen: Seen, tool: str
) -> None:
    elsewhere = {"influxdb_url": server.url, "influxdb_bucket": "elsewhere"}
    async with station(ROOM, elsewhere, seen) as market:
        with capture_logs() as records:
            said = await ask(market, tool)
    assert said.code == "DATABASE_ERROR"
    assert "elsewhere" not in str(said.body)
    assert any("database elsewhere: " in str(record.exc_info) for record in records)


@each_tool(TOOLS, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    market: Station, server: Influxd, clock: ManualClock, tool: str
) -> None:
    timeout_s = _contract(tool)["deadline"]["timeout_ms"] / 1000
    assert (await ask(market, tool)).code is None
    asked = market.asked
    with server.frozen():
        call = asyncio.create_task(ask(market, tool, force_refresh=True))
        await market.until_asked(asked + 1)
        clock.advance(timeout_s)
        assert (await call).code == "TIMEOUT"
    assert (await ask(market, tool, force_refresh=True)).code is None


@each_tool(TOOLS, "INTERNAL_ERROR")
async def test_data_that_break_the_contract_are_never_sent(
    server: Influxd, influxdb_database: str, seen: Seen, tool: str
) -> None:
    influxd.write(server.url, influxdb_database, spoilt(tool))
    async with station(ROOM, {"influxdb_url": server.url, "influxdb_bucket": influxdb_database}, seen) as market:
        said = await ask(market, tool)
    assert (said.code, said.message, said.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})


@pytest.fixture
def influxdb_database(server: Influxd) -> Iterator[str]:
    """A database of one test."""
    influxd.command(server.url, "CREATE DATABASE spoilt")
    yield "spoilt"
    influxd.command(server.url, "DROP DATABASE spoilt")


def spoilt(tool: str) -> list[Candle]:
    """Candles that somebody wrote wrongly: less than nothing was traded, or it cost nothing."""
    wrong = (1.0, 1.0, 1.0, 1.0, -5.0) if tool != VOLATILITY else (0.0, 0.0, 0.0, 0.0, 5.0)
    return [(SYMBOL, (MINUTE - number * 60) * 60_000, *wrong) for number in range(20)]


def _contract(name: str) -> dict[str, Any]:
    return tool(ROOM, name)
