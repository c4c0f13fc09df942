"""Prove every promise of strategy-mcp on PostgreSQL, also when the database fails."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from handlers.tradestream.identifiers import not_found_message
from sandbox.tradestream.database import SCHEMA
from tests.contracts.reading import contracts, tool
from tests.servers.backends import (
    CONSENSUS,
    KILL_WAITING,
    SIGNAL,
    STRATEGY_SERVER,
    STRATEGY_TABLES,
    STRATEGY_TOOLS,
    SYMBOL,
    TOP,
    UNKNOWN_ID,
    CallTool,
    bind_strategy,
    connect_database,
    load_invalid_rows,
    lock_tables,
    run_in_thread,
    wait_for_blocked_queries,
)
from tests.servers.contracts import Observations, answers, parametrize_tools
from tests.servers.harness import ServerUnderTest, open_server
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.testing.postgresql import running

LIMITS = contracts()[STRATEGY_SERVER]["sources"]["postgres"]

KILL_OTHERS = "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()"
INVALID_ROWS = """
ALTER TABLE strategy_performance DROP CONSTRAINT strategy_performance_accuracy_check;
ALTER TABLE signals DROP CONSTRAINT signals_confidence_check;
UPDATE strategy_performance SET accuracy = 61;
UPDATE signals SET confidence = 74;
"""
"""Percentages in the place of fractions."""


@pytest.fixture(scope="module")
def invalid_market(new_database: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """The URL of a sample market with rows that the contract excludes."""
    with new_database() as url:
        run_in_thread(load_invalid_rows(url, INVALID_ROWS))
        yield url


# --- invalid requests ----------------------------------------------------------------------------------------------


@parametrize_tools(STRATEGY_TOOLS, "INVALID_PARAMETER")
async def test_an_invalid_argument_without_a_code_of_its_own_is_an_invalid_parameter(
    call_tool: CallTool, strategy_server: ServerUnderTest, tool: str
) -> None:
    answer = await call_tool(tool, force_refresh="yes", verbose=True)
    assert answer.code == "INVALID_PARAMETER"
    assert [violation["at"] for violation in answer.details["violations"]] == ["/force_refresh", "/verbose"]
    assert strategy_server.source_requests == 0


@parametrize_tools(STRATEGY_TOOLS, "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "ETH", "ETH/USD\n", "", None, 5, ["ETH/USD"]])
async def test_a_malformed_symbol_is_an_invalid_symbol_whatever_else_is_invalid(
    call_tool: CallTool, tool: str, symbol: Any
) -> None:
    answer = await call_tool(tool, symbol=symbol, verbose=True)
    assert answer.code == "INVALID_SYMBOL"
    assert {violation["at"] for violation in answer.details["violations"]} == {"/symbol", "/verbose"}


@answers(TOP, "INVALID_METRIC")
async def test_an_unknown_metric_is_an_invalid_metric(call_tool: CallTool) -> None:
    assert (await call_tool(TOP, metric="Sharpe")).code == "INVALID_METRIC"


@answers(TOP, "SYMBOL_NOT_FOUND")
async def test_a_symbol_without_strategies_is_not_found(call_tool: CallTool) -> None:
    answer = await call_tool(TOP, symbol="NOTHING/USD")
    assert (answer.code, answer.details) == ("SYMBOL_NOT_FOUND", {"symbol": "NOTHING/USD"})


@answers(SIGNAL, "STRATEGY_NOT_FOUND")
@pytest.mark.parametrize(
    "strategy_id", [UNKNOWN_ID, "abc123", "1; DROP TABLE signals", "", pytest.param("x" * 100_000, id="long")]
)
async def test_a_strategy_that_does_not_exist_is_not_found(strategy_server: ServerUnderTest, strategy_id: str) -> None:
    answer = await strategy_server.call(SIGNAL, strategy_id=strategy_id, symbol=SYMBOL)
    assert (answer.code, answer.details) == ("STRATEGY_NOT_FOUND", {"strategy_id": strategy_id})
    assert answer.message == not_found_message("Strategy", strategy_id)


@answers(SIGNAL, "NO_SIGNAL")
async def test_a_signal_for_another_symbol_or_from_two_days_ago_is_no_signal(
    call_tool: CallTool, strategy_id: str, clock: ManualClock
) -> None:
    other = await call_tool(SIGNAL, symbol="BTC/USD")
    assert (other.code, other.details) == ("NO_SIGNAL", {"strategy_id": strategy_id, "symbol": "BTC/USD"})
    assert (await call_tool(SIGNAL)).code is None
    clock.advance(2 * 86_400)
    assert (await call_tool(SIGNAL)).code == "NO_SIGNAL"


@answers(CONSENSUS, "NO_ACTIVE_STRATEGIES")
async def test_a_symbol_without_active_strategies_has_no_consensus(call_tool: CallTool) -> None:
    answer = await call_tool(CONSENSUS, symbol="NOTHING/USD")
    assert (answer.code, answer.details) == ("NO_ACTIVE_STRATEGIES", {"symbol": "NOTHING/USD"})


# --- faults of the database ----------------------------------------------------------------------------------------


@parametrize_tools(STRATEGY_TOOLS, "DATABASE_ERROR")
async def test_an_unreachable_database_is_a_database_error(observations: Observations, tool: str) -> None:
    unreachable = {"database_url": "postgresql://somebody:secret@127.0.0.1:9/nothing"}
    async with open_server(STRATEGY_SERVER, unreachable, observations) as server:
        answer = await bind_strategy(server, UNKNOWN_ID)(tool)
    assert (answer.code, answer.message) == (
        "DATABASE_ERROR",
        "The data source postgres is unavailable; call again later.",
    )
    assert "127.0.0.1" not in str(answer.body)


@parametrize_tools(STRATEGY_TOOLS, "DATABASE_ERROR")
async def test_a_connection_killed_in_mid_query_is_a_database_error_and_the_next_call_works(
    call_tool: CallTool, market: str, tool: str
) -> None:
    async with lock_tables(market, *STRATEGY_TABLES) as holder:
        call = asyncio.create_task(call_tool(tool))
        await wait_for_blocked_queries(holder)
        await holder.fetchval(KILL_WAITING)
        assert (await call).code == "DATABASE_ERROR"
    assert (await call_tool(tool)).code is None


@parametrize_tools(STRATEGY_TOOLS, "DATABASE_ERROR")
async def test_a_database_that_fails_between_calls_is_used_again_when_it_is_back(
    call_tool: CallTool, market: str, postgres_server: str, clock: ManualClock, tool: str
) -> None:
    name = urlsplit(market).path.strip("/")
    assert (await call_tool(tool)).code is None
    clock.advance(3600)
    async with connect_database(postgres_server) as administrator:
        await administrator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        await administrator.fetchval(KILL_OTHERS, name)
        assert (await call_tool(tool)).code == "DATABASE_ERROR"
        await administrator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert (await call_tool(tool)).code is None


@parametrize_tools(STRATEGY_TOOLS, "DATABASE_ERROR")
async def test_a_statement_that_the_database_rejects_is_a_database_error_without_its_text(
    call_tool: CallTool, market: str, tool: str
) -> None:
    async with connect_database(market) as administrator:
        for table in STRATEGY_TABLES:
            await administrator.execute(f"ALTER TABLE {table} RENAME TO {table}_moved")
        try:
            with capture_logs(logging.DEBUG) as records:
                answer = await call_tool(tool)
        finally:
            for table in STRATEGY_TABLES:
                await administrator.execute(f"ALTER TABLE {table}_moved RENAME TO {table}")
    assert answer.code == "DATABASE_ERROR"
    assert "relation" not in str(answer.body)
    assert any(re.search(r'relation "\w+" does not exist', str(record.exc_info)) for record in records)


@answers(CONSENSUS, "DATABASE_ERROR")
async def test_a_pool_without_a_free_connection_is_a_database_error_within_its_timeout(
    call_tool: CallTool, strategy_server: ServerUnderTest, market: str, clock: ManualClock
) -> None:
    busy = LIMITS["max_connections"]
    async with lock_tables(market, *STRATEGY_TABLES) as holder:
        calls = [asyncio.create_task(call_tool(CONSENSUS, symbol=f"S{n}/USD")) for n in range(busy)]
        await wait_for_blocked_queries(holder, busy)
        late = asyncio.create_task(call_tool(CONSENSUS))
        await strategy_server.wait_for_source_requests(busy + 1)
        clock.advance(LIMITS["connection_timeout_s"])
        assert (await late).code == "DATABASE_ERROR"
    assert {(await call).code for call in calls} == {"NO_ACTIVE_STRATEGIES"}
    assert (await call_tool(CONSENSUS)).code is None


@answers(TOP, "DATABASE_ERROR")
@answers(SIGNAL, "DATABASE_ERROR")
@answers(CONSENSUS, "DATABASE_ERROR")
async def test_a_postgresql_that_was_stopped_is_used_again_after_its_restart(
    tmp_path: Path, observations: Observations
) -> None:
    with running(tmp_path) as cluster:
        url = cluster.url()
        await SCHEMA.migrate(url)
    async with open_server(STRATEGY_SERVER, {"database_url": url}, observations) as server:
        call_tool = bind_strategy(server, UNKNOWN_ID)
        await wait_for_exit(tmp_path)
        assert [(await call_tool(name)).code for name in STRATEGY_TOOLS] == ["DATABASE_ERROR"] * 3
        with running(tmp_path):
            codes = [(await call_tool(name)).code for name in STRATEGY_TOOLS]
    assert codes == ["SYMBOL_NOT_FOUND", "STRATEGY_NOT_FOUND", "NO_ACTIVE_STRATEGIES"]


async def wait_for_exit(home: Path) -> None:
    """Wait until the PostgreSQL in *home* has ended."""
    async with asyncio.timeout(60):
        while (home / "data" / "postmaster.pid").exists():  # noqa: ASYNC110 - another process ends
            await asyncio.sleep(0)


@parametrize_tools(STRATEGY_TOOLS, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    call_tool: CallTool, market: str, clock: ManualClock, tool: str
) -> None:
    timeout_s = deadline_s(tool)
    async with lock_tables(market, *STRATEGY_TABLES) as holder:
        call = asyncio.create_task(call_tool(tool))
        await wait_for_blocked_queries(holder)
        clock.advance(timeout_s - 1)
        await wait_for_blocked_queries(holder)
        assert not call.done()
        clock.advance(1)
        answer = await call
    assert (answer.code, answer.message) == ("TIMEOUT", f"{tool} did not finish within {timeout_s * 1000:.0f} ms.")
    assert (await call_tool(tool)).code is None


def deadline_s(name: str) -> float:
    timeout_ms: int = tool(STRATEGY_SERVER, name)["deadline"]["timeout_ms"]
    return timeout_ms / 1000


@parametrize_tools(STRATEGY_TOOLS, "INTERNAL_ERROR")
async def test_data_that_breaks_the_contract_is_never_sent(
    invalid_market: str, strategy_id: str, observations: Observations, tool: str
) -> None:
    async with open_server(STRATEGY_SERVER, {"database_url": invalid_market}, observations) as server:
        with capture_logs() as records:
            answer = await bind_strategy(server, strategy_id)(tool)
    assert (answer.code, answer.message, answer.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})
    assert any("must be at most 1" in str(record.exc_info) for record in records)
