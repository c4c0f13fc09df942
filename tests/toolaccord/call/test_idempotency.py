"""Repeated writes, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple, cast
from uuid import UUID

import pytest

from tests.toolaccord.demo import ledger
from tests.toolaccord.demo.ledger import Clerk
from tests.toolaccord.process import PATIENCE_S, data, started, stateless_call
from toolaccord import IdempotencyConflict, IdempotencyKey
from toolaccord.call.error_mapping import failure_of
from toolaccord.call.pipeline import Pipeline
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError
from toolaccord.errors import ToolError
from toolaccord.json_values import JsonObject
from toolaccord.sources.postgresql import Postgresql, PostgresqlError, Statements
from toolaccord.sources.postgresql.idempotency import once, write_once
from toolaccord.testing import Era, ManualClock, connect, pipeline
from toolaccord.timing.clock import SystemClock

KEYED = {"idempotency_key": "order:1"}
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Postgresql]:
    (declared,) = ledger.server(Clerk()).sources
    source = cast("Postgresql", declared.open({"database_url": url}, SystemClock()))
    try:
        yield source
    finally:
        await source.close()


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[Postgresql]:
    async with opened(postgres_url) as source:
        await source.fetch(ledger.TABLE)
        await source.fetch("TRUNCATE entries, idempotency_keys RESTART IDENTITY")
        yield source


@pytest.fixture
async def replica(postgres_url: str) -> AsyncIterator[Postgresql]:
    """The same database, through the pool of another process."""
    async with opened(postgres_url) as source:
        yield source


def serving(postgres: Postgresql, clerk: Clerk | None = None, clock: ManualClock | None = None) -> Pipeline:
    return pipeline(ledger.server(clerk or Clerk()), sources={"postgres": postgres}, clock=clock)


async def texts(postgres: Postgresql) -> list[str]:
    return [row["text"] for row in await postgres.fetch("SELECT text FROM entries ORDER BY number")]


async def keys(postgres: Postgresql) -> list[str]:
    return [row["key"] for row in await postgres.fetch("SELECT key FROM idempotency_keys ORDER BY key")]


async def somebody_waits(postgres: Postgresql) -> None:
    """Return once a transaction waits for another one."""
    async with asyncio.timeout(PATIENCE_S):
        while not await postgres.fetch("SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"):
            pass


# --- repeated -----------------------------------------------------------------------------------------------------------


async def test_a_repeated_call_writes_once_and_gets_the_same_answer(postgres: Postgresql) -> None:
    server = serving(postgres)
    first = await server.call("enter", {"text": "naïve ☃", "amount": 0.1}, KEYED)
    again = await server.call("enter", {"text": "naïve ☃", "amount": 0.1}, KEYED)
    assert first.text == again.text
    assert first.body["data"]["amount"] == 0.1
    assert await texts(postgres) == ["naïve ☃"]


async def test_without_a_key_every_call_writes(postgres: Postgresql) -> None:
    server = serving(postgres)
    answers = [await server.call("enter", {"text": "a"}, meta) for meta in (None, {}, {"corr_id": "x"})]
    assert [answer.body["data"]["text"] for answer in answers] == ["a", "a", "a"]
    assert await texts(postgres) == ["a", "a", "a"]
    assert await keys(postgres) == []


async def test_arguments_are_compared_after_normalisation(postgres: Postgresql) -> None:
    server = serving(postgres)
    first = await server.call("enter", {"text": "a"}, KEYED)
    for amount in (1, 1.0):
        again = await server.call("enter", {"amount": amount, "text": "a"}, KEYED)
        assert first.text == again.text
    assert await texts(postgres) == ["a"]


async def test_keys_of_other_callers_and_other_tools_are_different_keys(postgres: Postgresql) -> None:
    server = serving(postgres)
    for caller in ("alice", "bob", ""):
        assert (await server.call("enter", {"text": caller}, KEYED, caller=caller)).code is None
    assert (await server.call("correct", {"text": "alice too"}, KEYED, caller="alice")).code is None
    assert await texts(postgres) == ["alice", "bob", "", "alice too"]


async def test_a_key_belongs_to_the_proven_identity_whatever_name_its_caller_gives(postgres: Postgresql) -> None:
    server = serving(postgres)
    for identity, caller in (("a", "alice"), ("b", "alice"), ("", "alice"), ("", "proven a"), ("a", "bob")):
        call = server.receive("enter", {"text": "a"}, KEYED, caller=caller, identity=identity)
        assert (await server.answer(call)).code is None
    assert await texts(postgres) == ["a"] * 4, "only the last call repeats one"
    rows = await postgres.fetch("SELECT caller FROM idempotency_keys")
    callers = {row["caller"] for row in rows}
    assert callers > {"proven a", "proven b", "alice"}


@pytest.mark.parametrize("caller", ["x" * 10_000, "nul\0", "half \ud800", "two\nlines"])
async def test_a_client_may_have_any_name(postgres: Postgresql, caller: str) -> None:
    server = serving(postgres)
    for _ in range(2):
        assert (await server.call("enter", {"text": "a"}, KEYED, caller=caller)).code is None
    assert (await server.call("enter", {"text": "b"}, KEYED, caller=f"{caller}!")).code is None
    assert await texts(postgres) == ["a", "b"]


async def test_a_keyed_write_is_durable_whatever_the_default_of_the_database(postgres: Postgresql) -> None:
    async def durability(statements: Statements) -> JsonObject:
        row = await statements.fetch_one("SHOW synchronous_commit")
        assert row is not None
        return row

    async def in_transaction(key: IdempotencyKey | None) -> tuple[JsonObject, JsonObject]:
        async with postgres.transaction() as statements:
            return await once(statements, key, NOW, lambda: durability(statements)), await durability(statements)

    off, on = {"synchronous_commit": "off"}, {"synchronous_commit": "on"}
    key = IdempotencyKey(caller="", tool="enter", key="durable:1", fingerprint="f", window_s=60)
    assert await durability(postgres) == off, "the sandbox's default, which this test needs"
    assert await in_transaction(key) == (on, on)
    assert await in_transaction(key) == (on, on), "the stored answer of a repeated call"
    assert await in_transaction(None) == (off, off)
    assert await durability(postgres) == off


# --- at the same time ------------------------------------------------------------------------------------------------


async def test_two_concurrent_calls_write_once_and_get_the_same_answer(
    postgres: Postgresql, replica: Postgresql
) -> None:
    clerk = Clerk(gate=asyncio.Event())
    first = asyncio.create_task(serving(postgres, clerk).call("enter", {"text": "a"}, KEYED))
    await clerk.arrived.wait()
    second = asyncio.create_task(serving(replica).call("enter", {"text": "a"}, KEYED))
    await somebody_waits(postgres)
    clerk.gate.set()
    assert (await first).text == (await second).text
    assert await texts(postgres) == ["a"]


async def test_fifty_concurrent_calls_write_once(postgres: Postgresql, replica: Postgresql) -> None:
    servers = [serving(postgres), serving(replica)]
    calls = [servers[turn % 2].call("enter", {"text": "a"}, KEYED) for turn in range(50)]
    answers = {answer.text for answer in await asyncio.gather(*calls)}
    assert len(answers) == 1
    assert await texts(postgres) == ["a"]


async def test_the_second_of_two_concurrent_calls_writes_if_the_first_fails(
    postgres: Postgresql, replica: Postgresql
) -> None:
    clerk = Clerk(gate=asyncio.Event())
    first = asyncio.create_task(serving(postgres, clerk).call("enter", {"text": "a", "amount": 2000}, KEYED))
    await clerk.arrived.wait()
    second = asyncio.create_task(serving(replica).call("enter", {"text": "b"}, KEYED))
    await somebody_waits(postgres)
    clerk.gate.set()
    assert (await first).code == "OVERDRAWN"
    assert (await second).code is None
    assert await texts(postgres) == ["b"]


async def test_an_abandoned_call_leaves_its_key_free(postgres: Postgresql) -> None:
    clerk = Clerk(gate=asyncio.Event())
    call = asyncio.create_task(serving(postgres, clerk).call("enter", {"text": "a"}, KEYED))
    await clerk.arrived.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await serving(postgres).call("enter", {"text": "b"}, KEYED)).code is None
    assert await texts(postgres) == ["b"]


async def test_a_wait_for_a_key_ends_at_the_deadline(postgres: Postgresql, replica: Postgresql) -> None:
    clerk, clock = Clerk(gate=asyncio.Event()), ManualClock()
    first = asyncio.create_task(serving(postgres, clerk).call("enter", {"text": "a"}, KEYED))
    await clerk.arrived.wait()
    second = asyncio.create_task(serving(replica, clock=clock).call("enter", {"text": "a"}, KEYED))
    await somebody_waits(postgres)
    clock.advance(20)
    assert (await second).code == "TIMEOUT"
    clerk.gate.set()
    again = await serving(replica).call("enter", {"text": "a"}, KEYED)
    assert (await first).text == again.text
    assert await texts(postgres) == ["a"]


# --- rejected ---------------------------------------------------------------------------------------------------------


async def test_other_arguments_under_the_same_key_are_a_conflict(postgres: Postgresql) -> None:
    server = serving(postgres)
    await server.call("enter", {"text": "a"}, KEYED)
    refused = await server.call("enter", {"text": "b"}, KEYED)
    assert (refused.code, refused.http) == ("KEY_CONFLICT", 409)
    assert refused.body["error"]["message"] == "The idempotency key was used before, with other arguments."
    assert await texts(postgres) == ["a"]


async def test_other_arguments_at_the_same_time_are_a_conflict(postgres: Postgresql, replica: Postgresql) -> None:
    clerk = Clerk(gate=asyncio.Event())
    first = asyncio.create_task(serving(postgres, clerk).call("enter", {"text": "a"}, KEYED))
    await clerk.arrived.wait()
    second = asyncio.create_task(serving(replica).call("enter", {"text": "b"}, KEYED))
    await somebody_waits(postgres)
    clerk.gate.set()
    assert (await first).code is None
    assert (await second).code == "KEY_CONFLICT"


async def test_an_error_stores_nothing(postgres: Postgresql) -> None:
    server = serving(postgres)
    assert (await server.call("enter", {"text": "a", "amount": 2000}, KEYED)).code == "OVERDRAWN"
    assert (await texts(postgres), await keys(postgres)) == ([], [])
    assert (await server.call("enter", {"text": "b"}, KEYED)).code is None


@pytest.mark.parametrize("key", ["", "a" * 129, "white space", "new\nline", "ключ", 7, None, ["a"], {}])
async def test_a_malformed_key_is_a_violation_like_those_of_arguments(postgres: Postgresql, key: Any) -> None:
    answer = await serving(postgres).call("enter", {"text": 5}, {"idempotency_key": key})
    assert (answer.code, answer.http) == ("INVALID_PARAMETER", 400)
    violations = answer.body["error"]["details"]["violations"]
    assert [violation["at"] for violation in violations] == ["/text", "/_meta/idempotency_key"]
    assert await texts(postgres) == []


@pytest.mark.parametrize("key", ["a", "A.b_C:d-9", "a" * 128])
async def test_a_key_of_letters_digits_and_four_signs_is_valid(postgres: Postgresql, key: str) -> None:
    assert (await serving(postgres).call("enter", {"text": "a"}, {"idempotency_key": key})).code is None
    assert await keys(postgres) == [key]


async def test_a_tool_without_idempotency_ignores_keys(postgres: Postgresql) -> None:
    server = serving(postgres)
    for key in ("order:1", "white space"):
        assert (await server.call("count_entries", {}, {"idempotency_key": key})).code is None
    assert await keys(postgres) == []


# --- for a time ------------------------------------------------------------------------------------------------------


async def test_a_key_is_remembered_for_its_window_and_then_forgotten(postgres: Postgresql) -> None:
    clock = ManualClock()
    server = serving(postgres, clock=clock)
    await server.call("enter", {"text": "a"}, KEYED)
    clock.advance(59.9)
    assert (await server.call("enter", {"text": "b"}, KEYED)).code == "KEY_CONFLICT"
    clock.advance(0.1)
    assert (await server.call("enter", {"text": "b"}, KEYED)).code is None
    assert (await server.call("enter", {"text": "b"}, KEYED)).code is None
    assert await texts(postgres) == ["a", "b"]


async def test_a_new_key_deletes_expired_ones(postgres: Postgresql) -> None:
    clock = ManualClock()
    server = serving(postgres, clock=clock)
    for number in range(5):
        await server.call("enter", {"text": "a"}, {"idempotency_key": f"old{number}"})
    clock.advance(60)
    await server.call("enter", {"text": "a"}, {"idempotency_key": "new"})
    assert await keys(postgres) == ["new"]


# --- the process dies ------------------------------------------------------------------------------------------------


def keyed_call(given: int, tool: str, **arguments: Any) -> JsonObject:
    message = stateless_call(given, tool, **arguments)
    message["params"]["_meta"] |= KEYED
    return message


@pytest.mark.parametrize("dies, written", [("after", ["a"]), ("before", [])])
async def test_a_retry_after_the_process_was_killed_around_the_commit_finds_one_entry(
    postgres_url: str, postgres: Postgresql, dies: str, written: list[str]
) -> None:
    environ = {"DATABASE_URL": postgres_url}
    async with started(module="tests.toolaccord.demo.ledger", environ=environ | {"LEDGER_DIES": dies}) as process:
        await process.send(keyed_call(1, "enter", text="a", amount=0.25))
        assert await process.exit_code() == -9
        assert await process.rest() == []
    assert await texts(postgres) == written
    async with started(module="tests.toolaccord.demo.ledger", environ=environ) as process:
        await process.send(keyed_call(2, "enter", text="a", amount=0.25))
        answer = data(await process.receive())
    assert {"text": "a", "amount": 0.25}.items() <= answer.items()
    assert await texts(postgres) == ["a"]


# --- the table -----------------------------------------------------------------------------------------------


def a_key(name: str = "order:1") -> IdempotencyKey:
    return IdempotencyKey(tool="enter", caller="", key=name, fingerprint="f", window_s=60)


async def test_a_key_outside_a_transaction_is_rejected_before_anything_is_written(postgres: Postgresql) -> None:
    async def write() -> JsonObject:
        raise AssertionError("written")

    with pytest.raises(PostgresqlError, match="committed together with its answer"):
        await once(postgres, a_key(), NOW, write)
    assert await keys(postgres) == []


async def test_the_first_caller_gets_the_stored_answer(postgres: Postgresql) -> None:
    async def write() -> JsonObject:
        return {"b": NOW, "a": 1.0, "c": 10**15, "d": {"e": [None, True]}}

    answers = []
    for _ in range(2):
        async with postgres.transaction() as statements:
            answers.append(await once(statements, a_key(), NOW, write))
    assert (
        answers[0] == answers[1] == {"b": "2026-01-01T00:00:00+00:00", "a": 1.0, "c": 10**15, "d": {"e": [None, True]}}
    )
    assert [list(answer) for answer in answers] == [["b", "a", "c", "d"]] * 2


# --- rows --------------------------------------------------------------------------------------------------------


class EntryRow(NamedTuple):
    """A row as a query of a SQL file returns it."""

    number: UUID
    text: str
    amount: Decimal | None
    at: datetime


@dataclass(frozen=True)
class Call:
    """The part of a call record that a write needs."""

    idempotency: IdempotencyKey | None
    now: datetime = NOW


ROW = EntryRow(UUID(int=7), "a", Decimal("1.50"), NOW)


async def enter(postgres: Statements) -> EntryRow:
    await postgres.fetch("INSERT INTO entries (text, amount) VALUES ('a', 1.5)")
    return ROW


async def enter_in_vain(postgres: Statements) -> EntryRow | None:
    await enter(postgres)
    return None


async def test_a_repeated_write_returns_the_stored_row_in_its_types(postgres: Postgresql) -> None:
    first = await write_once(Call(a_key()), postgres, EntryRow, enter)
    key = a_key()
    assert await write_once(Call(key), postgres, EntryRow, enter) == first == ROW
    assert key.replay.is_set
    assert await texts(postgres) == ["a"]
    with pytest.raises(IdempotencyConflict):
        await write_once(Call(replace(a_key(), fingerprint="g")), postgres, EntryRow, enter)


async def test_a_write_without_a_key_writes_each_time(postgres: Postgresql) -> None:
    for _ in range(2):
        assert await write_once(Call(None), postgres, EntryRow, enter) is ROW
    assert await texts(postgres) == ["a", "a"]


@pytest.mark.parametrize("key", [None, a_key()])
async def test_a_write_that_returns_nothing_leaves_nothing_and_frees_its_key(
    postgres: Postgresql, key: IdempotencyKey | None
) -> None:
    assert await write_once(Call(key), postgres, EntryRow, enter_in_vain) is None
    assert (await texts(postgres), await keys(postgres)) == ([], [])
    assert await write_once(Call(key), postgres, EntryRow, enter) == ROW


async def test_the_conflict_has_the_code_that_the_tool_binds_to_it() -> None:
    class Taken(ToolError):
        """The tool's own word for it."""

        code = "TAKEN"
        http = 410

    tool = ledger.server(Clerk()).tools[0]
    own = replace(tool, errors=(DeclaredError(Taken, when=When(occasion="conflict")),))
    assert failure_of(own, ledger.LEDGER, IdempotencyConflict("order-1")).code == "TAKEN"
    silent = replace(ledger.LEDGER, occasions=replace(ledger.LEDGER.occasions, conflict=None))
    assert failure_of(tool, silent, IdempotencyConflict("order-1")).code == "INTERNAL_ERROR"


