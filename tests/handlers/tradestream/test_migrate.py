import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from handlers.postgresql.migrations import EditedMigrationError, Migration, MigrationError, apply_migrations
from handlers.tradestream.migrate import SCHEMA

FIRST = Migration("0001_first.sql", "CREATE TABLE first (id int);\nINSERT INTO first VALUES (1)")
SECOND = Migration("0002_second.sql", "CREATE TABLE second (id int)")

ID = "11111111-1111-4111-8111-111111111111"
SPEC = {
    "name": "NEW",
    "indicators": "[]",
    "entry_conditions": "[]",
    "exit_conditions": "[]",
    "parameters": "[]",
    "source": "CANONICAL",
}
IMPLEMENTATION = {"spec_id": ID, "symbol": "ETH/USD", "parameters": "{}"}
MONTH = {
    "strategy_id": ID,
    "period_start": "2026-10-01",
    "period_end": "2026-10-31",
    "signals_count": "5",
    "accuracy": "0.5",
    "sharpe": "1.5",
    "total_return": "0.1",
}
SIGNAL = {
    "strategy_id": ID,
    "symbol": "ETH/USD",
    "signal": "BUY",
    "confidence": "0.5",
    "price": "100",
    "parameters": "{}",
}


@pytest.fixture
async def database(empty_postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection: asyncpg.Connection = await asyncpg.connect(empty_postgres_url)
    yield connection
    await connection.close()


async def test_a_second_run_finds_nothing_to_do(empty_postgres_url: str) -> None:
    assert await SCHEMA.migrate(empty_postgres_url) == tuple(step.name for step in SCHEMA.read_migrations())
    assert await SCHEMA.migrate(empty_postgres_url) == ()


async def test_only_what_is_missing_is_applied(empty_postgres_url: str, database: asyncpg.Connection) -> None:
    await apply_migrations(empty_postgres_url, [FIRST])
    assert await apply_migrations(empty_postgres_url, [FIRST, SECOND]) == (SECOND.name,)
    assert await database.fetchval("SELECT count(*) FROM first") == 1


async def test_of_many_who_migrate_at_once_each_step_is_applied_by_one(
    empty_postgres_url: str, database: asyncpg.Connection
) -> None:
    slow = Migration("0003_slow.sql", "SELECT pg_sleep(0.05); CREATE TABLE slow (id int)")
    applied = await asyncio.gather(*(apply_migrations(empty_postgres_url, [FIRST, SECOND, slow]) for _ in range(8)))
    assert sorted(name for names in applied for name in names) == [FIRST.name, SECOND.name, slow.name]
    assert await database.fetchval("SELECT count(*) FROM first") == 1


def test_two_processes_may_migrate_at_once(empty_postgres_url: str) -> None:
    environment = os.environ | {"DATABASE_URL": empty_postgres_url}
    command = [sys.executable, "-m", "handlers.tradestream.migrate"]
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    for step in SCHEMA.read_migrations():
        assert "".join(outputs).count(f"applied {step.name}") == 1


async def test_a_step_that_was_edited_after_it_was_applied_is_refused(
    empty_postgres_url: str, database: asyncpg.Connection
) -> None:
    await apply_migrations(empty_postgres_url, [FIRST])
    edited = Migration(FIRST.name, FIRST.sql + "\n-- harmless")
    with pytest.raises(EditedMigrationError, match=r"0001_first\.sql was edited"):
        await apply_migrations(empty_postgres_url, [edited, SECOND])
    assert await database.fetchval("SELECT to_regclass('second')") is None


async def test_the_ends_of_lines_do_not_make_a_step_another(empty_postgres_url: str) -> None:
    await apply_migrations(empty_postgres_url, [FIRST])
    assert await apply_migrations(empty_postgres_url, [Migration(FIRST.name, FIRST.sql.replace("\n", "\r\n"))]) == ()


async def test_of_a_step_that_fails_nothing_stays_and_the_steps_before_it_do(
    empty_postgres_url: str, database: asyncpg.Connection
) -> None:
    broken = Migration("0002_broken.sql", "CREATE TABLE half (id int); SELECT 1 / 0")
    with pytest.raises(MigrationError, match=r"0002_broken\.sql failed, and was rolled back: division by zero"):
        await apply_migrations(empty_postgres_url, [FIRST, broken])
    assert await database.fetchval("SELECT to_regclass('half')") is None
    assert await apply_migrations(empty_postgres_url, [FIRST, SECOND]) == (SECOND.name,)


def test_the_command_prints_the_applied_migrations(
    empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", empty_postgres_url)
    assert (SCHEMA.main(), SCHEMA.main()) == (0, 0)
    *applied, nothing = capsys.readouterr().out.splitlines()
    assert applied == [f"applied {step.name}" for step in SCHEMA.read_migrations()]
    assert nothing == f"nothing to do: all {len(SCHEMA.read_migrations())} migrations are in place"


def test_the_command_names_the_setting_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert SCHEMA.main() == 2
    assert "DATABASE_URL is missing" in capsys.readouterr().err


def test_a_database_that_does_not_answer_is_one_line_without_the_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app:hidden@127.0.0.1:1/nowhere")
    assert SCHEMA.main() == 1
    message = capsys.readouterr().err
    assert message.startswith("The database that DATABASE_URL names does not answer:")
    assert "hidden" not in message


@pytest.mark.parametrize(
    "table, row",
    [
        ("strategies", {"impl_id": "00000000-0000-4000-8000-000000000000", "symbol": "ETH/USD", "name": "X"}),
        ("strategy_specs", SPEC | {"source": "MIGRATED"}),
        ("strategy_specs", SPEC | {"indicators": "{}"}),
        ("strategy_specs", SPEC | {"name": "KNOWN"}),
        ("strategy_implementations", IMPLEMENTATION | {"symbol": "eth-usd"}),
        ("strategy_implementations", IMPLEMENTATION | {"forward_sharpe": "NaN"}),
        ("strategy_implementations", IMPLEMENTATION | {"forward_accuracy": "1.5"}),
        ("strategy_implementations", IMPLEMENTATION | {"parameters": "[]"}),
        ("strategy_performance", MONTH | {"sharpe": "Infinity"}),
        ("strategy_performance", MONTH | {"accuracy": "NaN"}),
        ("strategy_performance", MONTH | {"period_end": "2026-09-30"}),
        ("strategy_performance", MONTH | {"signals_count": "-1"}),
        ("signals", SIGNAL | {"signal": "CLOSE_LONG"}),
        ("signals", SIGNAL | {"confidence": "-0.1"}),
        ("signals", SIGNAL | {"price": "NaN"}),
        ("signals", SIGNAL | {"triggered_at": "infinity"}),
    ],
)
async def test_the_schema_refuses_what_no_answer_may_hold(postgres_url: str, table: str, row: dict[str, str]) -> None:
    async with _strategy(postgres_url) as connection:
        with pytest.raises(asyncpg.IntegrityConstraintViolationError):
            await connection.execute(_insertion(table, row))


@pytest.mark.parametrize("table, row", [("strategy_performance", MONTH), ("signals", SIGNAL)])
async def test_the_schema_takes_the_same_rows_without_the_fault(
    postgres_url: str, table: str, row: dict[str, str]
) -> None:
    async with _strategy(postgres_url) as connection:
        assert await connection.execute(_insertion(table, row)) == "INSERT 0 1"


@asynccontextmanager
async def _strategy(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Yield a transaction that is rolled back, with an implementation of KNOWN and its strategy."""
    connection: asyncpg.Connection = await asyncpg.connect(url)
    transaction = connection.transaction()
    await transaction.start()
    await connection.execute(_insertion("strategy_specs", SPEC | {"name": "KNOWN", "spec_id": ID}))
    await connection.execute(_insertion("strategy_implementations", IMPLEMENTATION | {"impl_id": ID}))
    strategy = {"strategy_id": ID, "impl_id": ID, "symbol": "ETH/USD", "name": "X"}
    await connection.execute(_insertion("strategies", strategy))
    try:
        yield connection
    finally:
        await transaction.rollback()
        await connection.close()


def _insertion(table: str, row: dict[str, str]) -> str:
    values = ", ".join(f"'{value}'" for value in row.values())
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})"
