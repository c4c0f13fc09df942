"""Servers under test: TradeStream's decisions, on a real PostgreSQL."""

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from generated.tradestream.backtest.client import BacktestClient
from generated.tradestream.backtest.models import RunBacktestRequest, RunBacktestResult
from generated.tradestream.decisions.__main__ import create_server
from generated.tradestream.decisions.client import DecisionsClient
from generated.tradestream.decisions.models import GetRecentDecisionsRequest
from toolaccord.declarations.settings import SettingsError
from toolaccord.pytest import NewDatabase, Serve
from toolaccord.pytest.processes import HttpProcesses, StartFailed
from toolaccord.pytest.serve import Era, Transport
from toolaccord.sources.postgresql import PostgresqlError
from toolaccord.testing import FakePostgresql, FakeSource, ManualClock

MODULE = "generated.tradestream.decisions"
RECENT, SAVE = "get_recent_decisions", "save_decision"
BUY = {"symbol": "ETH/USD", "action": "BUY", "confidence": 0.7, "opportunity_score": 80, "reasoning": "Bullish."}


@pytest.fixture(scope="module")
def shared_url(new_postgresql: NewDatabase) -> Iterator[str]:
    with new_postgresql() as database:
        yield database.url


@pytest.mark.parametrize(
    "over,era",
    [
        ("memory", "handshake"),
        ("memory", "stateless"),
        ("stdio", "stateless"),
        ("http", "handshake"),
        ("http", "stateless"),
    ],
)
async def test_a_server_answers_its_three_clients(serve: Serve, over: Transport, era: Era, shared_url: str) -> None:
    async with serve(DecisionsClient, over=over, era=era, settings={"database_url": shared_url}) as decisions:
        saved = await decisions.call(SAVE, BUY, idempotency_key=f"{over}.{era}")
        found = await decisions.client.get_recent_decisions(GetRecentDecisionsRequest(force_refresh=True))
        listed = await decisions.mcp.list_tools()
    assert str(found.items[0].decision_id) == saved.result["decision_id"]
    assert [tool.name for tool in listed.tools] == [RECENT, SAVE]


async def test_an_answer_has_the_error_of_any_dialect(serve: Serve, postgresql_url: str) -> None:
    async with serve(DecisionsClient, settings={"database_url": postgresql_url}) as decisions:
        answer = await decisions.call(RECENT, {"action": "WAIT"})
    assert (answer.code, answer.cached) == ("INVALID_ACTION", None)
    assert answer.body["error"]["message"] == answer.message
    with pytest.raises(AssertionError, match="get_recent_decisions answered INVALID_ACTION: "):
        _ = answer.result


async def test_a_test_moves_the_clock_of_a_server_in_memory(
    serve: Serve, postgresql_url: str, manual_clock: ManualClock
) -> None:
    settings = {"database_url": postgresql_url}
    async with serve(DecisionsClient, settings=settings, clock=manual_clock) as decisions:
        first = await decisions.call(RECENT)
        second = await decisions.call(RECENT)
        manual_clock.advance(31)
        third = await decisions.call(RECENT)
    assert [first.cached, second.cached, third.cached] == [False, True, False]


async def test_a_test_replaces_a_source_and_then_gives_no_address_of_it(serve: Serve) -> None:
    def fail(_sql: str, _values: tuple[Any, ...]) -> list[dict[str, Any]]:
        raise PostgresqlError("no route")

    async with serve(DecisionsClient, sources={"postgres": FakePostgresql(fail)}) as decisions:
        assert (await decisions.call(RECENT)).code == "DATABASE_ERROR"


async def test_a_test_replaces_the_handlers(serve: Serve) -> None:
    async def broken(_request: Any, _call: Any) -> None:
        raise ZeroDivisionError

    handlers = SimpleNamespace(get_recent_decisions=broken, save_decision=broken)
    async with serve(DecisionsClient, sources={"postgres": FakePostgresql(lambda *_: [])}, handlers=handlers) as served:
        assert (await served.call(RECENT)).code == "INTERNAL_ERROR"


async def test_a_server_in_memory_runs_tasks(serve: Serve) -> None:
    async def run_backtest(_request: Any, call: Any) -> RunBacktestResult:
        await call.progress(1, 1)
        return RunBacktestResult(total_return=0.5, max_drawdown=0, trades=1)

    sources = {name: FakeSource(kind) for name, kind in {"backtester": "grpc", "influxdb": "influxdb"}.items()}
    sources |= {"postgres": FakeSource("postgresql"), "redis": FakeSource("redis")}
    handlers = SimpleNamespace(run_backtest=run_backtest, get_historical_performance=run_backtest)
    async with serve(BacktestClient, sources=sources, handlers=handlers, era="stateless") as backtest:
        task = await backtest.client.start_run_backtest(RunBacktestRequest(strategy_id="7", symbol="ETH/USD"))
        assert (await task).total_return == 0.5
        assert task.state
        assert (task.state.status, task.state.progress.done) == ("completed", 1)


async def test_a_process_takes_no_doubles(serve: Serve, manual_clock: ManualClock) -> None:
    with pytest.raises(ValueError, match=r"^A server over http is a process of its own: it takes no clock\.$"):
        serve(DecisionsClient, over="http", clock=manual_clock)


async def test_a_missing_setting_an_unknown_one_and_an_unknown_source_are_named(serve: Serve) -> None:
    with pytest.raises(SettingsError, match="DATABASE_URL is required and not set"):
        async with serve(DecisionsClient):
            raise AssertionError
    with pytest.raises(ValueError, match=r"^decisions-mcp has no setting 'url'; it has database_url\.$"):
        serve(DecisionsClient, settings={"url": "x"})
    with pytest.raises(ValueError, match=r"^decisions-mcp has no source 'redis'\.$"):
        async with serve(DecisionsClient, sources={"redis": FakePostgresql(lambda *_: [])}):
            raise AssertionError


async def test_a_process_that_does_not_start_fails_with_its_log(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, shared_url: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", shared_url)  # of a developer, which no test may use
    with pytest.raises(StartFailed, match=r"(?s)did not start:.*DATABASE_URL is required and not set"):
        async with serve(DecisionsClient, over="http"):
            raise AssertionError


async def test_a_process_over_http_serves_all_tests_with_its_settings_and_ends(
    new_postgresql: NewDatabase, tmp_path: Path
) -> None:
    processes = HttpProcesses(tmp_path)
    served = create_server()
    with new_postgresql() as database, new_postgresql() as other:
        settings = [{"DATABASE_URL": each.url} for each in (database, database, other)]
        with processes.use(MODULE, served, settings[0]) as first, processes.use(MODULE, served, settings[1]) as second:
            assert first == second
            with processes.use(MODULE, served, settings[2]) as third:
                assert third != first
                assert [responds(each) for each in (first, third)] == [True, True]
        with processes.use(MODULE, served, settings[2]) as again:
            assert again == third
            assert [responds(each) for each in (first, third)] == [False, True]
        processes.end_all()
        assert not responds(third)


def responds(url: str) -> bool:
    """Return whether a server listens at *url*."""
    parts = urlsplit(url)
    with socket.socket() as client:
        return client.connect_ex((parts.hostname, parts.port)) == 0
