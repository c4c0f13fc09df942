"""The requests of the platform's documentation, on the sandbox's markets."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from generated.platform.execution import server as execution
from generated.platform.features import server as features
from handlers.platform import execution as execution_handlers
from handlers.platform import features as features_handlers
from handlers.platform.ticks import to_subject
from sandbox.candles import SimulatedCandles, serve
from sandbox.nats import feed
from tests.services import nats as nats_service
from tests.services.nats import jetstream
from toolaccord.sources.influxdb import InfluxdbSource
from toolaccord.testing import ManualClock, pipeline

WINDOW = {
    "symbol": "EURUSD",
    "start": "2024-01-15T09:00:00Z",
    "end": "2024-01-15T10:00:00Z",
    "interval": "1m",
    "features": ["sma", "rsi"],
}
"""A Monday."""
NOW = datetime(2024, 1, 15, 10, 30, 45, tzinfo=UTC)


@pytest.fixture
def candles() -> Iterator[str]:
    with serve(SimulatedCandles(lambda: NOW)) as url:
        yield url


async def call(declared: Any, handlers: Any, url: str, tool: str, arguments: dict[str, Any], **more: Any) -> Any:
    """Return the answer's body to a call without cache and limit."""
    server = declared.server(handlers)
    (source,) = [each for each in server.sources if isinstance(each, InfluxdbSource)]
    settings = {each.name: each.default for each in server.settings} | {"influxdb_url": url}
    opened = replace(source, connection_timeout_s=60).open(settings, ManualClock(NOW))
    bare = replace(server, tools=tuple(replace(each, cache=None, rate_limit=None) for each in server.tools))
    served = pipeline(bare, sources={"influxdb": opened}, clock=ManualClock(NOW))
    try:
        return (await served.call(tool, arguments, **more)).body
    finally:
        await opened.close()


@pytest.mark.parametrize("symbol", ["EURUSD", "AAPL"])
async def test_a_window_has_every_minute_and_its_features(candles: str, symbol: str) -> None:
    arguments = WINDOW | {"symbol": symbol}
    body = await call(features, features_handlers, candles, "features.ohlcv_window", arguments, version="1.1.0")
    assert (body["metadata"]["total_rows"], body["metadata"]["data_completeness"]) == (60, 1)
    assert set(body["stats"]) == {"sma_20", "sma_50", "rsi_14"}


async def test_a_weekend_has_no_bars_of_currencies(candles: str) -> None:
    arguments = WINDOW | {"start": "2024-01-13T09:00:00Z", "end": "2024-01-13T10:00:00Z"}
    body = await call(features, features_handlers, candles, "features.ohlcv_window", arguments)
    assert body["error"]["code"] == "MCP-010"


@pytest.mark.parametrize("instrument, qty", [("EURUSD", 10_000), ("AAPL", 10)])
async def test_an_order_of_currencies_or_shares_has_a_quote(candles: str, instrument: str, qty: float) -> None:
    order = {"instrument": instrument, "side": "buy", "qty": qty, "timestamp": "2024-01-15T10:30:00Z"}
    body = await call(execution, execution_handlers, candles, "execution.sim_quote", order)
    assert body["expected_price"] > body["market_conditions"]["bid_price"] > 0


@pytest.mark.parametrize("day, ticks", [(15, 1), (13, 0)], ids=["Monday", "Saturday"])
async def test_currencies_and_shares_have_ticks_on_weekdays_alone(tmp_path: Path, day: int, ticks: int) -> None:
    second = int(NOW.replace(day=day).timestamp())
    with nats_service.running(tmp_path) as server:
        async with jetstream(server.url) as streams:
            await feed.create_streams(streams._nc)
            await feed.publish_ticks(streams._nc, range(second, second + 1))
            found = (await streams.stream_info("MARKET_DATA", subjects_filter=">")).state.subjects or {}
    counts = {symbol: found.get(to_subject(symbol), 0) for symbol in ("EURUSD", "AAPL", "BTC/USD")}
    assert counts == {"EURUSD": ticks, "AAPL": ticks, "BTC/USD": 1}
