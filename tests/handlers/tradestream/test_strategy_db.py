import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from statistics import fmean
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generated.tradestream.errors import DuplicateName, InvalidConditions, SpecNotFound
from generated.tradestream.strategy_db.models import (
    GetImplementationsRequest,
    GetTopSpecsRequest,
    Implementation,
    NearCopyAnswer,
    Spec,
    SubmitNewSpecRequest,
    SubmitNewSpecResult,
)
from generated.tradestream.strategy_db.server import StrategyDbCall, StrategyDbChanges
from handlers.tradestream.strategy_db import get_implementations, get_top_specs, submit_new_spec
from tests.handlers.tradestream.rows import insert, to_records, walk
from toolaccord import Accepted, Cancelled, Declined, IdempotencyConflict, IdempotencyKey, Page, ToolError
from toolaccord.sources.postgresql import Postgresql

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SOUND: dict[str, Any] = {
    "description": "It rises.",
    "indicators": [{"id": "ema", "type": "EMA", "input": "close", "params": {"period": "${period}", "k": 0.5}}],
    "entry_conditions": [{"type": "IS_RISING", "indicator": "ema"}],
    "exit_conditions": [{"type": "UNDER_CONSTANT", "indicator": "ema", "params": {"value": 30}}],
    "parameters": [{"name": "period", "type": "INTEGER", "min": 2, "max": 50, "defaultValue": 20}],
    "reasoning": "What rises goes on rising.",
}


@pytest.fixture
async def call(postgres: Postgresql) -> StrategyDbCall:
    """A call on a database without specs."""
    await postgres.fetch("TRUNCATE strategy_specs, idempotency_keys CASCADE")
    changed = StrategyDbChanges(lambda _uri: None)
    return StrategyDbCall(postgres=postgres, now=NOW, idempotency=None, changed=changed, ask=Author(None))


class Author:
    """Answers what a spec's author is asked; None for one that cannot be asked."""

    def __init__(self, answer: Accepted[NearCopyAnswer] | Declined | Cancelled | None) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    def supports(self, *_names: str) -> bool:
        return self.answer is not None

    async def near_copy(self, *, name: str, other: str) -> Accepted[NearCopyAnswer] | Declined | Cancelled:
        assert self.answer is not None
        self.asked.append((name, other))
        return self.answer


async def write_spec(call: StrategyDbCall, name: str, *sharpes: float | None, source: str = "CANONICAL") -> str:
    """Write a spec with an implementation for each of *sharpes*, and return its identifier.

    None stands for an unmeasured implementation.
    """
    shapes: dict[str, list[Any]] = {name: [] for name in ("entry_conditions", "exit_conditions", "parameters")}
    indicators = [{"id": name, "type": "SMA"}]
    row = await insert(call.postgres, "strategy_specs", name=name, source=source, indicators=indicators, **shapes)
    for sharpe in sharpes:
        await write_implementation(call, row["spec_id"], sharpe=sharpe)
    return str(row["spec_id"])


async def write_implementation(
    call: StrategyDbCall, spec_id: UUID | str, *, sharpe: float | None = None, status: str = "VALIDATED"
) -> str:
    measured = {"forward_sharpe": sharpe, "forward_accuracy": None if sharpe is None else 0.5}
    of = {"spec_id": UUID(str(spec_id)), "symbol": "ETH/USD", "parameters": {"period": 14}, "status": status}
    return str((await insert(call.postgres, "strategy_implementations", **of, **measured))["impl_id"])


async def top(call: StrategyDbCall, **arguments: Any) -> Page[Spec]:
    return to_records(Spec, await get_top_specs(GetTopSpecsRequest(**arguments), call))


async def implementations(call: StrategyDbCall, spec_id: str, **arguments: Any) -> Page[Implementation]:
    request = GetImplementationsRequest(spec_id=spec_id, **arguments)
    return to_records(Implementation, await get_implementations(request, call))


async def submit(call: StrategyDbCall, name: str, **changed: Any) -> SubmitNewSpecResult:
    return await submit_new_spec(SubmitNewSpecRequest(name=name, **(SOUND | changed)), call)


def keyed(call: StrategyDbCall, fingerprint: str = "the same") -> StrategyDbCall:
    key = IdempotencyKey(tool="submit_new_spec", caller="", key="spec", fingerprint=fingerprint, window_s=86_400)
    return replace(call, idempotency=key)


# --- get_top_specs -----------------------------------------------------------------------------------------------------


