"""portfolio-mcp, decisions-mcp and strategy-db-mcp on a real PostgreSQL: all they promise, and how their database fails."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from handlers.tradestream.identifiers import not_found_message
from tests.contracts.reading import tool as promised
from tests.servers.manifest import answers, cached, each_tool, paginated
from tests.servers.market import KILL_WAITING, NOBODY, SYMBOL, apart, connection, spoil, until_waiting
from tests.servers.seen import Seen
from tests.servers.stores import (
    CACHED,
    IMPLEMENTATIONS,
    LISTS,
    OF_PORTFOLIO,
    POSITIONS,
    RECENT,
    ROOMS,
    SAVE,
    SPEC,
    SPECS,
    SUBMIT,
    TABLES,
    TOOLS,
    TRADE,
    WRITES,
    Store,
    all_locked,
    in_role,
    store,
)
from toolpact.testing import ManualClock, capture_logs

SPOILING = """
ALTER TABLE positions DROP CONSTRAINT positions_current_price_check;
ALTER TABLE accounts DROP CONSTRAINT accounts_margin_used_check, DROP CONSTRAINT accounts_available_balance_check;
ALTER TABLE agent_decisions DROP CONSTRAINT agent_decisions_confidence_check;
ALTER TABLE strategy_implementations DROP CONSTRAINT strategy_implementations_forward_accuracy_check;
UPDATE positions SET current_price = 0;
UPDATE accounts SET margin_used = -1, available_balance = 'NaN';
UPDATE agent_decisions SET confidence = 72;
UPDATE strategy_implementations SET forward_accuracy = 61;
UPDATE strategy_specs SET indicators = '[1]';
"""
"""Percents where fractions were promised, prices of nothing, and no number where money should be."""


@pytest.fixture
async def serving(request: pytest.FixtureRequest, market: str, clock: ManualClock, seen: Seen) -> AsyncIterator[Store]:
    """The server that has the test's tool."""
    async with store(request.getfixturevalue("tool"), market, seen, clock) as each:
        yield each


