import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generated.tradestream.decisions.models import (
    Decision,
    GetRecentDecisionsRequest,
    SaveDecisionRequest,
    SaveDecisionResult,
)
from generated.tradestream.decisions.schemas import SAVE_DECISION_PARAMETERS
from generated.tradestream.decisions.server import DecisionsCall
from handlers.tradestream.decisions import get_recent_decisions, save_decision
from tests.handlers.tradestream.rows import insert, to_records, walk
from toolaccord import IdempotencyConflict, IdempotencyKey, Page
from toolaccord.sources.postgresql import Postgresql, PostgresqlError

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def call(postgres: Postgresql) -> DecisionsCall:
    return DecisionsCall(postgres=postgres, now=NOW, idempotency=None)


def again(call: DecisionsCall, fingerprint: str = "the same") -> DecisionsCall:
    """Return a call with an idempotency key; *fingerprint* stands for its arguments."""
    return replace(
        call,
        idempotency=IdempotencyKey(
            tool="save_decision", caller="", key="decision", fingerprint=fingerprint, window_s=86_400
        ),
    )


async def save(call: DecisionsCall, symbol: str, **arguments: Any) -> SaveDecisionResult:
    usual: dict[str, Any] = {"action": "BUY", "confidence": 0.5, "reasoning": "Because."}
    return await save_decision(SaveDecisionRequest(symbol=symbol, **(usual | arguments)), call)


async def recent(call: DecisionsCall, **arguments: Any) -> Page[Decision]:
    return to_records(Decision, await get_recent_decisions(GetRecentDecisionsRequest(**arguments), call))


async def test_a_saved_decision_is_read_unchanged(call: DecisionsCall) -> None:
    body: dict[str, Any] = {
        "action": "SELL",
        "confidence": 0.25,
        "opportunity_score": 81.5,
        "reasoning": "It falls.\nSoon ☃.",
    }
    saved = await save(call, "AAA/USD", **body)
    assert saved.saved
    (item,) = (await recent(call, symbol="AAA/USD")).items
    assert item == Decision(decision_id=saved.decision_id, symbol="AAA/USD", created_at=NOW, **body)


async def test_a_score_that_was_not_given_is_absent(call: DecisionsCall) -> None:
    await save(call, "AAB/USD")
    (item,) = (await recent(call, symbol="AAB/USD")).items
    assert item.opportunity_score is None


async def test_tool_calls_are_kept_to_the_letter(call: DecisionsCall) -> None:
    calls = [{"tool": "get_candles", "arguments": {"z": 1, "a": [0.1, None, True, "\0", "'; --"]}}, {}]
    saved = await save(call, "AAC/USD", tool_calls=calls)
    kept = "SELECT tool_calls, tool_calls::text AS text FROM agent_decisions WHERE decision_id = $1::text::uuid"
    row = await call.postgres.fetch_one(kept, saved.decision_id)
    assert row is not None
    assert row["tool_calls"] == calls
    assert row["text"].index('"z"') < row["text"].index('"a"')


@pytest.mark.parametrize("calls", [[], ["get_candles", 1.5, None, True, ["get_candles", {}]], [{}] * 1001])
async def test_tool_calls_are_any_array_as_in_the_specification(call: DecisionsCall, calls: list[Any]) -> None:
    arguments = {"symbol": "ANY/USD", "action": "HOLD", "confidence": 0.5, "reasoning": "None.", "tool_calls": calls}
    jsonschema_rs.validate(SAVE_DECISION_PARAMETERS, arguments)
    saved = await save_decision(SaveDecisionRequest.model_validate(arguments), call)
    kept = "SELECT tool_calls FROM agent_decisions WHERE decision_id = $1::text::uuid"
    row = await call.postgres.fetch_one(kept, saved.decision_id)
    assert row is not None
    assert row["tool_calls"] == calls


async def test_a_decision_is_committed_once_it_is_acknowledged(call: DecisionsCall, postgres_url: str) -> None:
    saved = await save(call, "AAD/USD")
    stranger: asyncpg.Connection = await asyncpg.connect(postgres_url)
    found = await stranger.fetchval("SELECT decision_id::text FROM agent_decisions WHERE symbol = 'AAD/USD'")
    await stranger.close()
    assert found == saved.decision_id


