"""strategy-mcp on a real PostgreSQL with the sample market: everything it promises, and every way the database can fail."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from handlers.tradestream.identifiers import not_found_message
from handlers.tradestream.migrate import migrate
from sandbox.postgresql import running
from tests.contracts.reading import contracts, tool
from tests.servers.manifest import answers, each_tool
from tests.servers.market import (
    CONSENSUS,
    KILL_WAITING,
    NOBODY,
    ROOM,
    SIGNAL,
    SYMBOL,
    TOOLS,
    TOP,
    Ask,
    apart,
    asking,
    connection,
    locked,
    spoil,
    until_waiting,
)
from tests.servers.seen import Seen
from tests.servers.station import Station, station
from toolpact.testing import ManualClock, capture_logs

LIMITS = contracts()[ROOM]["sources"]["postgres"]

KILL_OTHERS = "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()"
SPOILING = """
ALTER TABLE strategy_performance DROP CONSTRAINT strategy_performance_accuracy_check;
ALTER TABLE signals DROP CONSTRAINT signals_confidence_check;
UPDATE strategy_performance SET accuracy = 61;
UPDATE signals SET confidence = 74;
"""
"""Percents where fractions were promised."""


@pytest.fixture(scope="module")
def spoilt_market(new_database: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """The URL of a sample market in which somebody wrote what the contract excludes."""
    with new_database() as url:
        apart(spoil(url, SPOILING))
        yield url


# --- what a caller can get wrong -----------------------------------------------------------------------------------


@each_tool(TOOLS, "INVALID_PARAMETER")
async def test_an_argument_that_no_code_guards_is_an_invalid_parameter(ask: Ask, strategy: Station, tool: str) -> None:
    said = await ask(tool, force_refresh="yes", verbose=True)
    assert said.code == "INVALID_PARAMETER"
    assert [violation["at"] for violation in said.details["violations"]] == ["/force_refresh", "/verbose"]
    assert strategy.asked == 0


@each_tool(TOOLS, "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "ETH", "ETH/USD\n", "", None, 5, ["ETH/USD"]])
async def test_what_is_no_symbol_is_an_invalid_symbol_whatever_else_is_wrong(ask: Ask, tool: str, symbol: Any) -> None:
    said = await ask(tool, symbol=symbol, verbose=True)
    assert said.code == "INVALID_SYMBOL"
    assert {violation["at"] for violation in said.details["violations"]} == {"/symbol", "/verbose"}


@answers(TOP, "INVALID_METRIC")
async def test_a_metric_that_nobody_measures_is_an_invalid_metric(ask: Ask) -> None:
    assert (await ask(TOP, metric="Sharpe")).code == "INVALID_METRIC"


@answers(TOP, "SYMBOL_NOT_FOUND")
async def test_a_symbol_with_nothing_behind_it_is_not_found(ask: Ask) -> None:
    said = await ask(TOP, symbol="NOTHING/USD")
    assert (said.code, said.details) == ("SYMBOL_NOT_FOUND", {"symbol": "NOTHING/USD"})


@answers(SIGNAL, "STRATEGY_NOT_FOUND")
@pytest.mark.parametrize(
    "strategy_id", [NOBODY, "abc123", "1; DROP TABLE signals", "", pytest.param("x" * 100_000, id="long")]
)
async def test_a_strategy_that_does_not_exist_is_not_found(strategy: Station, strategy_id: str) -> None:
    said = await strategy.ask(SIGNAL, strategy_id=strategy_id, symbol=SYMBOL)
    assert (said.code, said.details) == ("STRATEGY_NOT_FOUND", {"strategy_id": strategy_id})
    assert said.message == not_found_message("Strategy", strategy_id)


@answers(SIGNAL, "NO_SIGNAL")
async def test_a_signal_for_another_symbol_or_of_the_day_before_is_no_signal(
    ask: Ask, strategy_id: str, clock: ManualClock
) -> None:
    other = await ask(SIGNAL, symbol="BTC/USD")
    assert (other.code, other.details) == ("NO_SIGNAL", {"strategy_id": strategy_id, "symbol": "BTC/USD"})
    assert (await ask(SIGNAL)).code is None
    clock.advance(2 * 86_400)
    assert (await ask(SIGNAL)).code == "NO_SIGNAL"


@answers(CONSENSUS, "NO_ACTIVE_STRATEGIES")
async def test_a_symbol_that_nobody_trades_has_no_consensus(ask: Ask) -> None:
    said = await ask(CONSENSUS, symbol="NOTHING/USD")
    assert (said.code, said.details) == ("NO_ACTIVE_STRATEGIES", {"symbol": "NOTHING/USD"})


# --- what can happen to the database -------------------------------------------------------------------------------


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_database_that_is_not_there_is_a_database_error(seen: Seen, tool: str) -> None:
    nowhere = {"database_url": "postgresql://somebody:secret@127.0.0.1:9/nothing"}
    async with station(ROOM, nowhere, seen) as strategy:
        said = await asking(strategy, NOBODY)(tool)
    assert (said.code, said.message) == ("DATABASE_ERROR", "The data source did not answer.")
    assert "127.0.0.1" not in str(said.body)


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_connection_killed_in_mid_query_is_a_database_error_and_the_next_call_works(
    ask: Ask, market: str, tool: str
) -> None:
    async with locked(market) as holder:
        call = asyncio.create_task(ask(tool))
        await until_waiting(holder)
        await holder.fetchval(KILL_WAITING)
        assert (await call).code == "DATABASE_ERROR"
    assert (await ask(tool)).code is None


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_database_that_went_away_between_calls_is_used_again_when_it_is_back(
    ask: Ask, market: str, postgres_server: str, clock: ManualClock, tool: str
) -> None:
    name = urlsplit(market).path.strip("/")
    assert (await ask(tool)).code is None
    clock.advance(3600)
    async with connection(postgres_server) as administrator:
        await administrator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        await administrator.fetchval(KILL_OTHERS, name)
        assert (await ask(tool)).code == "DATABASE_ERROR"
        await administrator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert (await ask(tool)).code is None


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_statement_that_the_database_refuses_is_a_database_error_without_its_text(
    ask: Ask, market: str, tool: str
) -> None:
    async with connection(market) as administrator:
        await administrator.execute("ALTER TABLE strategies RENAME TO moved")
        try:
            with capture_logs() as records:
                said = await ask(tool)
        finally:
            await administrator.execute("ALTER TABLE moved RENAME TO strategies")
    assert said.code == "DATABASE_ERROR"
    assert "relation" not in str(said.body)
    assert any('relation "strategies" does not exist' in str(record.exc_info) for record in records)


@answers(CONSENSUS, "DATABASE_ERROR")
async def test_a_pool_without_a_free_connection_is_a_database_error_within_its_timeout(
    ask: Ask, strategy: Station, market: str, clock: ManualClock
) -> None:
    busy = LIMITS["max_connections"]
    async with locked(market) as holder:
        calls = [asyncio.create_task(ask(CONSENSUS, symbol=f"S{n}/USD")) for n in range(busy)]
        await until_waiting(holder, busy)
        late = asyncio.create_task(ask(CONSENSUS))
        await strategy.until_asked(busy + 1)
        clock.advance(LIMITS["connection_timeout_s"])
        assert (await late).code == "DATABASE_ERROR"
    assert {(await call).code for call in calls} == {"NO_ACTIVE_STRATEGIES"}
    assert (await ask(CONSENSUS)).code is None


@answers(TOP, "DATABASE_ERROR")
@answers(SIGNAL, "DATABASE_ERROR")
@answers(CONSENSUS, "DATABASE_ERROR")
async def test_a_server_that_was_stopped_is_used_again_when_it_was_started(tmp_path: Path, seen: Seen) -> None:
    with running(tmp_path) as cluster:
        url = cluster.url()
        await migrate(url)
    async with station(ROOM, {"database_url": url}, seen) as strategy:
        ask = asking(strategy, NOBODY)
        await ended(tmp_path)
        assert [(await ask(name)).code for name in TOOLS] == ["DATABASE_ERROR"] * 3
        with running(tmp_path):
            found = [(await ask(name)).code for name in TOOLS]
    assert found == ["SYMBOL_NOT_FOUND", "STRATEGY_NOT_FOUND", "NO_ACTIVE_STRATEGIES"]


async def ended(home: Path) -> None:
    """Wait until the PostgreSQL in *home* has ended."""
    async with asyncio.timeout(60):
        while (home / "data" / "postmaster.pid").exists():  # noqa: ASYNC110 - another process ends
            await asyncio.sleep(0)


@each_tool(TOOLS, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    ask: Ask, market: str, clock: ManualClock, tool: str
) -> None:
    timeout_s = deadline_s(tool)
    async with locked(market) as holder:
        call = asyncio.create_task(ask(tool))
        await until_waiting(holder)
        clock.advance(timeout_s - 1)
        await until_waiting(holder)
        assert not call.done()
        clock.advance(1)
        said = await call
    assert (said.code, said.message) == ("TIMEOUT", f"{tool} did not finish within {timeout_s * 1000:.0f} ms.")
    assert (await ask(tool)).code is None


def deadline_s(name: str) -> float:
    timeout_ms: int = tool(ROOM, name)["deadline"]["timeout_ms"]
    return timeout_ms / 1000


@each_tool(TOOLS, "INTERNAL_ERROR")
async def test_data_that_break_the_contract_are_never_sent(
    spoilt_market: str, strategy_id: str, seen: Seen, tool: str
) -> None:
    async with station(ROOM, {"database_url": spoilt_market}, seen) as strategy:
        with capture_logs() as records:
            said = await asking(strategy, strategy_id)(tool)
    assert (said.code, said.message, said.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})
    assert any("must be at most 1" in str(record.exc_info) for record in records)
