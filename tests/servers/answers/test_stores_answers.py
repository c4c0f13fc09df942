"""Prove the promises of portfolio-mcp, decisions-mcp and strategy-db-mcp on PostgreSQL."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from handlers.tradestream.identifiers import not_found_message
from tests.contracts.reading import tool as promised
from tests.servers.backends import (
    CACHED_TOOLS,
    IMPLEMENTATIONS,
    KILL_WAITING,
    PAGED_TOOLS,
    PORTFOLIO_TOOLS,
    POSITIONS,
    RECENT,
    SAVE,
    SPEC,
    SPECS,
    STORE_SERVERS,
    STORE_TABLES,
    STORE_TOOLS,
    SUBMIT,
    SYMBOL,
    TRADE,
    UNKNOWN_ID,
    WRITING_TOOLS,
    StoreServer,
    connect_database,
    load_invalid_rows,
    lock_tables,
    open_store_server,
    run_in_thread,
    set_role,
    wait_for_blocked_queries,
)
from tests.servers.contracts import Observations, answers, cached, paginated, parametrize_tools
from tests.servers.harness import break_handler
from toolaccord.testing import ManualClock, capture_logs

INVALID_ROWS = """
ALTER TABLE positions DROP CONSTRAINT positions_current_price_check;
ALTER TABLE accounts DROP CONSTRAINT accounts_margin_used_check;
ALTER TABLE agent_decisions DROP CONSTRAINT agent_decisions_confidence_check;
ALTER TABLE strategy_implementations DROP CONSTRAINT strategy_implementations_forward_accuracy_check;
UPDATE positions SET current_price = 0;
UPDATE accounts SET margin_used = -1;
UPDATE agent_decisions SET confidence = 72;
UPDATE strategy_implementations SET forward_accuracy = 61;
UPDATE strategy_specs SET indicators = '[1]';
"""
"""Percentages in the place of fractions, prices of 0, and a negative margin."""


CHECKED_TOOLS = ("validate_trade",)
"""Tools whose handlers already reject every row of INVALID_ROWS."""


@pytest.fixture
async def store(
    request: pytest.FixtureRequest, market: str, clock: ManualClock, observations: Observations
) -> AsyncIterator[StoreServer]:
    """The server of the test's tool."""
    async with open_store_server(request.getfixturevalue("tool"), market, observations, clock) as each:
        yield each


