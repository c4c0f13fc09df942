"""PostgreSQL behind a real PgBouncer of transactions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.services.fetched import fetched
from tests.services.pgbouncer import pooling
from toolaccord import Caller
from toolaccord.errors import UndeclaredEffect
from toolaccord.sources.addresses import find_address_error
from toolaccord.sources.postgresql import Postgresql, PostgresqlError, PostgresqlSource
from toolaccord.sources.postgresql.migration_files import MigrationError
from toolaccord.sources.postgresql.migrations import apply_migrations
from toolaccord.sources.postgresql.pool_mode import split_pool_mode
from toolaccord.timing.clock import SystemClock


@pytest.fixture
def pooled_url(empty_postgres_url: str, tmp_path: Path) -> Iterator[str]:
    """The URL of a pooler with two connections of PostgreSQL for all who connect."""
    tmp_path.chmod(0o755)
    with pooling(fetched("pgbouncer"), tmp_path, empty_postgres_url, connections=2) as url:
        yield url


def open_source(url: str, parameter: str | None = None) -> Postgresql:
    declared = PostgresqlSource(name="postgres", url="url", max_connections=8, caller_parameter=parameter)
    return declared.open({"url": url}, SystemClock())


@pytest.fixture
async def source(pooled_url: str) -> AsyncIterator[Postgresql]:
    opened = open_source(pooled_url)
    yield opened
    await opened.close()


async def test_many_statements_at_once_share_few_connections(source: Postgresql) -> None:
    await source.fetch("CREATE TABLE items (id integer PRIMARY KEY, data jsonb NOT NULL)")

    async def add(number: int) -> int:
        await source.fetch("INSERT INTO items VALUES ($1, $2)", number, {"n": number})
        row = await source.fetch_one("SELECT data, pg_sleep(0.001) FROM items WHERE id = $1", number)
        assert row
        found: int = row["data"]["n"]
        return found

    assert await asyncio.gather(*map(add, range(200))) == list(range(200))


async def test_a_transaction_keeps_its_connection(source: Postgresql) -> None:
    async def find_processes() -> set[int]:
        async with source.transaction() as statements:
            rows = [await statements.fetch("SELECT pg_backend_pid() AS pid, pg_sleep(0.001)") for _ in range(5)]
            return {row["pid"] for (row,) in rows}

    for found in await asyncio.gather(*(find_processes() for _ in range(20))):
        assert len(found) == 1


async def test_reads_are_protected_behind_a_pooler_too(source: Postgresql) -> None:
    reads = source.reading("it reads alone")  # type: ignore[attr-defined]
    assert await reads.fetch("SELECT 1 AS one") == [{"one": 1}]
    with pytest.raises(UndeclaredEffect):
        await reads.fetch("CREATE TABLE items ()")


async def test_a_failed_transaction_leaves_nothing_to_others(source: Postgresql) -> None:
    with pytest.raises(PostgresqlError):
        await source.fetch("SELECT 1 / 0")
    for _ in range(10):
        assert await source.fetch("SELECT 1 AS one") == [{"one": 1}]


async def test_claims_of_callers_stay_in_their_transactions(pooled_url: str) -> None:
    source = open_source(pooled_url, "request.jwt.claims")

    async def find_claims(number: int) -> str:
        seen = source.as_seen_by(Caller(subject=str(number)))  # type: ignore[attr-defined]
        found = "current_setting('request.jwt.claims')::json ->> 'sub'"
        row = await seen.fetch_one(f"SELECT {found} AS sub, pg_sleep(0.001)")
        subject: str = row["sub"]
        return subject

    try:
        assert await asyncio.gather(*map(find_claims, range(50))) == [str(number) for number in range(50)]
    finally:
        await source.close()


async def test_a_cancelled_transaction_leaves_nothing_to_others(pooled_url: str, empty_postgres_url: str) -> None:
    async with AsyncExitStack() as stack:
        source, direct = open_source(pooled_url, "request.jwt.claims"), open_source(empty_postgres_url)
        for each in (source, direct):
            stack.push_async_callback(each.close)
        await direct.fetch("CREATE TABLE items (id integer)")

        async def insert(number: int) -> None:
            async with source.as_seen_by(Caller(subject="ada")).transaction() as statements:  # type: ignore[attr-defined]
                await statements.fetch("INSERT INTO items VALUES ($1)", number)
                await statements.fetch("SELECT pg_sleep(3600)")

        sleeping = (
            "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
        )
        for _ in range(3):
            tasks = [asyncio.create_task(insert(number)) for number in range(2)]
            while await direct.fetch(sleeping) != [{"n": 2}]:
                pass
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            found = (
                "SELECT current_setting('request.jwt.claims', true) AS claims, (SELECT count(*) FROM items) AS items"
            )
            rows = await asyncio.gather(*(source.fetch_one(found) for _ in range(8)))
            assert all(row == {"claims": "", "items": 0} for row in rows)


async def test_migrations_reject_a_pooler_of_transactions(pooled_url: str) -> None:
    with pytest.raises(MigrationError, match="give the URL of PostgreSQL itself"):
        await apply_migrations(pooled_url, ())


@pytest.mark.parametrize(
    "url, expected",
    [
        ("postgresql://a/b", ("postgresql://a/b", False)),
        ("postgresql://a/b?pool_mode=session", ("postgresql://a/b", False)),
        ("postgresql://a/b?x=1&pool_mode=transaction&y=", ("postgresql://a/b?x=1&y=", True)),
    ],
)
def test_the_mode_is_no_parameter_of_postgresql(url: str, expected: tuple[str, bool]) -> None:
    assert split_pool_mode(url) == expected


def test_another_mode_is_an_error_of_the_setting() -> None:
    error = find_address_error("postgresql", "postgresql://a/b?pool_mode=statement")
    assert error == "must have pool_mode=session or pool_mode=transaction, or no pool_mode"