async def test_a_decision_whose_commit_fails_is_not_acknowledged(call: DecisionsCall) -> None:
    """A trigger that refuses at the commit, when the statement itself has long succeeded."""
    await call.postgres.fetch(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$"
    )
    await call.postgres.fetch(
        "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON agent_decisions DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW WHEN (NEW.symbol = 'AAE/USD') EXECUTE FUNCTION refuse()"
    )
    with pytest.raises(PostgresqlError):
        await save(again(call), "AAE/USD")
    assert await recent(call, symbol="AAE/USD") == Page([], 0)
    await call.postgres.fetch("DROP TRIGGER late ON agent_decisions")
    assert (await save(again(call), "AAE/USD")).saved
    await call.postgres.fetch("DELETE FROM idempotency_keys")


async def test_equal_decisions_without_a_key_are_two(call: DecisionsCall) -> None:
    one, two = await save(call, "AAF/USD"), await save(call, "AAF/USD")
    assert one.decision_id != two.decision_id
    assert (await recent(call, symbol="AAF/USD")).total == 2


async def test_a_decision_that_comes_again_under_its_key_is_saved_once(call: DecisionsCall) -> None:
    first = await save(again(call), "AAG/USD")
    assert await save(again(call), "AAG/USD") == first
    assert (await recent(call, symbol="AAG/USD")).total == 1
    with pytest.raises(IdempotencyConflict):
        await save(again(call, "others"), "AAG/USD", action="SELL")
    await call.postgres.fetch("DELETE FROM idempotency_keys")


async def test_two_concurrent_calls_with_one_key_save_once_and_both_get_the_result(call: DecisionsCall) -> None:
    answers = await asyncio.gather(*(save(again(call), "AAH/USD") for _ in range(8)))
    assert len({answer.decision_id for answer in answers}) == 1
    assert (await recent(call, symbol="AAH/USD")).total == 1
    await call.postgres.fetch("DELETE FROM idempotency_keys")


@pytest.mark.parametrize(
    "filters, expected",
    [
        ({}, 18),
        ({"symbol": "ONE/EUR"}, 12),
        ({"action": "HOLD"}, 6),
        ({"symbol": "TWO/EUR", "action": "SELL"}, 2),
        ({"symbol": "NONE/EUR"}, 0),
    ],
)
async def test_filters_narrow_the_list_and_its_total(
    call: DecisionsCall, filters: dict[str, Any], expected: int
) -> None:
    await call.postgres.fetch("TRUNCATE agent_decisions")
    for number in range(18):
        action = ("BUY", "SELL", "HOLD")[number % 3]
        await save(call, "TWO/EUR" if number >= 12 else "ONE/EUR", action=action)
    page = await recent(call, limit=1, **filters)
    assert page.total == expected
    whole = await recent(call, limit=100, **filters)
    assert len(whole.items) == expected
    assert all(getattr(item, name) == value for item in whole.items for name, value in filters.items())


async def test_the_newest_decision_comes_first(call: DecisionsCall) -> None:
    for minutes in (3, 1, 2):
        await save(replace(call, now=NOW - minutes * MINUTE), "CAA/USD", reasoning=f"{minutes} minutes ago")
    reasons = [item.reasoning for item in (await recent(call, symbol="CAA/USD")).items]
    assert reasons == ["1 minutes ago", "2 minutes ago", "3 minutes ago"]


@pytest.mark.parametrize("filters", [{}, {"symbol": "CAB/USD"}, {"action": "BUY"}])
async def test_a_page_past_the_end_is_empty_and_still_knows_the_total(
    call: DecisionsCall, filters: dict[str, Any]
) -> None:
    await save(call, "CAB/USD")
    whole = await recent(call, **filters)
    assert await recent(call, offset=1_000_000, **filters) == Page([], whole.total)
    assert whole.total > 0


@pytest.fixture
async def crowd(call: DecisionsCall) -> str:
    """A symbol with many decisions of the same few moments."""
    symbol = f"{uuid4().hex[:12].upper()}/USD"
    for number in range(40):
        values = {"action": "HOLD", "confidence": 1, "reasoning": str(number), "created_at": NOW - number % 3 * MINUTE}
        await insert(call.postgres, "agent_decisions", symbol=symbol, **values)
    return symbol


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limits=st.lists(st.integers(1, 17), min_size=40, max_size=40), of_action=st.booleans())
async def test_pages_neither_repeat_nor_lose_a_decision(
    call: DecisionsCall, crowd: str, limits: list[int], *, of_action: bool
) -> None:
    filters = {"symbol": crowd} | ({"action": "HOLD"} if of_action else {})
    items, totals = await walk(lambda limit, offset: recent(call, limit=limit, offset=offset, **filters), limits)
    assert {item.reasoning for item in items} == {str(number) for number in range(40)}
    assert (len(items), totals) == (40, {40})