@pytest.fixture(scope="module")
def invalid_market(new_database: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """The URL of sample data with rows that the contracts exclude."""
    with new_database() as url:
        run_in_thread(load_invalid_rows(url, INVALID_ROWS))
        yield url


def parametrize_codes(name: str, *codes: str) -> pytest.MarkDecorator:
    """Run a test for the tool *name*, and claim that it answers *codes*."""
    return pytest.mark.parametrize("tool", [pytest.param(name, marks=[answers(name, code) for code in codes])])


# --- invalid requests ----------------------------------------------------------------------------------------------


@parametrize_tools(STORE_TOOLS, "INVALID_PARAMETER")
async def test_an_unknown_argument_is_an_invalid_parameter(store: StoreServer, tool: str) -> None:
    answer = await store.call(tool, verbose=True)
    assert (answer.code, [each["at"] for each in answer.details["violations"]]) == ("INVALID_PARAMETER", ["/verbose"])
    assert store.server.source_requests == 0


@parametrize_tools((POSITIONS, TRADE, RECENT, SAVE), "INVALID_SYMBOL")
@pytest.mark.parametrize("symbol", ["eth-usd", "", 7, "ETH/USD\n"])
async def test_a_malformed_symbol_is_an_invalid_symbol(store: StoreServer, tool: str, symbol: Any) -> None:
    assert (await store.call(tool, symbol=symbol)).code == "INVALID_SYMBOL"


@parametrize_tools((RECENT, SAVE), "INVALID_ACTION")
async def test_an_unknown_action_is_an_invalid_action(store: StoreServer, tool: str) -> None:
    assert (await store.call(tool, action="WAIT")).code == "INVALID_ACTION"


@parametrize_codes(TRADE, "INVALID_SIDE", "INVALID_SIZE", "INSUFFICIENT_BALANCE")
async def test_a_trade_without_side_size_or_balance_is_rejected(store: StoreServer, tool: str) -> None:
    assert (await store.call(tool, side="HOLD", size=-1)).code == "INVALID_SIDE"
    for size in (0, -1, "1", None):
        assert (await store.call(tool, size=size)).code == "INVALID_SIZE"
    answer = await store.call(tool, size=1_000_000)
    assert answer.code == "INSUFFICIENT_BALANCE"
    assert (
        answer.details["notional"] == 1e9 > answer.details["available_balance"] > answer.details["max_size"] * 1000 > 0
    )


@parametrize_codes(SAVE, "INVALID_CONFIDENCE", "REASONING_TOO_LONG")
async def test_a_decision_with_a_percentage_or_a_long_reasoning_is_rejected(store: StoreServer, tool: str) -> None:
    assert (await store.call(tool, confidence=72)).code == "INVALID_CONFIDENCE"
    assert (await store.call(tool, reasoning="x" * 10_001)).code == "REASONING_TOO_LONG"
    assert (await store.call(tool, reasoning="")).code == "INVALID_PARAMETER"
    assert (await store.call(tool, reasoning="x" * 10_000)).code is None


@parametrize_codes(SPECS, "INVALID_SOURCE")
async def test_an_unknown_source_is_rejected(store: StoreServer, tool: str) -> None:
    assert (await store.call(tool, source="MIGRATED")).code == "INVALID_SOURCE"


@parametrize_codes(IMPLEMENTATIONS, "INVALID_STATUS", "SPEC_NOT_FOUND")
async def test_an_unknown_status_or_spec_is_rejected(store: StoreServer, tool: str) -> None:
    assert (await store.call(tool, status="LIVE")).code == "INVALID_STATUS"
    for spec_id in (UNKNOWN_ID, "abc123", "", "x" * 129):
        answer = await store.call(tool, spec_id=spec_id)
        assert (answer.code, answer.details) == ("SPEC_NOT_FOUND", {"spec_id": spec_id})
        assert answer.message == not_found_message("Spec", spec_id)


@parametrize_codes(
    SUBMIT, "INVALID_NAME", "DUPLICATE_NAME", "INVALID_INDICATORS", "INVALID_CONDITIONS", "SCHEMA_VALIDATION_ERROR"
)
async def test_an_invalid_spec_is_rejected_with_the_code_of_its_first_fault(store: StoreServer, tool: str) -> None:
    undefined, unknown = [{"type": "IS_RISING", "indicator": "moon"}], [{"id": "moon", "type": "MOON_PHASE"}]
    twice = [*SPEC["indicators"], *SPEC["indicators"]]
    codes: list[tuple[str, dict[str, Any]]] = [
        ("INVALID_NAME", {"name": "Rsi 2", "indicators": unknown}),
        ("DUPLICATE_NAME", {"name": "MACD_CROSSOVER", "exit_conditions": undefined}),
        ("INVALID_INDICATORS", {"indicators": unknown, "exit_conditions": []}),
        (
            "INVALID_INDICATORS",
            {"indicators": [{"id": "rsi", "type": "RSI", "input": "moon"}], "exit_conditions": undefined},
        ),
        ("INVALID_CONDITIONS", {"exit_conditions": []}),
        ("INVALID_CONDITIONS", {"exit_conditions": undefined, "indicators": twice}),
        ("SCHEMA_VALIDATION_ERROR", {"indicators": []}),
        ("SCHEMA_VALIDATION_ERROR", {"indicators": twice}),
    ]
    for code, changed in codes:
        answer = await store.call(tool, **changed)
        assert (answer.code, len(answer.details["violations"])) == (code, len(changed)), changed


@parametrize_codes(SUBMIT)
async def test_a_spec_in_the_short_form_is_created_under_its_name_in_capitals(store: StoreServer, tool: str) -> None:
    short: dict[str, Any] = {
        "indicators": [{"name": "RSI", "period": 14}],
        "entry_conditions": [{"rsi_below": 30}],
        "exit_conditions": [{"rsi_above": 70}],
        "parameters": [{"name": "rsi_period", "min": 7, "max": 21}],
    }
    answer = await store.call(tool, name="rsi_mean_reversion", **short)
    assert (answer.body["data"]["created"], answer.body["data"]["validation_errors"]) == (True, [])
    assert (await store.call(tool, name="RSI_MEAN_REVERSION")).code == "DUPLICATE_NAME"
    faulty = await store.call(tool, **short | {"entry_conditions": [{"rsi_under": 30}]})
    assert (faulty.code, faulty.details["violations"][0]["at"]) == (
        "INVALID_CONDITIONS",
        "/entry_conditions/0/rsi_under",
    )


@parametrize_tools(PORTFOLIO_TOOLS, "ACCOUNT_NOT_FOUND")
async def test_an_account_that_does_not_exist_is_not_found(market: str, observations: Observations, tool: str) -> None:
    async with open_store_server(tool, market, observations, account="nobody") as store:
        answer = await store.call(tool)
    assert (answer.code, answer.details) == ("ACCOUNT_NOT_FOUND", {"account_id": "nobody"})
    assert answer.message == "Account with ID 'nobody' not found."


@parametrize_tools(WRITING_TOOLS, "IDEMPOTENCY_CONFLICT")
async def test_a_repeated_call_has_the_same_answer_and_with_other_arguments_a_conflict(
    store: StoreServer, tool: str
) -> None:
    arguments = store.valid_arguments(tool)
    first = await store.server.call(tool, _key="once", **arguments)
    again = await store.server.call(tool, _key="once", **arguments)
    assert again.body["data"] == first.body["data"]
    assert ("replayed" in first.metadata, again.metadata["replayed"]) == (False, True)
    other = {"reasoning": "Another one."}
    assert (await store.server.call(tool, _key="once", **arguments | other)).code == "IDEMPOTENCY_CONFLICT"


# --- faults of the database ----------------------------------------------------------------------------------------


@parametrize_tools(PORTFOLIO_TOOLS, "UNAUTHORIZED")
async def test_a_user_without_rights_is_unauthorized(market: str, observations: Observations, tool: str) -> None:
    async with connect_database(market) as administrator:
        await administrator.execute("DROP ROLE IF EXISTS toolaccord_stranger")
        await administrator.execute("CREATE ROLE toolaccord_stranger")
        try:
            async with open_store_server(tool, set_role(market, "toolaccord_stranger"), observations) as store:
                answer = await store.server.call(tool, **store.valid_arguments(tool))
        finally:
            await administrator.execute("DROP ROLE toolaccord_stranger")
    assert (answer.code, answer.details) == ("UNAUTHORIZED", {})
    assert "permission denied" not in str(answer.body)


@parametrize_tools(STORE_TOOLS, "DATABASE_ERROR")
async def test_an_unreachable_database_is_a_database_error(observations: Observations, tool: str) -> None:
    async with open_store_server(tool, "postgresql://somebody:secret@127.0.0.1:9/nothing", observations) as store:
        answer = await store.call(tool)
    assert answer.code == "DATABASE_ERROR"
    assert answer.message.startswith("The data source postgres is unavailable; call again later")


@parametrize_tools(STORE_TOOLS, "DATABASE_ERROR")
async def test_a_connection_killed_in_mid_query_is_a_database_error_and_the_next_call_works(
    store: StoreServer, market: str, tool: str
) -> None:
    async with lock_tables(market, *STORE_TABLES) as holder:
        call = asyncio.create_task(store.call(tool))
        await wait_for_blocked_queries(holder)
        await holder.fetchval(KILL_WAITING)
        assert (await call).code == "DATABASE_ERROR"
    assert (await store.call(tool)).code is None


@parametrize_tools(STORE_TOOLS, "DATABASE_ERROR")
async def test_a_table_that_is_missing_is_a_database_error_without_its_name(
    store: StoreServer, market: str, tool: str
) -> None:
    async with connect_database(market) as administrator:
        for table in STORE_TABLES:
            await administrator.execute(f"ALTER TABLE {table} RENAME TO {table}_moved")
        try:
            with capture_logs(logging.DEBUG) as records:
                answer = await store.call(tool)
        finally:
            for table in STORE_TABLES:
                await administrator.execute(f"ALTER TABLE {table}_moved RENAME TO {table}")
    assert answer.code == "DATABASE_ERROR"
    assert "relation" not in str(answer.body)
    assert any("does not exist" in str(record.exc_info) for record in records)
    assert (await store.call(tool)).code is None


@parametrize_tools(STORE_TOOLS, "TIMEOUT")
async def test_a_query_that_takes_too_long_is_a_timeout_and_the_next_call_works(
    store: StoreServer, market: str, clock: ManualClock, tool: str
) -> None:
    async with lock_tables(market, *STORE_TABLES) as holder:
        call = asyncio.create_task(store.call(tool))
        await wait_for_blocked_queries(holder)
        clock.advance(promised(STORE_SERVERS[tool], tool)["deadline"]["timeout_ms"] / 1000)
        assert (await call).code == "TIMEOUT"
    assert (await store.call(tool)).code is None


@parametrize_tools([tool for tool in STORE_TOOLS if tool not in {*WRITING_TOOLS, *CHECKED_TOOLS}], "INTERNAL_ERROR")
async def test_data_that_breaks_the_contract_is_never_sent(
    invalid_market: str, observations: Observations, tool: str
) -> None:
    async with open_store_server(tool, invalid_market, observations) as store:
        answer = await store.call(tool)
    assert (answer.code, answer.message, answer.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})