# --- over MCP --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_the_key_comes_in_meta_and_the_caller_is_the_client(postgres: Postgresql, era: Era) -> None:
    async with connect(ledger.server(Clerk()), sources={"postgres": postgres}, era=era) as client:
        for _ in range(2):
            result = await client.call_tool("enter", {"text": "a"}, meta=cast("Any", KEYED))
            assert not result.is_error
    assert await texts(postgres) == ["a"]
    (row,) = await postgres.fetch("SELECT caller, tool, key FROM idempotency_keys")
    assert row == {"caller": "mcp", "tool": "enter", "key": "order:1"}


async def test_a_tool_with_idempotency_is_still_listed_as_a_write(postgres: Postgresql) -> None:
    async with connect(ledger.server(Clerk()), sources={"postgres": postgres}) as client:
        listed = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    enter, correct, count = listed["enter"], listed["correct"], listed["count_entries"]
    assert enter is not None
    assert correct is not None
    assert count is not None
    # Without a key the same arguments write again, so that a host may not take repeating it for harmless.
    assert (enter.read_only_hint, enter.idempotent_hint) == (False, False)
    assert (enter.destructive_hint, correct.destructive_hint) == (False, True)  # one only adds, one writes
    assert (count.read_only_hint, count.idempotent_hint) == (True, True)