@pytest.fixture(scope="module")
def spoilt_market(new_database: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """The URL of sample data in which somebody wrote what the contracts exclude."""
    with new_database() as url:
        apart(spoil(url, SPOILING))
        yield url


def of(name: str, *codes: str) -> pytest.MarkDecorator:
    """Run a test for the tool *name*, which answers *codes*."""
    return pytest.mark.parametrize("tool", [pytest.param(name, marks=[answers(name, code) for code in codes])])


# --- what a caller can get wrong -----------------------------------------------------------------------------------


@each_tool(TOOLS, "INVALID_PARAMETER")
async def test_an_argument_nobody_knows_is_an_invalid_parameter(serving: Store, tool: str) -> None:
    said = await serving.ask(tool, verbose=True)
    assert (said.code, [each["at"] for each in said.details["violations"]]) == ("INVALID_PARAMETER", ["/verbose"])
    assert serving.station.asked == 0


@each_tool((POSITIONS, TRADE, RECENT, SAVE), "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "", None, "ETH/USD\n"])
async def test_what_is_no_symbol_is_an_invalid_symbol(serving: Store, tool: str, symbol: Any) -> None:
    assert (await serving.ask(tool, symbol=symbol)).code == "INVALID_SYMBOL"


@each_tool((RECENT, SAVE), "INVALID_ACTION")
async def test_what_is_no_action_is_an_invalid_action(serving: Store, tool: str) -> None:
    assert (await serving.ask(tool, action="WAIT")).code == "INVALID_ACTION"


@of(TRADE, "INVALID_SIDE", "INVALID_SIZE", "INSUFFICIENT_BALANCE")
async def test_a_trade_without_side_or_size_or_money_is_refused(serving: Store, tool: str) -> None:
    assert (await serving.ask(tool, side="HOLD", size=-1)).code == "INVALID_SIDE"
    for size in (0, -1, "1", None):
        assert (await serving.ask(tool, size=size)).code == "INVALID_SIZE"
    said = await serving.ask(tool, size=1_000_000)
    assert said.code == "INSUFFICIENT_BALANCE"
    assert said.details["notional"] == 1e9 > said.details["available_balance"] > said.details["max_size"] * 1000 > 0


@of(SAVE, "INVALID_CONFIDENCE", "REASONING_TOO_LONG")
async def test_a_decision_that_is_too_sure_or_too_long_is_refused(serving: Store, tool: str) -> None:
    assert (await serving.ask(tool, confidence=72)).code == "INVALID_CONFIDENCE"
    assert (await serving.ask(tool, reasoning="x" * 10_001)).code == "REASONING_TOO_LONG"
    assert (await serving.ask(tool, reasoning="")).code == "INVALID_PARAMETER"
    assert (await serving.ask(tool, reasoning="x" * 10_000)).code is None


@of(SPECS, "INVALID_SOURCE")
async def test_a_source_that_is_none_is_refused(serving: Store, tool: str) -> None:
    assert (await serving.ask(tool, source="MIGRATED")).code == "INVALID_SOURCE"


@of(IMPLEMENTATIONS, "INVALID_STATUS", "SPEC_NOT_FOUND")
async def test_a_status_or_spec_that_is_none_is_refused(serving: Store, tool: str) -> None:
    assert (await serving.ask(tool, status="LIVE")).code == "INVALID_STATUS"
    for spec_id in (NOBODY, "abc123", "", "x" * 129):
        said = await serving.ask(tool, spec_id=spec_id)
        assert (said.code, said.details) == ("SPEC_NOT_FOUND", {"spec_id": spec_id})
        assert said.message == not_found_message("Spec", spec_id)


@of(SUBMIT, "INVALID_NAME", "DUPLICATE_NAME", "INVALID_INDICATORS", "INVALID_CONDITIONS", "SCHEMA_VALIDATION_ERROR")
async def test_a_faulty_spec_is_refused_with_the_code_of_its_first_fault(serving: Store, tool: str) -> None:
    nowhere, unknown = [{"type": "IS_RISING", "indicator": "moon"}], [{"id": "moon", "type": "MOON_PHASE"}]
    twice = [*SPEC["indicators"], *SPEC["indicators"]]
    codes: list[tuple[str, dict[str, Any]]] = [
        ("INVALID_NAME", {"name": "Rsi 2", "indicators": unknown}),
        ("DUPLICATE_NAME", {"name": "MACD_CROSSOVER", "exit_conditions": nowhere}),
        ("INVALID_INDICATORS", {"indicators": unknown, "exit_conditions": []}),
        (
            "INVALID_INDICATORS",
            {"indicators": [{"id": "rsi", "type": "RSI", "input": "moon"}], "exit_conditions": nowhere},
        ),
        ("INVALID_CONDITIONS", {"exit_conditions": []}),
        ("INVALID_CONDITIONS", {"exit_conditions": nowhere, "indicators": twice}),
        ("SCHEMA_VALIDATION_ERROR", {"indicators": []}),
        ("SCHEMA_VALIDATION_ERROR", {"indicators": twice}),
    ]
    for code, changed in codes:
        said = await serving.ask(tool, **changed)
        assert (said.code, len(said.details["violations"])) == (code, len(changed)), changed


@of(SUBMIT)
async def test_a_spec_in_the_short_form_is_created_under_its_name_in_capitals(serving: Store, tool: str) -> None:
    short: dict[str, Any] = {
        "indicators": [{"name": "RSI", "period": 14}],
        "entry_conditions": [{"rsi_below": 30}],
        "exit_conditions": [{"rsi_above": 70}],
        "parameters": [{"name": "rsi_period", "min": 7, "max": 21}],
    }
    said = await serving.ask(tool, name="rsi_mean_reversion", **short)
    assert (said.body["data"]["created"], said.body["data"]["validation_errors"]) == (True, [])
    assert (await serving.ask(tool, name="RSI_MEAN_REVERSION")).code == "DUPLICATE_NAME"
    faulty = await serving.ask(tool, **short | {"entry_conditions": [{"rsi_under": 30}]})
    assert (faulty.code, faulty.details["violations"][0]["at"]) == (
        "INVALID_CONDITIONS",
        "/entry_conditions/0/rsi_under",
    )


@each_tool(OF_PORTFOLIO, "ACCOUNT_NOT_FOUND")
async def test_an_account_that_does_not_exist_is_not_found(market: str, seen: Seen, tool: str) -> None:
    async with store(tool, market, seen, account="nobody") as serving:
        said = await serving.ask(tool)
    assert (said.code, said.details) == ("ACCOUNT_NOT_FOUND", {"account_id": "nobody"})
    assert said.message == "Account with ID 'nobody' not found."


@each_tool(WRITES, "IDEMPOTENCY_CONFLICT")
async def test_a_call_that_comes_again_is_answered_alike_and_with_other_arguments_refused(
    serving: Store, tool: str
) -> None:
    arguments = serving.valid(tool)
    first = await serving.station.ask(tool, _key="once", **arguments)
    again = await serving.station.ask(tool, _key="once", **arguments)
    assert again.body["data"] == first.body["data"]
    other = {"reasoning": "Another one."}
    assert (await serving.station.ask(tool, _key="once", **arguments | other)).code == "IDEMPOTENCY_CONFLICT"


# --- what can happen to the database -------------------------------------------------------------------------------


@each_tool(OF_PORTFOLIO, "UNAUTHORIZED")
async def test_a_user_without_rights_is_unauthorized(market: str, seen: Seen, tool: str) -> None:
    async with connection(market) as administrator:
        await administrator.execute("DROP ROLE IF EXISTS toolpact_stranger")
        await administrator.execute("CREATE ROLE toolpact_stranger")
        try:
            async with store(tool, in_role(market, "toolpact_stranger"), seen) as serving:
                said = await serving.station.ask(tool, **serving.valid(tool))
        finally:
            await administrator.execute("DROP ROLE toolpact_stranger")
    assert (said.code, said.details) == ("UNAUTHORIZED", {})
    assert "permission denied" not in str(said.body)


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_database_that_is_not_there_is_a_database_error(seen: Seen, tool: str) -> None:
    async with store(tool, "postgresql://somebody:secret@127.0.0.1:9/nothing", seen) as serving:
        said = await serving.ask(tool)
    assert (said.code, said.message) == ("DATABASE_ERROR", "The data source did not answer.")


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_connection_killed_in_mid_query_is_a_database_error_and_the_next_call_works(
    serving: Store, market: str, tool: str
) -> None:
    async with all_locked(market) as holder:
        call = asyncio.create_task(serving.ask(tool))
        await until_waiting(holder)
        await holder.fetchval(KILL_WAITING)
        assert (await call).code == "DATABASE_ERROR"
    assert (await serving.ask(tool)).code is None


@each_tool(TOOLS, "DATABASE_ERROR")
async def test_a_table_that_is_missing_is_a_database_error_without_its_name(
    serving: Store, market: str, tool: str
) -> None:
    async with connection(market) as administrator:
        for table in TABLES:
            await administrator.execute(f"ALTER TABLE {table} RENAME TO {table}_moved")
        try:
            with capture_logs() as records:
                said = await serving.ask(tool)
        finally:
            for table in TABLES:
                await administrator.execute(f"ALTER TABLE {table}_moved RENAME TO {table}")
    assert said.code == "DATABASE_ERROR"
    assert "relation" not in str(said.body)
    assert any("does not exist" in str(record.exc_info) for record in records)
    assert (await serving.ask(tool)).code is None


@each_tool(TOOLS, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    serving: Store, market: str, clock: ManualClock, tool: str
) -> None:
    async with all_locked(market) as holder:
        call = asyncio.create_task(serving.ask(tool))
        await until_waiting(holder)
        clock.advance(promised(ROOMS[tool], tool)["deadline"]["timeout_ms"] / 1000)
        assert (await call).code == "TIMEOUT"
    assert (await serving.ask(tool)).code is None


@each_tool([tool for tool in TOOLS if tool not in WRITES], "INTERNAL_ERROR")
async def test_data_that_break_the_contract_are_never_sent(spoilt_market: str, seen: Seen, tool: str) -> None:
    async with store(tool, spoilt_market, seen) as serving:
        said = await serving.ask(tool)
    assert (said.code, said.message, said.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})


@each_tool(WRITES, "INTERNAL_ERROR")
async def test_a_kept_answer_that_breaks_the_contract_is_never_sent(serving: Store, market: str, tool: str) -> None:
    arguments = serving.valid(tool)
    assert (await serving.station.ask(tool, _key="spoilt", **arguments)).code is None
    async with connection(market) as spoiling:
        await spoiling.execute("UPDATE idempotency_keys SET answer = '{}' WHERE key = 'spoilt'")
    said = await serving.station.ask(tool, _key="spoilt", **arguments)
    assert (said.code, said.details) == ("INTERNAL_ERROR", {})


# --- caching and pages ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [pytest.param(name, marks=cached(name)) for name in CACHED])
async def test_a_list_is_given_again_until_it_is_too_old_or_asked_for_anew(
    serving: Store, clock: ManualClock, tool: str
) -> None:
    ttl_s = promised(ROOMS[tool], tool)["cache"]["ttl_s"]
    first = await serving.ask(tool)
    clock.advance(ttl_s - 1)
    kept = await serving.ask(tool)
    assert (kept.metadata["cached"], kept.metadata["cache_ttl_remaining"]) == (True, 1)
    assert kept.body["data"] == first.body["data"]
    assert (await serving.ask(tool, force_refresh=True)).metadata["cached"] is False
    clock.advance(ttl_s)
    assert (await serving.ask(tool)).metadata["cached"] is False


@pytest.mark.parametrize("tool", [name for name in TOOLS if name not in CACHED])
async def test_what_is_not_a_cached_list_is_asked_for_each_time(serving: Store, tool: str) -> None:
    for count in (1, 2):
        said = await serving.ask(tool)
        assert (said.metadata["cached"], said.metadata["cache_ttl_remaining"]) == (False, None)
        assert said.metadata["source"] == "postgresql"
        assert serving.station.asked == count


@pytest.mark.parametrize("tool", [pytest.param(name, marks=paginated(name)) for name in LISTS])
@pytest.mark.parametrize("limit", [1, 7])
async def test_pages_neither_repeat_nor_lose_a_row(serving: Store, tool: str, limit: int) -> None:
    filters: dict[str, Any] = {"symbol": SYMBOL} if tool == RECENT else {}
    whole = (await serving.ask(tool, limit=100, **filters)).body["data"]
    total = whole["pagination"]["total"]
    assert total == len(whole["items"]) > 7
    rows: list[Any] = []
    more = True
    while more:
        page = (await serving.ask(tool, limit=limit, offset=len(rows), **filters)).body["data"]
        assert page["pagination"]["total"] == total
        rows += page["items"]
        more = page["pagination"]["has_more"]
    assert rows == whole["items"]
    past = (await serving.ask(tool, offset=1_000_000, **filters)).body["data"]
    assert (past["items"], past["pagination"]["total"], past["pagination"]["has_more"]) == ([], total, False)