async def test_a_spec_is_ranked_by_the_mean_of_what_was_measured(call: StrategyDbCall) -> None:
    figures = {"ONE": (1.0, 2.0, None), "TWO": (0.1, 0.2, 0.4), "THREE": (-1.0, 7.5)}
    for name, sharpes in figures.items():
        await write_spec(call, name, *sharpes)
    found = {item.name: (item.avg_sharpe, item.implementations_count) for item in (await top(call)).items}
    assert list(found) == ["THREE", "ONE", "TWO"]
    for name, sharpes in figures.items():
        mean, count = found[name]
        assert mean == pytest.approx(fmean(sharpe for sharpe in sharpes if sharpe is not None), abs=1e-9)
        assert count == len(sharpes)


async def test_a_spec_that_was_never_measured_comes_last_and_has_no_mean(call: StrategyDbCall) -> None:
    await write_spec(call, "UNTRIED")
    await write_spec(call, "UNMEASURED", None, None)
    await write_spec(call, "BAD", -9.0)
    found = [(item.name, item.avg_sharpe, item.implementations_count) for item in (await top(call)).items]
    assert found == [("BAD", -9, 1), ("UNMEASURED", None, 2), ("UNTRIED", None, 0)]


async def test_a_source_narrows_the_list_and_its_total(call: StrategyDbCall) -> None:
    await write_spec(call, "HAND", 1.0)
    await write_spec(call, "MACHINE", 2.0, source="LLM_GENERATED")
    found = {
        source: ([item.name for item in page.items], page.total)
        for source in ("CANONICAL", "LLM_GENERATED", "ALL")
        for page in [await top(call, source=source)]
    }
    assert found == {"CANONICAL": (["HAND"], 1), "LLM_GENERATED": (["MACHINE"], 1), "ALL": (["MACHINE", "HAND"], 2)}


async def test_a_spec_shows_its_own_indicators(call: StrategyDbCall) -> None:
    for name in ("ONE", "TWO"):
        await write_spec(call, name, 1.0)
    assert [item.indicators for item in (await top(call)).items] == [
        [{"id": name, "type": "SMA"}] for name in ("ONE", "TWO")
    ]


@pytest.mark.parametrize("source", ["ALL", "CANONICAL"])
async def test_a_page_of_specs_past_the_end_is_empty_and_still_knows_the_total(
    call: StrategyDbCall, source: str
) -> None:
    assert await top(call, source=source) == Page([], 0)
    await write_spec(call, "ONE", 1.0)
    assert await top(call, source=source, offset=1_000_000) == Page([], 1)


@pytest.fixture
async def crowded(call: StrategyDbCall) -> StrategyDbCall:
    """Yield a database with many specs of equal rank, one of them with as many implementations."""
    for number in range(40):
        await write_spec(call, f"SPEC_{number}", *([None, float(number % 2)][: number % 3]))
    crowd = await write_spec(call, "CROWD")
    for number in range(40):
        await write_implementation(call, crowd, sharpe=[None, 1.0, 2.0][number % 3])
    return call


PAGES = st.lists(st.integers(1, 17), min_size=41, max_size=41)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limits=PAGES)
async def test_pages_neither_repeat_nor_lose_a_spec(crowded: StrategyDbCall, limits: list[int]) -> None:
    items, totals = await walk(lambda limit, offset: top(crowded, limit=limit, offset=offset), limits)
    assert {item.name for item in items} == {"CROWD", *(f"SPEC_{number}" for number in range(40))}
    assert (len(items), totals) == (41, {41})


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limits=PAGES, status=st.sampled_from(["ALL", "VALIDATED"]))
async def test_pages_neither_repeat_nor_lose_an_implementation(
    crowded: StrategyDbCall, limits: list[int], status: str
) -> None:
    row = await crowded.postgres.fetch_one("SELECT spec_id::text FROM strategy_specs WHERE name = 'CROWD'")
    assert row is not None
    crowd = row["spec_id"]
    items, totals = await walk(
        lambda limit, offset: implementations(crowded, crowd, status=status, limit=limit, offset=offset), limits
    )
    assert len({item.impl_id for item in items}) == len(items) == 40
    assert totals == {40}
    assert [item.forward_sharpe for item in items] == [2.0] * 13 + [1.0] * 13 + [None] * 14


# --- get_implementations -------------------------------------------------------------------------------------------------


async def test_an_implementation_is_returned_as_stored(call: StrategyDbCall) -> None:
    spec_id = await write_spec(call, "ONE")
    impl_id = await write_implementation(call, spec_id, sharpe=1.25)
    assert await implementations(call, spec_id) == Page(
        [
            Implementation(
                impl_id=impl_id,
                parameters={"period": 14},
                symbol="ETH/USD",
                forward_sharpe=1.25,
                forward_accuracy=0.5,
                status="VALIDATED",
            )
        ],
        1,
    )


