"""Prove every promise of features-mcp on a real InfluxDB, also when InfluxDB fails."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from generated.platform.features.models import FeaturesOhlcvWindowResult
from sandbox.market import Market
from tests.contracts.reading import tool
from tests.servers.contracts import Observations, answers, cached
from tests.servers.harness import NOW, Answer, ServerUnderTest, break_handler, open_server
from tests.services import influxd
from tests.services.candles import generate_candles
from tests.services.fetched import fetched
from tests.services.influxd import Influxd
from tests.services.valkey import Valkey
from toolaccord.testing import ManualClock, capture_logs

SERVER = "platform.features"
WINDOW = "features.ohlcv_window"
HANDLER = "features_ohlcv_window"
SYMBOL = "ETH/USD"
DATABASE = "candles"
MINUTE = int(NOW.timestamp()) // 60
FEATURES = ["sma", "ema", "rsi", "macd", "bollinger", "volatility", "volume_profile"]
LAST_HOUR: dict[str, Any] = {
    "symbol": SYMBOL,
    "start": "2026-11-21T11:00:00Z",
    "end": "2026-11-21T12:00:00Z",
    "interval": "1m",
    "features": FEATURES,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Influxd]:
    """A real InfluxDB of this module alone, with a thousand minutes of a symbol."""
    with influxd.running(fetched("influxdb"), tmp_path_factory.mktemp("influxd")) as server:
        influxd.command(server.url, f"CREATE DATABASE {DATABASE}")
        influxd.write(server.url, DATABASE, generate_candles(Market(1), SYMBOL, MINUTE - 1000, MINUTE + 1))
        yield server


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as each:
        yield each


@pytest.fixture
def settings(server: Influxd, valkey: Valkey) -> dict[str, str]:
    """Settings of a server whose replicas have cached nothing."""
    valkey.command("FLUSHALL")
    return {"influxdb_url": server.url, "influxdb_bucket": DATABASE, "redis_url": valkey.url}


@pytest.fixture
async def market(
    settings: dict[str, str], clock: ManualClock, observations: Observations
) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVER, settings, observations, clock) as each:
        yield each


async def call_window(market: ServerUnderTest, **more: Any) -> Answer:
    return await market.call(WINDOW, **LAST_HOUR | more)


async def test_a_window_has_its_bars_and_every_requested_feature(market: ServerUnderTest) -> None:
    body = (await call_window(market)).body
    assert body["metadata"] == {
        "total_rows": 60,
        "first_timestamp": "2026-11-21T11:00:00Z",
        "last_timestamp": "2026-11-21T11:59:00Z",
        "data_completeness": 1.0,
    }
    assert [len(body["rows"]), len(body["stats"]), len(body["stats"]["volume_profile"])] == [60, 14, 20]


@answers(WINDOW, "MCP-001")
@pytest.mark.parametrize(
    "change",
    [
        {"symbol": "eth-usd"},
        {"symbol": "ETH/USD\n"},
        {"symbol": "AB"},
        {"interval": "2h"},
        {"features": []},
        {"features": ["sma"] * 11},
        {"features": ["vwap"]},
        {"features": ["atr"]},
        {"features": ["sma_34"]},
        {"features": [{"feature": "sma", "period": 1}]},
        {"features": [{"feature": "atr", "period": 201}]},
        {"features": [{"feature": "rsi", "period": 2.5}]},
        {"features": [{"feature": "macd", "period": 9}]},
        {"features": [{"feature": "ema"}]},
        {"start": "2026-11-21"},
        {"verbose": True},
        {"end": "2026-11-21T11:00:59.999Z"},
        {"end": "2026-11-21T10:00:00Z"},
        {"start": "2026-11-20T11:59:00Z"},
        {"start": "0001-01-01T00:00:00+14:00", "end": "9999-12-31T23:59:59-14:00"},
    ],
    ids=str,
)
async def test_invalid_arguments_never_reach_the_store(market: ServerUnderTest, change: dict[str, Any]) -> None:
    answer = await call_window(market, **change)
    assert answer.code == "MCP-001"
    assert answer.details["field"].partition("/")[0] in change | {"end": ""}
    assert market.source_requests == 0


@answers(WINDOW, "MCP-010")
@pytest.mark.parametrize(
    "change, available, required",
    [
        ({"symbol": "NEW/USD"}, 0, 1),
        ({"symbol": "NEWEST"}, 0, 1),
        ({"start": "2026-11-21T12:00:00Z", "end": "2026-11-21T13:00:00Z"}, 0, 1),
        ({"start": "1969-12-31T23:00:00Z", "end": "1970-01-01T00:30:00Z"}, 0, 1),
        ({"start": "0001-01-01T00:00:00Z", "end": "0001-01-01T00:30:00Z"}, 0, 1),
        ({"start": "9999-12-31T00:00:00Z", "end": "9999-12-31T00:30:00Z"}, 0, 1),
        ({"interval": "1h", "features": ["rsi", "sma"]}, 17, 20),
        ({"interval": "1h", "features": [{"feature": "atr", "period": 17}]}, 17, 18),
    ],
    ids=str,
)
async def test_too_few_bars_are_insufficient_data(
    market: ServerUnderTest, change: dict[str, Any], available: int, required: int
) -> None:
    answer = await call_window(market, **change)
    assert (answer.code, answer.details) == ("MCP-010", {"available": available, "required": required})


@cached(WINDOW)
async def test_a_closed_window_is_cached_until_it_expires(
    market: ServerUnderTest, clock: ManualClock, valkey: Valkey
) -> None:
    ttl_s = tool(SERVER, WINDOW)["cache"]["ttl_s"]
    first = await call_window(market)
    clock.advance(ttl_s - 1)
    assert (await call_window(market)).body == first.body
    assert market.source_requests == 1
    clock.advance(1)
    valkey.command("FLUSHALL")  # which moves by its own clock
    await call_window(market)
    assert market.source_requests == 2


async def test_a_window_with_bars_to_come_is_cached_for_seconds(
    market: ServerUnderTest, clock: ManualClock, valkey: Valkey
) -> None:
    ttl_s = tool(SERVER, WINDOW)["cache"]["provisional_ttl_s"]
    later = {"end": "2026-11-21T12:30:00Z"}
    first = await call_window(market, **later)
    assert first.body["metadata"]["data_completeness"] == 1
    await call_window(market, **later)
    assert market.source_requests == 1
    assert all(0 < valkey.command("PTTL", key) <= 1000 * ttl_s for key in valkey.command("KEYS", "*"))
    clock.advance(61)
    valkey.command("FLUSHALL")
    again = await call_window(market, **later)
    assert market.source_requests == 2
    assert again.body["metadata"]["total_rows"] == first.body["metadata"]["total_rows"] + 1


@answers(WINDOW, "MCP-003")
async def test_an_unreachable_influxdb_is_an_unavailable_backend_until_it_is_back(
    market: ServerUnderTest, server: Influxd
) -> None:
    server.stop()
    try:
        answer = await call_window(market)
    finally:
        server.start()
    assert (answer.code, answer.message) == ("MCP-003", "The data source influxdb is unavailable; call again later.")
    assert answer.details == {"service": "influxdb"}
    assert (await call_window(market)).code is None


@answers(WINDOW, "MCP-003")
async def test_an_influxdb_killed_in_mid_query_is_an_unavailable_backend(
    market: ServerUnderTest, server: Influxd
) -> None:
    with server.frozen():
        call = asyncio.create_task(call_window(market))
        await market.wait_for_source_requests(1)
        server.kill()
        assert (await call).code == "MCP-003"
        server.start()
    assert (await call_window(market)).code is None


@answers(WINDOW, "MCP-004")
async def test_a_frozen_influxdb_is_a_timeout_and_the_next_call_works(
    market: ServerUnderTest, server: Influxd, clock: ManualClock
) -> None:
    timeout_ms = tool(SERVER, WINDOW)["deadline"]["timeout_ms"]
    with server.frozen():
        call = asyncio.create_task(call_window(market))
        await market.wait_for_source_requests(1)
        clock.advance(timeout_ms / 1000)
        answer = await call
    assert (answer.code, answer.details) == ("MCP-004", {"tool": WINDOW, "timeout_ms": timeout_ms})
    # Other arguments, because those of before have a lease in Redis until the clock moves.
    assert (await call_window(market, interval="5m", features=["ema"])).code is None


@answers(WINDOW, "MCP-999")
async def test_the_bug_of_the_handler_is_an_internal_error_without_its_text(
    settings: dict[str, str], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_handler(monkeypatch, SERVER, HANDLER)
    answer = await call_patched(settings, observations)
    assert (answer.code, answer.message, answer.details) == ("MCP-999", "The server failed to answer.", {})


@answers(WINDOW, "MCP-008")
async def test_a_handler_that_is_not_implemented_has_a_code_of_its_own(
    settings: dict[str, str], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def window(_request: Any, _call: Any) -> None:
        raise NotImplementedError

    monkeypatch.setattr(f"handlers.{SERVER}.{HANDLER}", window)
    assert (await call_patched(settings, observations)).code == "MCP-008"


@answers(WINDOW, "MCP-009")
async def test_a_result_that_breaks_the_contract_is_never_sent(
    settings: dict[str, str], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def window(_request: Any, _call: Any) -> FeaturesOhlcvWindowResult:
        return FeaturesOhlcvWindowResult.model_construct(symbol="s3cr3t")

    monkeypatch.setattr(f"handlers.{SERVER}.{HANDLER}", window)
    answer = await call_patched(settings, observations)
    assert answer.code == "MCP-009"
    assert "s3cr3t" not in str(answer.body)


async def call_patched(settings: dict[str, str], observations: Observations) -> Answer:
    """Call a server whose handler was replaced."""
    with capture_logs():
        async with open_server(SERVER, settings, observations) as market:
            return await call_window(market)
