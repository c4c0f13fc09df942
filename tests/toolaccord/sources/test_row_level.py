"""Row-level security of PostgreSQL: each call sees the rows of its caller."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.toolaccord.demo import ledger
from toolaccord import Caller
from toolaccord.call.pipeline import Pipeline
from toolaccord.declarations.resources import Completion
from toolaccord.errors import UndeclaredEffect
from toolaccord.resources.operations import complete_members
from toolaccord.sources.postgresql import PostgresqlSource
from toolaccord.sources.postgresql.row_level import RowLevelPool, list_claims
from toolaccord.testing import capture_logs, pipeline
from toolaccord.timing.clock import SystemClock

TABLE = """
CREATE TABLE entries (
    number serial, text text NOT NULL, amount double precision NOT NULL,
    owner text NOT NULL DEFAULT nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
);
ALTER TABLE entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON entries USING (owner = nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub');
GRANT SELECT, INSERT ON entries TO CURRENT_CLERK;
GRANT USAGE ON SEQUENCE entries_number_seq TO CURRENT_CLERK
"""
ADA, BOB = Caller(subject="ada"), Caller(subject="bob")


@pytest.fixture
async def source(empty_postgres_url: str) -> AsyncIterator[RowLevelPool]:
    """Give the source of a server whose role owns nothing, so that policies hold for it."""
    parts = urlsplit(empty_postgres_url)
    clerk = f"clerk_of_{parts.path[1:]}"
    owner = PostgresqlSource(name="postgres", url="url").open({"url": empty_postgres_url}, SystemClock())
    await owner.fetch(f"CREATE ROLE {clerk} LOGIN")
    for statement in TABLE.replace("CURRENT_CLERK", clerk).split(";"):
        await owner.fetch(statement)
    url = parts._replace(netloc=f"{clerk}@{parts.netloc.rpartition('@')[2]}").geturl()
    declared = PostgresqlSource(name="postgres", url="url", caller_parameter="request.jwt.claims", max_connections=2)
    opened = declared.open({"url": url}, SystemClock())
    assert isinstance(opened, RowLevelPool)
    yield opened
    await opened.close()
    await owner.fetch(f"DROP OWNED BY {clerk}")
    await owner.fetch(f"DROP ROLE {clerk}")
    await owner.close()


def served(source: RowLevelPool, *, is_cached: bool = False) -> Pipeline:
    declared = ledger.server(ledger.Clerk())
    (*others, counting) = declared.tools
    tools = (*others, counting if is_cached else replace(counting, cache=None))
    return pipeline(replace(declared, tools=tools), sources={"postgres": source}, settings={"database_url": ""})


async def call(pipeline: Pipeline, caller: Caller | None, tool: str, **arguments: Any) -> Any:
    answer = await pipeline.answer(pipeline.receive(tool, arguments).by(caller))
    assert not answer.is_error, answer.text
    return answer.body["data"]


async def test_a_caller_sees_its_own_rows_alone(source: RowLevelPool) -> None:
    pipeline = served(source)
    for caller, text in ((ADA, "rent"), (BOB, "food"), (ADA, "light")):
        await call(pipeline, caller, "enter", text=text)
    assert (await call(pipeline, ADA, "count_entries"))["count"] == 2
    assert (await call(pipeline, BOB, "count_entries"))["count"] == 1


async def test_callers_who_share_connections_never_see_rows_of_another(source: RowLevelPool) -> None:
    pipeline = served(source)
    await call(pipeline, ADA, "enter", text="rent")
    callers = [ADA, BOB, None] * 20
    counts = await asyncio.gather(*(call(pipeline, caller, "count_entries") for caller in callers))
    assert [each["count"] for each in counts] == [1, 0, 0] * 20


async def test_without_a_proven_caller_no_row_is_seen(source: RowLevelPool) -> None:
    pipeline = served(source)
    await call(pipeline, ADA, "enter", text="rent")
    assert (await call(pipeline, None, "count_entries"))["count"] == 0
    assert await source.fetch("SELECT * FROM entries") == []


async def test_a_cached_operation_has_no_caller_in_its_transactions(source: RowLevelPool) -> None:
    pipeline = served(source, is_cached=True)
    await call(pipeline, ADA, "enter", text="rent")
    assert (await call(pipeline, ADA, "count_entries"))["count"] == 0


async def test_kept_values_of_a_completion_are_listed_without_a_caller(source: RowLevelPool) -> None:
    pipeline = served(source)
    await call(pipeline, ADA, "enter", text="rent")

    async def list_texts(call: ledger.LedgerCall) -> dict[str, tuple[str, ...]]:
        return {row["text"]: () for row in await call.postgres.fetch("SELECT text FROM entries")}

    async def find_texts(_prefix: str, call: ledger.LedgerCall) -> list[str]:
        return [*await list_texts(call)]

    async def complete(completion: Completion[Any], caller: Caller) -> Any:
        (operation,) = complete_members("enter", [completion], 5_000, ()).values()
        answer = await pipeline.answer(pipeline.receive(pipeline.bind(operation), {"prefix": ""}).by(caller))
        return answer.body["values"]

    kept = Completion(member="kept", handler=list_texts, ttl_s=60)
    assert await complete(kept, ADA) == []
    found = Completion(member="found", handler=find_texts)
    assert [await complete(found, caller) for caller in (ADA, BOB)] == [["rent"], []]


async def test_kept_values_of_a_completion_cannot_depend_on_the_caller(source: RowLevelPool) -> None:
    async def list_names(call: ledger.LedgerCall) -> dict[str, tuple[str, ...]]:
        return {call.caller.name if call.caller else "": ()}

    (operation,) = complete_members(
        "enter", [Completion(member="name", handler=list_names, ttl_s=60)], 5_000, ()
    ).values()
    pipeline = served(source)
    with capture_logs() as records:
        answer = await pipeline.answer(pipeline.receive(pipeline.bind(operation), {"prefix": ""}).by(ADA))
    assert answer.is_error
    assert [record.getMessage() for record in records if record.levelname == "ERROR"] == [
        (
            "completion/complete enter name uses its caller, and its values are kept for all callers; "
            'remove "ttl_s" from the completion in the contract, or let the handler answer all alike'
        )
    ]


async def test_reads_stay_reads(source: RowLevelPool) -> None:
    reads = source.as_seen_by(ADA).reading("it reads alone")
    assert await reads.fetch("SELECT text FROM entries") == []
    with pytest.raises(UndeclaredEffect):
        await reads.fetch("INSERT INTO entries (text, amount) VALUES ('a', 1)")


async def test_claims_hold_until_the_end_of_a_transaction_and_not_beyond(source: RowLevelPool) -> None:
    name = "SELECT current_setting('request.jwt.claims', true) AS claims"
    async with source.as_seen_by(Caller(subject="o'neil; --")).transaction() as statements:
        for _ in range(2):
            assert await statements.fetch(name) == [{"claims": '{"sub":"o\'neil; --"}'}]
    assert {row["claims"] for _ in range(3) for row in await source.fetch(name)} <= {"", None}


def test_claims_of_the_record_take_precedence() -> None:
    claims = {"sub": "forged", "role": "analyst", "exp": 7}
    caller = Caller(issuer="https://id", subject="ada", client="app", scopes=frozenset({"b", "a"}), claims=claims)
    assert list_claims(caller) == {
        "iss": "https://id", "sub": "ada", "client_id": "app", "scope": "a b", "role": "analyst", "exp": 7,
    }  # fmt: skip
    assert list_claims(None) == {}


async def test_claims_are_those_of_the_token_also_if_few_programs_can_hold_them(source: RowLevelPool) -> None:
    caller = Caller(subject="ada", claims={"tenant": 2**70, "name": "\ud800"})
    rows = await source.as_seen_by(caller).fetch("SELECT current_setting('request.jwt.claims', true) AS claims")
    assert rows == [{"claims": f'{{"tenant":{2**70},"name":"\\ud800","sub":"ada"}}'}]