async def test_an_unmeasured_value_is_absent_and_ranks_last(call: StrategyDbCall) -> None:
    spec_id = await write_spec(call, "ONE", None, -3.0)
    measured, unmeasured = (await implementations(call, spec_id)).items
    assert (measured.forward_sharpe, measured.forward_accuracy) == (-3, 0.5)
    assert (unmeasured.forward_sharpe, unmeasured.forward_accuracy) == (None, None)


@pytest.mark.parametrize("status, expected", [("VALIDATED", 1), ("CANDIDATE", 2), ("RETIRED", 0), ("ALL", 3)])
async def test_a_status_narrows_the_list_and_its_total(call: StrategyDbCall, status: str, expected: int) -> None:
    spec_id = await write_spec(call, "ONE")
    await write_spec(call, "TWO", 1.0)
    for of in ("VALIDATED", "CANDIDATE", "CANDIDATE"):
        await write_implementation(call, spec_id, status=of)
    page = await implementations(call, spec_id, status=status, limit=1)
    assert (len(page.items), page.total) == (min(expected, 1), expected)
    assert await implementations(call, spec_id, status=status, offset=1000) == Page([], expected)


@pytest.mark.parametrize(
    "spec_id", ["x", "' OR true --", "\0", "0b7e6f2c5d4a4a349a530f6f6c1f6a01", "8b9fe606-3356-43c8-bd4d-0760a1b03757"]
)
async def test_a_spec_that_does_not_exist_is_not_found(call: StrategyDbCall, spec_id: str) -> None:
    with pytest.raises(SpecNotFound) as raised:
        await implementations(call, spec_id)
    assert raised.value.details == {"spec_id": spec_id}


async def test_a_spec_without_implementations_is_found_all_the_same(call: StrategyDbCall) -> None:
    assert await implementations(call, (await write_spec(call, "ONE")).upper()) == Page([], 0)


# --- submit_new_spec -----------------------------------------------------------------------------------------------------


async def test_a_spec_is_committed_as_it_was_given_once_it_is_acknowledged(
    call: StrategyDbCall, postgres_url: str
) -> None:
    created = await submit(call, "NEW")
    assert (created.created, created.validation_errors) == (True, [])
    stranger: asyncpg.Connection = await asyncpg.connect(postgres_url)
    await stranger.set_type_codec("jsonb", schema="pg_catalog", encoder=str, decoder=json.loads)
    (row,) = await stranger.fetch("SELECT * FROM strategy_specs")
    await stranger.close()
    assert {name: row[name] for name in SOUND} == SOUND
    kept = (str(row["spec_id"]), row["name"], row["source"], row["created_at"])
    assert kept == (created.spec_id, "NEW", "LLM_GENERATED", NOW)


async def test_a_spec_in_the_short_form_is_listed_in_its_one_form(call: StrategyDbCall) -> None:
    created = await submit(
        call,
        "rsi_mean_reversion",
        indicators=[{"name": "RSI", "period": 14}],
        entry_conditions=[{"rsi_below": 30}],
        exit_conditions=[{"rsi_above": 70}],
        parameters=[{"name": "rsi_period", "min": 7, "max": 21}],
    )
    (item,) = (await top(call)).items
    indicators = [{"id": "rsi", "type": "RSI", "params": {"period": "${rsi_period}"}}]
    assert (item.spec_id, item.name, item.indicators) == (created.spec_id, "RSI_MEAN_REVERSION", indicators)
    with pytest.raises(DuplicateName):
        await submit(call, "RSI_MEAN_REVERSION")


async def test_a_submitted_spec_is_listed_among_those_of_its_source(call: StrategyDbCall) -> None:
    created = await submit(call, "NEW")
    (item,) = (await top(call, source="LLM_GENERATED")).items
    assert (item.spec_id, item.name, item.indicators) == (created.spec_id, "NEW", SOUND["indicators"])


async def test_unused_declarations_are_warnings_and_do_not_reject_a_spec(call: StrategyDbCall) -> None:
    created = await submit(call, "NEW", indicators=[*SOUND["indicators"], {"id": "idle", "type": "RSI"}])
    assert created.created
    assert created.validation_errors == ["/indicators/1 is used by no condition and no indicator."]


@pytest.mark.parametrize("answer", [Accepted(NearCopyAnswer(store=False)), Declined(), Cancelled()])
async def test_a_near_copy_is_not_stored_unless_its_author_wants_it(
    call: StrategyDbCall, answer: Accepted[NearCopyAnswer] | Declined | Cancelled
) -> None:
    first = await submit(call, "FIRST")
    author = Author(answer)
    changed = [{"type": "UNDER_CONSTANT", "indicator": "ema", "params": {"value": 31}}]
    refused = await submit(replace(call, ask=author), "second", exit_conditions=changed)
    assert author.asked == [("SECOND", "FIRST")]
    assert (refused.spec_id, refused.created) == (first.spec_id, False)
    assert refused.validation_errors == ["SECOND nearly repeats FIRST and was not stored."]
    assert (await top(call)).total == 1