@parametrize_tools(CHECKED_TOOLS, "INTERNAL_ERROR")
async def test_the_bug_of_a_handler_is_an_internal_error_without_its_text(
    market: str, observations: Observations, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    break_handler(monkeypatch, STORE_SERVERS[tool], tool)
    async with open_store_server(tool, market, observations) as store:
        answer = await store.call(tool)
    assert (answer.code, answer.message, answer.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})


@parametrize_tools(WRITING_TOOLS, "INTERNAL_ERROR")
async def test_a_stored_answer_that_breaks_the_contract_is_never_sent(
    store: StoreServer, market: str, tool: str
) -> None:
    arguments = store.valid_arguments(tool)
    assert (await store.server.call(tool, _key="broken", **arguments)).code is None
    async with connect_database(market) as connection:
        await connection.execute("UPDATE idempotency_keys SET answer = '{}' WHERE key = 'broken'")
    answer = await store.server.call(tool, _key="broken", **arguments)
    assert (answer.code, answer.details) == ("INTERNAL_ERROR", {})


# --- caching and pages ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [pytest.param(name, marks=cached(name)) for name in CACHED_TOOLS])
async def test_a_list_is_cached_until_it_expires_or_the_caller_forces_a_refresh(
    store: StoreServer, clock: ManualClock, tool: str
) -> None:
    ttl_s = promised(STORE_SERVERS[tool], tool)["cache"]["ttl_s"]
    first = await store.call(tool)
    clock.advance(ttl_s - 1)
    again = await store.call(tool)
    assert (again.metadata["cached"], again.metadata["cache_ttl_remaining"]) == (True, 1)
    assert again.body["data"] == first.body["data"]
    assert (await store.call(tool, force_refresh=True)).metadata["cached"] is False
    clock.advance(ttl_s)
    assert (await store.call(tool)).metadata["cached"] is False


