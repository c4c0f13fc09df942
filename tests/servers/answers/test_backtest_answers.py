"""Prove the promises of backtest-mcp on PostgreSQL, candles and the reference backtester."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

import asyncpg
import pytest

from handlers.tradestream.identifiers import not_found_message
from sandbox import backtester
from sandbox.tradestream.performance import measure
from sandbox.tradestream.strategies import generate_implementations
from tests.contracts.reading import tool
from tests.handlers.tradestream.service import FIGURES, MINUTE, Service, result, rows, serving, silence
from tests.servers.backends import (
    STRATEGY_TABLES,
    SYMBOL,
    UNKNOWN_ID,
    connect_database,
    load_invalid_rows,
    lock_tables,
    run_in_thread,
    wait_for_blocked_queries,
)
from tests.servers.contracts import Observations, answers, cached, parametrize_tools
from tests.servers.harness import NOW, Answer, ServerUnderTest, break_handler, open_server
from tests.services.candles import serve_candles
from toolaccord.testing import ManualClock, capture_logs

SERVER = "tradestream.backtest"
BACKTEST, PERFORMANCE = TOOLS = ("run_backtest", "get_historical_performance")
DAYS = 16
"""Days of stored candles: more than half of the default range."""
INVALID_ROWS = """
ALTER TABLE strategy_performance DROP CONSTRAINT strategy_performance_accuracy_check;
UPDATE strategy_performance SET accuracy = 61;
"""


def find_strategy(spec: str) -> str:
    """Return the identifier of a strategy of the sample market with this spec."""
    return next(
        str(each.strategy_id) for each in generate_implementations(1) if each.is_strategy and each.spec.name == spec
    )


STRATEGY = find_strategy("MACD_CROSSOVER")


def find_strategy_without_trades() -> str:
    """Return the identifier of a strategy that the sample market of NOW has no measurements of."""
    measured = measure(1, NOW.date()).figures
    return next(
        str(each.strategy_id)
        for each in generate_implementations(1)
        if each.is_strategy and each.impl_id not in measured
    )


@asynccontextmanager
async def renamed_spec(connection: asyncpg.Connection, name: str) -> AsyncIterator[None]:
    """Give the spec *name* another name meanwhile."""
    rename = "UPDATE strategy_specs SET name = $2 WHERE name = $1"
    await connection.execute(rename, name, "MOON_PHASE")
    try:
        yield
    finally:
        await connection.execute(rename, "MOON_PHASE", name)


@pytest.fixture(scope="module")
def candles() -> Iterator[str]:
    with serve_candles(rows(SYMBOL, NOW - DAYS * 1440 * MINUTE, DAYS * 1440)) as url:
        yield url


@pytest.fixture(scope="module")
def settings(market: str, candles: str) -> Iterator[dict[str, str]]:
    """Settings under which every source is there."""
    with backtester.serve() as target:
        yield {"database_url": market, "influxdb_url": candles, "backtester_target": target}


@pytest.fixture
async def backtests(
    settings: dict[str, str], observations: Observations, clock: ManualClock
) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVER, settings, observations, clock) as server:
        yield server


async def call_tool(server: ServerUnderTest, name: str, **more: Any) -> Answer:
    """Call a tool about STRATEGY, on SYMBOL if the tool needs one."""
    arguments = {"strategy_id": STRATEGY} | ({"symbol": SYMBOL} if name == BACKTEST else {})
    return await server.call(name, **arguments | more)


async def test_a_backtest_of_the_last_thirty_days_is_computed_by_the_backtester(backtests: ServerUnderTest) -> None:
    answer = await call_tool(backtests, BACKTEST)
    assert answer.body["data"]["trades"] > 10
    assert answer.metadata["source"] == "grpc"
    assert (await call_tool(backtests, BACKTEST)).body["data"] == answer.body["data"]


# --- invalid requests ----------------------------------------------------------------------------------------------


@parametrize_tools(TOOLS, "INVALID_PARAMETER")
async def test_an_invalid_argument_without_a_code_of_its_own_is_an_invalid_parameter(
    backtests: ServerUnderTest, tool: str
) -> None:
    answer = await call_tool(backtests, tool, strategy_id=5, verbose=True)
    assert answer.code == "INVALID_PARAMETER"
    assert [violation["at"] for violation in answer.details["violations"]] == ["/strategy_id", "/verbose"]
    assert backtests.source_requests == 0


@answers(BACKTEST, "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "ETH/USD\n", None, 5])
async def test_a_malformed_symbol_is_an_invalid_symbol(backtests: ServerUnderTest, symbol: Any) -> None:
    assert (await call_tool(backtests, BACKTEST, symbol=symbol)).code == "INVALID_SYMBOL"


@answers(BACKTEST, "INVALID_PARAMETER")
@pytest.mark.parametrize("day", ["today", "", "2026-02-30", "2026-11-02T00:00:00Z", 20261102])
@pytest.mark.parametrize("name", ["start_date", "end_date"])
async def test_an_invalid_date_is_an_invalid_parameter(backtests: ServerUnderTest, name: str, day: Any) -> None:
    answer = await call_tool(backtests, BACKTEST, **{name: day})
    assert (answer.code, [violation["at"] for violation in answer.details["violations"]]) == (
        "INVALID_PARAMETER",
        [f"/{name}"],
    )
    assert backtests.source_requests == 0


@answers(BACKTEST, "INVALID_DATE_RANGE")
@pytest.mark.parametrize(
    "dates", [("2026-11-02", "2026-11-02"), ("2026-11-03", "2026-11-02"), ("2025-11-01", "2026-11-20")]
)
async def test_an_empty_reversed_or_too_long_range_is_an_invalid_range(
    backtests: ServerUnderTest, dates: tuple[str, str]
) -> None:
    answer = await call_tool(backtests, BACKTEST, start_date=dates[0], end_date=dates[1])
    assert answer.code == "INVALID_DATE_RANGE"
    assert backtests.source_requests == 0


@answers(PERFORMANCE, "INVALID_PERIOD")
async def test_an_unknown_period_is_an_invalid_period(backtests: ServerUnderTest) -> None:
    assert (await call_tool(backtests, PERFORMANCE, period="3M")).code == "INVALID_PERIOD"


@parametrize_tools(TOOLS, "STRATEGY_NOT_FOUND")
@pytest.mark.parametrize(
    "strategy_id", [UNKNOWN_ID, "abc123", "1; DROP TABLE strategies", "", pytest.param("x" * 100_000, id="long")]
)
async def test_a_strategy_that_does_not_exist_is_not_found(
    backtests: ServerUnderTest, tool: str, strategy_id: str
) -> None:
    answer = await call_tool(backtests, tool, strategy_id=strategy_id)
    assert (answer.code, answer.details) == ("STRATEGY_NOT_FOUND", {"strategy_id": strategy_id})
    assert answer.message == not_found_message("Strategy", strategy_id)


@answers(BACKTEST, "STRATEGY_NOT_FOUND")
async def test_a_strategy_that_the_backtester_does_not_know_is_not_found(
    backtests: ServerUnderTest, market: str
) -> None:
    async with connect_database(market) as connection, renamed_spec(connection, "FRAMA"):
        answer = await call_tool(backtests, BACKTEST, strategy_id=find_strategy("FRAMA"))
    assert (answer.code, answer.details) == ("STRATEGY_NOT_FOUND", {"strategy_id": find_strategy("FRAMA")})
    assert find_strategy("FRAMA") in answer.message


@answers(BACKTEST, "INSUFFICIENT_DATA")
async def test_a_range_without_candles_is_insufficient_data(backtests: ServerUnderTest) -> None:
    answer = await call_tool(backtests, BACKTEST, start_date="2026-01-01")
    assert (answer.code, answer.details) == ("INSUFFICIENT_DATA", {"symbol": SYMBOL, "available": DAYS * 1440})


@answers(PERFORMANCE, "NO_PERFORMANCE_DATA")
async def test_a_week_without_measurements_has_no_performance_data(backtests: ServerUnderTest) -> None:
    without_trades = find_strategy_without_trades()
    answer = await call_tool(backtests, PERFORMANCE, strategy_id=without_trades, period="1w")
    assert (answer.code, answer.details) == ("NO_PERFORMANCE_DATA", {"strategy_id": without_trades})


# --- faults of the sources -----------------------------------------------------------------------------------------


@answers(BACKTEST, "GRPC_ERROR")
async def test_an_unreachable_backtester_is_a_grpc_error_and_the_next_call_works_when_it_is_back(
    settings: dict[str, str], observations: Observations
) -> None:
    with backtester.serve() as target:
        pass
    async with open_server(SERVER, settings | {"backtester_target": target}, observations) as server:
        for _ in range(4):
            answer = await call_tool(server, BACKTEST)
            assert (answer.code, answer.message) == ("GRPC_ERROR", "The backtester did not answer.")
        with backtester.serve(port=int(target.rpartition(":")[2])):
            assert (await call_tool(server, BACKTEST)).code is None


@answers(BACKTEST, "GRPC_ERROR")
async def test_a_backtester_that_stops_in_the_middle_is_a_grpc_error_and_the_next_call_works_when_it_is_back(
    settings: dict[str, str], observations: Observations
) -> None:
    with backtester.serve() as target:
        pass
    service, port = Service(silence), int(target.rpartition(":")[2])
    async with open_server(SERVER, settings | {"backtester_target": target}, observations) as server:
        async with serving(service, port):
            call = asyncio.create_task(call_tool(server, BACKTEST))
            await service.arrived.wait()
        assert (await call).code == "GRPC_ERROR"
        async with serving(Service(result(**FIGURES)), port):
            assert (await call_tool(server, BACKTEST)).body["data"]["trades"] == 8


@answers(BACKTEST, "BACKTEST_TIMEOUT")
async def test_a_backtest_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    settings: dict[str, str], observations: Observations, clock: ManualClock
) -> None:
    service = Service(silence)
    async with (
        serving(service) as target,
        open_server(SERVER, settings | {"backtester_target": target}, observations, clock) as server,
    ):
        call = asyncio.create_task(call_tool(server, BACKTEST))
        await service.arrived.wait()
        clock.advance(deadline_s(BACKTEST) - 1)
        assert not call.done()
        clock.advance(1)
        answer = await call
        assert (answer.code, answer.message) == ("BACKTEST_TIMEOUT", "run_backtest did not finish within 60000 ms.")
        service.respond = result(**FIGURES)
        assert (await call_tool(server, BACKTEST)).code is None


@parametrize_tools(TOOLS, "DATABASE_ERROR")
async def test_an_unreachable_database_is_a_database_error(
    settings: dict[str, str], observations: Observations, tool: str
) -> None:
    unreachable = {"database_url": "postgresql://somebody:secret@127.0.0.1:9/nothing"}
    async with open_server(SERVER, settings | unreachable, observations) as server:
        answer = await call_tool(server, tool)
    assert (answer.code, answer.message) == (
        "DATABASE_ERROR",
        "The data source postgres is unavailable; call again later.",
    )
    assert "127.0.0.1" not in str(answer.body)


@answers(BACKTEST, "DATABASE_ERROR")
async def test_an_unreachable_candle_store_is_a_database_error(
    settings: dict[str, str], observations: Observations
) -> None:
    async with open_server(SERVER, settings | {"influxdb_url": "http://127.0.0.1:9"}, observations) as server:
        assert (await call_tool(server, BACKTEST)).code == "DATABASE_ERROR"


@answers(PERFORMANCE, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    backtests: ServerUnderTest, market: str, clock: ManualClock
) -> None:
    async with lock_tables(market, *STRATEGY_TABLES) as holder:
        call = asyncio.create_task(call_tool(backtests, PERFORMANCE))
        await wait_for_blocked_queries(holder)
        clock.advance(deadline_s(PERFORMANCE))
        assert (await call).code == "TIMEOUT"
    assert (await call_tool(backtests, PERFORMANCE)).code is None


@answers(BACKTEST, "GRPC_ERROR")
async def test_an_impossible_backtest_is_a_grpc_error_and_never_sent(
    settings: dict[str, str], observations: Observations
) -> None:
    percent = Service(result(**FIGURES | {"max_drawdown": 12.5}))
    async with (
        serving(percent) as target,
        open_server(SERVER, settings | {"backtester_target": target}, observations) as server,
    ):
        with capture_logs(logging.DEBUG) as records:
            answer = await call_tool(server, BACKTEST)
    assert (answer.code, answer.message) == ("GRPC_ERROR", "The backtester sent an invalid result.")
    assert any("drawdown 12.5" in str(record.exc_info) for record in records)


@answers(BACKTEST, "INTERNAL_ERROR")
async def test_the_bug_of_a_handler_is_an_internal_error_without_its_text(
    settings: dict[str, str], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_handler(monkeypatch, SERVER, BACKTEST)
    async with open_server(SERVER, settings, observations) as server:
        answer = await call_tool(server, BACKTEST)
    assert (answer.code, answer.message, answer.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})


@answers(PERFORMANCE, "INTERNAL_ERROR")
async def test_performance_that_breaks_the_contract_is_never_sent(
    settings: dict[str, str], observations: Observations, new_database: Callable[[], AbstractContextManager[str]]
) -> None:
    with new_database() as url:
        run_in_thread(load_invalid_rows(url, INVALID_ROWS))
        async with open_server(SERVER, settings | {"database_url": url}, observations) as server:
            assert (await call_tool(server, PERFORMANCE)).code == "INTERNAL_ERROR"


# --- caching -------------------------------------------------------------------------------------------------------


@cached(PERFORMANCE)
async def test_performance_is_cached_until_it_expires_unless_the_caller_forces_a_refresh(
    backtests: ServerUnderTest, clock: ManualClock
) -> None:
    first = await call_tool(backtests, PERFORMANCE)
    assert (first.metadata["cached"], first.metadata["source"]) == (False, "postgresql")
    clock.advance(299)
    again = await call_tool(backtests, PERFORMANCE)
    assert (again.metadata["cached"], again.metadata["cache_ttl_remaining"]) == (True, 1)
    assert again.body["data"] == first.body["data"]
    assert not (await call_tool(backtests, PERFORMANCE, force_refresh=True)).metadata["cached"]
    clock.advance(300)
    assert not (await call_tool(backtests, PERFORMANCE)).metadata["cached"]


async def test_a_backtest_is_never_cached(backtests: ServerUnderTest) -> None:
    assert [(await call_tool(backtests, BACKTEST)).metadata["cached"] for _ in range(2)] == [False, False]


def deadline_s(name: str) -> float:
    timeout_ms: int = tool(SERVER, name)["deadline"]["timeout_ms"]
    return timeout_ms / 1000