async def test_a_near_copy_is_stored_if_its_author_wants_it_or_cannot_be_asked(call: StrategyDbCall) -> None:
    author = Author(Accepted(NearCopyAnswer(store=True)))
    await submit(call, "FIRST")
    assert (await submit(replace(call, ask=author), "SECOND")).created
    assert (await submit(call, "THIRD")).created
    assert author.asked == [("SECOND", "FIRST")]


async def test_a_repeated_call_and_a_taken_name_need_no_answer(call: StrategyDbCall) -> None:
    await submit(call, "FIRST")
    stored = await submit(keyed(call), "SECOND")
    author = Author(Declined())
    assert await submit(replace(keyed(call), ask=author), "SECOND") == stored
    with pytest.raises(DuplicateName):
        await submit(replace(call, ask=author), "SECOND")
    assert author.asked == []


async def test_a_spec_with_other_kinds_of_conditions_needs_no_answer(call: StrategyDbCall) -> None:
    author = Author(Declined())
    await submit(call, "FIRST")
    falling = [{"type": "IS_FALLING", "indicator": "ema"}]
    assert (await submit(replace(call, ask=author), "SECOND", entry_conditions=falling)).created
    assert author.asked == []


@pytest.mark.parametrize("name", ["KNOWN", "known", "MACD_CROSSOVER", "macd_crossover"])
async def test_the_name_of_another_spec_or_of_a_strategy_that_is_built_in_is_taken(
    call: StrategyDbCall, name: str
) -> None:
    await write_spec(call, "KNOWN")
    with pytest.raises(DuplicateName) as raised:
        await submit(call, name)
    assert raised.value.details == {
        "violations": [{"at": "/name", "keyword": "unique", "message": "/name must be a name that no other spec has"}]
    }
    assert (await top(call)).total == 1


async def test_a_taken_name_does_not_hide_what_else_is_wrong(call: StrategyDbCall) -> None:
    with pytest.raises(DuplicateName) as raised:
        await submit(call, "MACD_CROSSOVER", exit_conditions=[{"type": "IS_RISING", "indicator": "nobody"}])
    assert [violation["at"] for violation in raised.value.details["violations"]] == [
        "/name",
        "/exit_conditions/0/indicator",
    ]


async def test_of_many_who_submit_a_name_at_once_one_creates_it(call: StrategyDbCall) -> None:
    async def attempt(_: int) -> str:
        try:
            return (await submit(call, "NEW")).spec_id
        except ToolError as error:
            return error.code

    outcomes = await asyncio.gather(*map(attempt, range(12)))
    assert outcomes.count("DUPLICATE_NAME") == 11
    assert (await top(call)).total == 1


async def test_the_loser_of_a_race_finds_the_name_taken_when_the_winner_commits(
    call: StrategyDbCall, postgres_url: str
) -> None:
    """The winner has not committed when the loser looks: only the constraint can tell."""
    winner: asyncpg.Connection = await asyncpg.connect(postgres_url)
    transaction = winner.transaction()
    await transaction.start()
    await winner.execute(
        "INSERT INTO strategy_specs (name, indicators, entry_conditions, exit_conditions, parameters, source)"
        " VALUES ('NEW', '[]', '[]', '[]', '[]', 'CANONICAL')"
    )
    loser = asyncio.create_task(submit(call, "NEW"))
    async with asyncio.timeout(60):
        while not await winner.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
            pass
    await transaction.commit()
    with pytest.raises(DuplicateName):
        await loser
    await winner.close()


async def test_a_spec_that_is_refused_leaves_nothing_and_its_key_free(call: StrategyDbCall) -> None:
    with pytest.raises(InvalidConditions):
        await submit(keyed(call), "NEW", exit_conditions=[{"type": "IS_RISING", "indicator": "nobody"}])
    assert (await top(call)).total == 0
    assert (await submit(keyed(call, "mended"), "NEW")).created


async def test_a_spec_that_comes_again_under_its_key_is_created_once_and_answered_alike(call: StrategyDbCall) -> None:
    first = await submit(keyed(call), "NEW")
    assert await submit(keyed(call), "NEW") == first
    with pytest.raises(IdempotencyConflict):
        await submit(keyed(call, "another"), "OTHER")
    with pytest.raises(DuplicateName):
        await submit(call, "NEW")
    assert (await top(call)).total == 1