@pytest.mark.parametrize("tool", [RECENT])
async def test_a_saved_decision_is_at_once_in_every_list_of_the_same_server(store: StoreServer, tool: str) -> None:
    pages: list[dict[str, Any]] = [{"limit": 100}, {"limit": 100, "symbol": SYMBOL}, {"limit": 100, "action": "HOLD"}]
    for page in pages:
        await store.call(tool, **page)
        assert (await store.call(tool, **page)).metadata["cached"]
    saved = (await store.call(SAVE)).body["data"]["decision_id"]
    for page in pages:
        listed = await store.call(tool, **page)
        assert saved in {item["decision_id"] for item in listed.body["data"]["items"]}
        assert (await store.call(tool, **page)).metadata["cached"]


@pytest.mark.parametrize("tool", [name for name in STORE_TOOLS if name not in CACHED_TOOLS])
async def test_a_tool_without_a_cache_queries_the_database_each_time(store: StoreServer, tool: str) -> None:
    for count in (1, 2):
        answer = await store.call(tool)
        assert (answer.metadata["cached"], answer.metadata["cache_ttl_remaining"]) == (False, None)
        assert answer.metadata["source"] == "postgresql"
        assert store.server.source_requests == count


@pytest.mark.parametrize("tool", [pytest.param(name, marks=paginated(name)) for name in PAGED_TOOLS])
@pytest.mark.parametrize("limit", [1, 7])
async def test_pages_neither_repeat_nor_lose_a_row(store: StoreServer, tool: str, limit: int) -> None:
    filters: dict[str, Any] = {"symbol": SYMBOL} if tool == RECENT else {}
    whole = (await store.call(tool, limit=100, **filters)).body["data"]
    total = whole["pagination"]["total"]
    assert total == len(whole["items"]) > 7
    rows: list[Any] = []
    more = True
    while more:
        page = (await store.call(tool, limit=limit, offset=len(rows), **filters)).body["data"]
        assert page["pagination"]["total"] == total
        rows += page["items"]
        more = page["pagination"]["has_more"]
    assert rows == whole["items"]
    past = (await store.call(tool, offset=1_000_000, **filters)).body["data"]
    assert (past["items"], past["pagination"]["total"], past["pagination"]["has_more"]) == ([], total, False)
