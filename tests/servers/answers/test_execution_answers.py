"""Prove every promise of execution-mcp on a real InfluxDB, also when InfluxDB fails."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from handlers.platform.execution import _write_most
from sandbox.market import Market
from tests.contracts.reading import tool
from tests.servers.backends import QUOTE, SYMBOL
from tests.servers.contracts import Observations, answers, cached
from tests.servers.harness import NOW, Answer, ServerUnderTest, break_handler, open_server
from tests.services import influxd
from tests.services.candles import generate_candles
from tests.services.fetched import fetched
from tests.services.influxd import Influxd
from tests.services.valkey import Valkey
from toolaccord.testing import ManualClock, capture_logs

SERVER = "platform.execution"
DATABASE = "candles"
MINUTE = int(NOW.timestamp()) // 60
CONTRACT = tool(SERVER, QUOTE)
ORDER: dict[str, Any] = {"instrument": SYMBOL, "side": "buy", "qty": 5, "timestamp": "2026-11-21T12:00:00Z"}


@pytest.fixture(scope="module")
def candles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Influxd]:
    """A real InfluxDB with the last hour of three symbols: ordinary, impossible, untraded."""
    with influxd.running(fetched("influxdb"), tmp_path_factory.mktemp("influxd")) as server:
        influxd.command(server.url, f"CREATE DATABASE {DATABASE}")
        hour = generate_candles(Market(1), SYMBOL, MINUTE - 60, MINUTE)
        impossible = [("BAD/USD", time, 0.0, 0.0, 0.0, 0.0, 5.0) for _, time, *_ in hour]
        untraded = [("DRY/USD", time, 1.0, 1.5, 0.5, 1.0, 0.0) for _, time, *_ in hour]
        influxd.write(server.url, DATABASE, hour + impossible + untraded)
        yield server


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as each:
        yield each


@pytest.fixture
async def server(
    candles: Influxd, valkey: Valkey, clock: ManualClock, observations: Observations
) -> AsyncIterator[ServerUnderTest]:
    valkey.command("FLUSHALL")
    settings = {"influxdb_url": candles.url, "influxdb_bucket": DATABASE, "redis_url": valkey.url}
    async with open_server(SERVER, settings, observations, clock) as each:
        yield each


async def call_tool(server: ServerUnderTest, **changes: Any) -> Answer:
    return await server.call(QUOTE, **ORDER | changes)


@answers(QUOTE, "MCP-001")
@pytest.mark.parametrize(
    "changes, field",
    [
        ({"order_type": "limit"}, "limit_price"),
        ({"order_type": "stop"}, "stop_price"),
        ({"limit_price": 3000}, "limit_price"),
        ({"order_type": "limit", "limit_price": 3000, "stop_price": 3000}, "stop_price"),
        ({"timestamp": "2026-11-21T12:01:00Z"}, "timestamp"),
        ({"timestamp": "9999-12-31T23:59:59-14:00"}, "timestamp"),
    ],
)
async def test_an_argument_that_does_not_fit_the_others_is_named(
    server: ServerUnderTest, changes: dict[str, Any], field: str
) -> None:
    answer = await call_tool(server, **changes)
    assert (answer.code, answer.details) == ("MCP-001", {"field": field})
    assert server.source_requests == 0


@answers(QUOTE, "MCP-001")
@pytest.mark.parametrize(
    "changes",
    [{"qty": 0}, {"qty": "5"}, {"side": "hold"}, {"instrument": "eth"}, {"timestamp": "noon"}, {"limit": 3000}],
)
async def test_an_argument_outside_the_schema_never_reaches_the_store(
    server: ServerUnderTest, changes: dict[str, Any]
) -> None:
    answer = await call_tool(server, **changes)
    (name,) = changes
    assert (answer.code, [each["at"] for each in answer.details["violations"]]) == ("MCP-001", [f"/{name}"])
    assert server.source_requests == 0


@answers(QUOTE, "MCP-010")
@pytest.mark.parametrize(
    "changes, available",
    [
        ({"instrument": "NEW/USD"}, 0),
        ({"instrument": "EURUSD"}, 0),
        ({"timestamp": "2026-11-21T11:29:59Z"}, 29),
        ({"timestamp": "1969-12-31T23:59:59Z"}, 0),
        ({"timestamp": "0001-01-01T00:00:00+14:00"}, 0),
    ],
)
async def test_a_time_or_an_instrument_without_enough_candles_is_insufficient_data(
    server: ServerUnderTest, changes: dict[str, Any], available: int
) -> None:
    answer = await call_tool(server, **changes)
    assert (answer.code, answer.details) == ("MCP-010", {"available": available, "required": 30})


async def test_thirty_candles_are_enough_and_a_running_minute_is_not_read(server: ServerUnderTest) -> None:
    at_half, later = [(await call_tool(server, timestamp=f"2026-11-21T11:30:{s}Z")).body for s in ("00", "59.999")]
    assert at_half == later
    assert "error" not in at_half


@answers(QUOTE, "MCP-012")
async def test_a_quantity_beyond_a_tenth_of_the_hour_is_insufficient_liquidity(server: ServerUnderTest) -> None:
    answer = await call_tool(server, qty=1e9)
    most = 0.1 * sum(volume for *_, volume in generate_candles(Market(1), SYMBOL, MINUTE - 60, MINUTE))
    assert (answer.code, answer.details) == ("MCP-012", {"max_qty": pytest.approx(most)})
    assert (await call_tool(server, qty=answer.details["max_qty"] * 0.999)).code is None
    dry = await call_tool(server, instrument="DRY/USD")
    assert (dry.details, "was not traded" in dry.message) == ({"max_qty": 0}, True)


def test_the_quantity_of_the_message_is_not_rounded_up() -> None:
    assert "takes 15134.5 within" in _write_most("ETH/USD", 15134.59)
    assert "takes 0.000000123456 within" in _write_most("ETH/USD", 1.234569e-7)


@pytest.mark.parametrize("example", CONTRACT["examples"], ids=lambda each: each.get("error", "result"))
async def test_the_examples_of_the_contract_are_true_to_four_digits(
    server: ServerUnderTest, example: dict[str, Any]
) -> None:
    answer = await server.call(QUOTE, **example["arguments"])
    assert answer.code == example.get("error")
    if answer.code is None:
        rounded = json.loads(json.dumps(answer.body), parse_float=lambda number: round(float(number), 4))
        assert rounded == example["returns"]


async def test_quotes_of_one_minute_share_a_result_however_the_time_is_written(
    server: ServerUnderTest, candles: Influxd, valkey: Valkey, observations: Observations, clock: ManualClock
) -> None:
    first = await call_tool(server, timestamp="2026-11-21T11:59:00Z")
    requests = server.source_requests
    for time in ("11:59:00+00:00", "11:59:00.000Z", "14:59:00+03:00", "11:59:30Z", "11:59:59.999z"):
        assert (await call_tool(server, timestamp=f"2026-11-21T{time}")).body == first.body
    settings = {"influxdb_url": candles.url, "influxdb_bucket": DATABASE, "redis_url": valkey.url}
    async with open_server(SERVER, settings, observations, clock) as replica:
        assert (await call_tool(replica, timestamp="2026-11-21T14:59:12+03:00")).body == first.body
        assert (server.source_requests, replica.source_requests) == (requests, 0)
    await call_tool(server, timestamp="2026-11-21T11:58:59Z")
    assert server.source_requests > requests


@cached(QUOTE)
async def test_a_quote_is_cached(server: ServerUnderTest) -> None:
    first = await call_tool(server)
    requests = server.source_requests
    assert (await call_tool(server)).body == first.body
    assert server.source_requests == requests


@answers(QUOTE, "MCP-003")
async def test_an_unreachable_influxdb_is_an_unavailable_backend_until_it_is_back(
    server: ServerUnderTest, candles: Influxd
) -> None:
    candles.stop()
    try:
        answer = await call_tool(server)
    finally:
        candles.start()
    assert (answer.code, answer.message) == ("MCP-003", "The data source influxdb is unavailable; call again later.")
    assert "127.0.0.1" not in str(answer.body)
    assert (await call_tool(server)).code is None


@answers(QUOTE, "MCP-003")
async def test_impossible_candles_are_never_quoted(server: ServerUnderTest) -> None:
    assert (await call_tool(server, instrument="BAD/USD")).code == "MCP-003"


@answers(QUOTE, "MCP-004")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    server: ServerUnderTest, candles: Influxd, clock: ManualClock
) -> None:
    with candles.frozen():
        call = asyncio.create_task(call_tool(server))
        await server.wait_for_source_requests(1)
        clock.advance(CONTRACT["deadline"]["timeout_ms"] / 1000)
        assert (await call).code == "MCP-004"
    # Other arguments, because those of before have a lease in Redis until the clock moves.
    assert (await call_tool(server, qty=6)).code is None


@answers(QUOTE, "MCP-999")
async def test_the_bug_of_a_handler_is_an_internal_error_without_its_text(
    candles: Influxd, valkey: Valkey, observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_handler(monkeypatch, SERVER, QUOTE)
    async with open_server(SERVER, {"influxdb_url": candles.url, "redis_url": valkey.url}, observations) as server:
        with capture_logs() as records:
            answer = await call_tool(server, qty=7)
    assert (answer.code, answer.message, answer.details) == ("MCP-999", "The server failed to answer.", {})
    assert any("s3cr3t" in str(record.exc_info) for record in records)
