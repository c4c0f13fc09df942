"""backtest-mcp on a real PostgreSQL, stored candles and the reference backtester: everything it promises, and every way they can fail."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from handlers.tradestream.identifiers import not_found_message
from sandbox import backtester
from sandbox.candles.store import create
from sandbox.tradestream.strategies import generate_implementations
from tests.contracts.reading import tool
from tests.handlers.tradestream.service import FIGURES, MINUTE, Service, result, rows, serving, silence
from tests.servers.manifest import answers, cached, each_tool
from tests.servers.market import NOBODY, SYMBOL, apart, locked, spoil, until_waiting
from tests.servers.seen import Seen
from tests.servers.station import NOW, Answer, Station, station
from toolpact.testing import ManualClock, capture_logs

ROOM = "tradestream.backtest"
RUN, PAST = TOOLS = ("run_backtest", "get_historical_performance")
DAYS = 16
"""So many days of candles are more than half of what is asked for if nothing is said."""
SPOILING = """
ALTER TABLE strategy_performance DROP CONSTRAINT strategy_performance_accuracy_check;
UPDATE strategy_performance SET accuracy = 61;
"""


def known(spec: str) -> str:
    """The identifier of a strategy of the sample market with this spec."""
    return next(
        str(each.strategy_id) for each in generate_implementations(1) if each.is_strategy and each.spec.name == spec
    )


STRATEGY = known("MACD_CROSSOVER")


@pytest.fixture(scope="module")
def candles(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("candles") / "candles.sqlite"
    create(path, rows(SYMBOL, NOW - DAYS * 1440 * MINUTE, DAYS * 1440))
    return f"sqlite://{path}"


@pytest.fixture(scope="module")
def settings(market: str, candles: str) -> Iterator[dict[str, str]]:
    """Everything there."""
    with backtester.serve() as target:
        yield {"database_url": market, "influxdb_url": candles, "backtester_target": target}


@pytest.fixture
async def backtests(settings: dict[str, str], seen: Seen, clock: ManualClock) -> AsyncIterator[Station]:
    async with station(ROOM, settings, seen, clock) as server:
        yield server


async def ask(server: Station, name: str, **more: Any) -> Answer:
    """Call a tool of *server* about STRATEGY, on SYMBOL where the tool needs one."""
    arguments = {"strategy_id": STRATEGY} | ({"symbol": SYMBOL} if name == RUN else {})
    return await server.ask(name, **arguments | more)


async def test_a_backtest_of_the_last_thirty_days_is_computed_by_the_backtester(backtests: Station) -> None:
    said = await ask(backtests, RUN)
    assert said.body["data"]["trades"] > 10
    assert said.metadata["source"] == "grpc"
    assert (await ask(backtests, RUN)).body["data"] == said.body["data"]


# --- what a caller can get wrong -----------------------------------------------------------------------------------


@each_tool(TOOLS, "INVALID_PARAMETER")
async def test_an_argument_that_no_code_guards_is_an_invalid_parameter(backtests: Station, tool: str) -> None:
    said = await ask(backtests, tool, strategy_id=5, verbose=True)
    assert said.code == "INVALID_PARAMETER"
    assert [violation["at"] for violation in said.details["violations"]] == ["/strategy_id", "/verbose"]
    assert backtests.asked == 0


@answers(RUN, "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "ETH/USD\n", None, 5])
async def test_what_is_no_symbol_is_an_invalid_symbol(backtests: Station, symbol: Any) -> None:
    assert (await ask(backtests, RUN, symbol=symbol)).code == "INVALID_SYMBOL"


@answers(RUN, "INVALID_PARAMETER")
@pytest.mark.parametrize("day", ["today", "", "2026-02-30", "2026-11-02T00:00:00Z", 20261102])
@pytest.mark.parametrize("name", ["start_date", "end_date"])
async def test_a_day_that_is_none_is_an_invalid_parameter(backtests: Station, name: str, day: Any) -> None:
    said = await ask(backtests, RUN, **{name: day})
    assert (said.code, [violation["at"] for violation in said.details["violations"]]) == (
        "INVALID_PARAMETER",
        [f"/{name}"],
    )
    assert backtests.asked == 0


@answers(RUN, "INVALID_DATE_RANGE")
@pytest.mark.parametrize(
    "dates", [("2026-11-02", "2026-11-02"), ("2026-11-03", "2026-11-02"), ("2025-11-01", "2026-11-20")]
)
async def test_a_range_that_is_none_is_an_invalid_range(backtests: Station, dates: tuple[str, str]) -> None:
    said = await ask(backtests, RUN, start_date=dates[0], end_date=dates[1])
    assert said.code == "INVALID_DATE_RANGE"
    assert backtests.asked == 0


@answers(PAST, "INVALID_PERIOD")
async def test_a_period_that_nobody_measures_is_an_invalid_period(backtests: Station) -> None:
    assert (await ask(backtests, PAST, period="3M")).code == "INVALID_PERIOD"


@each_tool(TOOLS, "STRATEGY_NOT_FOUND")
@pytest.mark.parametrize(
    "strategy_id", [NOBODY, "abc123", "1; DROP TABLE strategies", "", pytest.param("x" * 100_000, id="long")]
)
async def test_a_strategy_that_does_not_exist_is_not_found(backtests: Station, tool: str, strategy_id: str) -> None:
    said = await ask(backtests, tool, strategy_id=strategy_id)
    assert (said.code, said.details) == ("STRATEGY_NOT_FOUND", {"strategy_id": strategy_id})
    assert said.message == not_found_message("Strategy", strategy_id)


@answers(RUN, "STRATEGY_NOT_FOUND")
async def test_a_strategy_that_the_backtester_does_not_know_is_not_found(backtests: Station) -> None:
    said = await ask(backtests, RUN, strategy_id=known("FRAMA"))
    assert (said.code, said.details) == ("STRATEGY_NOT_FOUND", {"strategy_id": known("FRAMA")})
    assert known("FRAMA") in said.message


@answers(RUN, "INSUFFICIENT_DATA")
async def test_a_range_without_candles_is_insufficient_data(backtests: Station) -> None:
    said = await ask(backtests, RUN, start_date="2026-01-01")
    assert (said.code, said.details) == ("INSUFFICIENT_DATA", {"symbol": SYMBOL, "available": DAYS * 1440})


@answers(PAST, "NO_PERFORMANCE_DATA")
async def test_a_week_in_which_nothing_was_measured_has_no_performance(backtests: Station) -> None:
    said = await ask(backtests, PAST, period="1w")
    assert (said.code, said.details) == ("NO_PERFORMANCE_DATA", {"strategy_id": STRATEGY})


# --- what can happen to the sources --------------------------------------------------------------------------------


@answers(RUN, "GRPC_ERROR")
async def test_a_backtester_that_is_away_is_a_grpc_error_and_the_next_call_works_when_it_is_back(
    settings: dict[str, str], seen: Seen
) -> None:
    with backtester.serve() as target:
        pass
    async with station(ROOM, settings | {"backtester_target": target}, seen) as server:
        for _ in range(4):
            said = await ask(server, RUN)
            assert (said.code, said.message) == ("GRPC_ERROR", "The backtester did not answer.")
        with backtester.serve(port=int(target.rpartition(":")[2])):
            assert (await ask(server, RUN)).code is None


@answers(RUN, "GRPC_ERROR")
async def test_a_backtester_that_stops_in_the_middle_is_a_grpc_error_and_the_next_call_works_when_it_is_back(
    settings: dict[str, str], seen: Seen
) -> None:
    with backtester.serve() as target:
        pass
    there, port = Service(silence), int(target.rpartition(":")[2])
    async with station(ROOM, settings | {"backtester_target": target}, seen) as server:
        async with serving(there, port):
            call = asyncio.create_task(ask(server, RUN))
            await there.arrived.wait()
        assert (await call).code == "GRPC_ERROR"
        async with serving(Service(result(**FIGURES)), port):
            assert (await ask(server, RUN)).body["data"]["trades"] == 8


@answers(RUN, "BACKTEST_TIMEOUT")
async def test_a_backtest_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    settings: dict[str, str], seen: Seen, clock: ManualClock
) -> None:
    there = Service(silence)
    async with serving(there) as target, station(ROOM, settings | {"backtester_target": target}, seen, clock) as server:
        call = asyncio.create_task(ask(server, RUN))
        await there.arrived.wait()
        clock.advance(deadline_s(RUN) - 1)
        assert not call.done()
        clock.advance(1)
        said = await call
        assert (said.code, said.message) == ("BACKTEST_TIMEOUT", "run_backtest did not finish within 60000 ms.")
        there.respond = result(**FIGURES)
        assert (await ask(server, RUN)).code is None


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_database_that_is_not_there_is_a_database_error(
    settings: dict[str, str], seen: Seen, tool: str
) -> None:
    nowhere = {"database_url": "postgresql://somebody:secret@127.0.0.1:9/nothing"}
    async with station(ROOM, settings | nowhere, seen) as server:
        said = await ask(server, tool)
    assert (said.code, said.message) == ("DATABASE_ERROR", "The data source did not answer.")
    assert "127.0.0.1" not in str(said.body)


@answers(RUN, "DATABASE_ERROR")
async def test_candles_that_are_not_there_are_a_database_error(settings: dict[str, str], seen: Seen) -> None:
    async with station(ROOM, settings | {"influxdb_url": "http://127.0.0.1:9"}, seen) as server:
        assert (await ask(server, RUN)).code == "DATABASE_ERROR"


@answers(PAST, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    backtests: Station, market: str, clock: ManualClock
) -> None:
    async with locked(market) as holder:
        call = asyncio.create_task(ask(backtests, PAST))
        await until_waiting(holder)
        clock.advance(deadline_s(PAST))
        assert (await call).code == "TIMEOUT"
    assert (await ask(backtests, PAST)).code is None


@answers(RUN, "INTERNAL_ERROR")
async def test_a_backtest_that_breaks_the_contract_is_never_sent(settings: dict[str, str], seen: Seen) -> None:
    percent = Service(result(**FIGURES | {"max_drawdown": 12.5}))
    async with serving(percent) as target, station(ROOM, settings | {"backtester_target": target}, seen) as server:
        with capture_logs() as records:
            said = await ask(server, RUN)
    assert (said.code, said.message, said.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})
    assert any("must be at most 1" in str(record.exc_info) for record in records)


@answers(PAST, "INTERNAL_ERROR")
async def test_performance_that_breaks_the_contract_is_never_sent(
    settings: dict[str, str], seen: Seen, new_database: Callable[[], AbstractContextManager[str]]
) -> None:
    with new_database() as url:
        apart(spoil(url, SPOILING))
        async with station(ROOM, settings | {"database_url": url}, seen) as server:
            assert (await ask(server, PAST)).code == "INTERNAL_ERROR"


# --- what is kept --------------------------------------------------------------------------------------------------


@cached(PAST)
async def test_performance_is_given_again_until_it_is_too_old_unless_a_fresh_one_is_asked_for(
    backtests: Station, clock: ManualClock
) -> None:
    first = await ask(backtests, PAST)
    assert (first.metadata["cached"], first.metadata["source"]) == (False, "postgresql")
    clock.advance(299)
    kept = await ask(backtests, PAST)
    assert (kept.metadata["cached"], kept.metadata["cache_ttl_remaining"]) == (True, 1)
    assert kept.body["data"] == first.body["data"]
    assert not (await ask(backtests, PAST, force_refresh=True)).metadata["cached"]
    clock.advance(300)
    assert not (await ask(backtests, PAST)).metadata["cached"]


async def test_a_backtest_is_never_kept(backtests: Station) -> None:
    assert [(await ask(backtests, RUN)).metadata["cached"] for _ in range(2)] == [False, False]


def deadline_s(name: str) -> float:
    timeout_ms: int = tool(ROOM, name)["deadline"]["timeout_ms"]
    return timeout_ms / 1000
