"""Contract coverage: promises of TradeStream's decisions, and what their calls show."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from generated.tradestream.decisions.__main__ import create_server
from generated.tradestream.decisions.client import DecisionsClient
from toolaccord import Page
from toolaccord.pytest import Database
from toolaccord.pytest.contract_coverage import CACHED, PAGE, Coverage, Observations, Promise, list_promises
from toolaccord.pytest.processes import HttpProcesses
from toolaccord.pytest.project import load_servers
from toolaccord.pytest.serve import Serve, Transport
from toolaccord.server.databases import Application
from toolaccord.testing import FakePostgresql

SERVER, RECENT, SAVE = "decisions-mcp", "get_recent_decisions", "save_decision"


def test_a_contract_promises_its_errors_cached_results_and_pages() -> None:
    recent = [each for each in list_promises(create_server()) if each.tool == RECENT]
    shown = ["DATABASE_ERROR", "INVALID_ACTION", "INVALID_SYMBOL", CACHED, PAGE]
    assert recent == [Promise(SERVER, RECENT, each) for each in shown]


def test_promises_are_those_of_contracts_also_before_a_handler_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("handlers.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "handlers", None)
    servers = list(load_servers(Application("generated", "handlers")))
    assert SERVER in {promise.server for server in servers for promise in list_promises(server)}


def test_the_standard_codes_are_those_that_a_tool_can_answer() -> None:
    standard = set(list_promises(create_server(), standard=True)) - set(list_promises(create_server()))
    assert {each.shown for each in standard if each.tool == RECENT} == {
        "INVALID_PARAMETER", "TIMEOUT", "OVERLOADED", "INTERNAL_ERROR", "UNKNOWN_VERSION",
    }  # fmt: skip
    assert Promise(SERVER, SAVE, "IDEMPOTENCY_CONFLICT") in standard


@pytest.mark.parametrize("over", ["memory", "http"])
async def test_calls_show_promises(over: Transport, postgresql: Database, tmp_path: Any) -> None:
    observations, processes = Observations(), HttpProcesses(tmp_path)
    postgresql.fetch(
        "INSERT INTO agent_decisions (symbol, action, confidence, opportunity_score, reasoning) "
        "SELECT 'ETH/USD', 'BUY', 0.5, 50, 'x' FROM generate_series(1, 3)"
    )
    serve = Serve(observations, processes)
    async with serve(DecisionsClient, over=over, settings={"database_url": postgresql.url}) as decisions:
        await decisions.call(RECENT, {"offset": 3})
        assert observations.promises == set()
        await decisions.call(RECENT, {"offset": 2})
        assert observations.promises == {(SERVER, RECENT, PAGE)}
        await decisions.call(RECENT, {"offset": 3})
        await decisions.call(SAVE, {"symbol": "?"})
    processes.end_all()
    assert observations.promises == {(SERVER, RECENT, PAGE), (SERVER, RECENT, CACHED), (SERVER, SAVE, "INVALID_SYMBOL")}


async def test_a_call_of_other_handlers_shows_nothing(tmp_path: Any) -> None:
    async def answer(_request: Any, _call: Any) -> Page[Any]:
        return Page([], 0)

    observations, handlers = Observations(), SimpleNamespace(get_recent_decisions=answer, save_decision=answer)
    serve = Serve(observations, HttpProcesses(tmp_path))
    async with serve(DecisionsClient, handlers=handlers, sources={"postgres": FakePostgresql(lambda *_: [])}) as served:
        assert (await served.call(RECENT, {"action": "?"})).code == "INVALID_ACTION"
    assert observations.promises == set()


def test_a_report_lists_missing_promises_by_tool() -> None:
    promises = [Promise("a-mcp", "find", CACHED), Promise("a-mcp", "find", PAGE), Promise("abc-mcp", "add", "GONE")]
    assert list(Coverage(promises, Observations()).lines()) == [
        "No test shows:",
        "  a-mcp    find  a cached result, a page after the first",
        "  abc-mcp  add   GONE",
        "Tests show 0 of the 3 promises of the contracts.",
    ]
    assert list(Coverage(promises, Observations(set(promises))).lines()) == [
        "Tests show 3 of the 3 promises of the contracts."
    ]
