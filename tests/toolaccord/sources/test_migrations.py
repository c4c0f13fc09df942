"""Migrations against a real PostgreSQL."""

import asyncio
import os
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path

import asyncpg
import pytest

from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources.postgresql.migration_files import EditedMigrationError, Migration, MigrationError
from toolaccord.sources.postgresql.migrations import LOCK, Schema, apply_migrations, try_migrations

FIRST = Migration("shop", "0001_first.sql", "CREATE TABLE first (id int);\nINSERT INTO first VALUES (1)")
SECOND = Migration("shop", "0002_second.sql", "CREATE TABLE second (id int)")
INDEX = Migration(
    "shop",
    "0003_index.sql",
    "-- toolaccord: no transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS first_by_id ON first (id);\n",
)
BEFORE_SYSTEMS = """
CREATE TABLE schema_migrations (
    name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
)
"""


@pytest.fixture
async def database(empty_postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection: asyncpg.Connection = await asyncpg.connect(empty_postgres_url)
    yield connection
    await connection.close()


@pytest.fixture
def url(empty_postgres_url: str) -> str:
    return empty_postgres_url


async def has_table(database: asyncpg.Connection, name: str) -> bool:
    return await database.fetchval("SELECT to_regclass($1)", name) is not None


def write(folder: Path, **texts: str) -> Schema:
    for name, text in texts.items():
        (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    return Schema("shop", folder)


async def test_only_what_is_missing_is_applied(url: str, database: asyncpg.Connection) -> None:
    assert await apply_migrations(url, [FIRST]) == (FIRST,)
    assert await apply_migrations(url, [FIRST, SECOND]) == (SECOND,)
    assert await apply_migrations(url, [FIRST, SECOND]) == ()
    assert await database.fetchval("SELECT count(*) FROM first") == 1


@pytest.mark.parametrize("text", ["", " \n", "-- Nothing to do yet.", ";"])
async def test_a_file_without_a_statement_is_a_step_that_does_nothing(url: str, text: str) -> None:
    step = Migration("shop", "0001_nothing.sql", text)
    assert await try_migrations(url, [step]) == (step,)
    assert await apply_migrations(url, [step]) == (step,)
    assert await apply_migrations(url, [step]) == ()


async def test_of_many_who_migrate_at_once_each_step_is_applied_by_one(url: str, database: asyncpg.Connection) -> None:
    slow = Migration("shop", "0004_slow.sql", "SELECT pg_sleep(0.05); CREATE TABLE slow (id int)")
    steps = [FIRST, SECOND, INDEX, slow]
    async with asyncio.timeout(PATIENCE_S):
        applied = await asyncio.gather(*(apply_migrations(url, steps) for _ in range(8)))
    assert sorted((step for several in applied for step in several), key=str) == steps
    assert await database.fetchval("SELECT count(*) FROM first") == 1


async def test_a_step_that_was_edited_after_it_was_applied_is_refused(url: str, database: asyncpg.Connection) -> None:
    await apply_migrations(url, [FIRST])
    edited = Migration(FIRST.system, FIRST.name, FIRST.sql + "\n-- harmless")
    with pytest.raises(EditedMigrationError, match=r"shop/0001_first\.sql was edited"):
        await apply_migrations(url, [edited, SECOND])
    assert not await has_table(database, "second")


async def test_the_ends_of_lines_do_not_make_a_step_another(url: str) -> None:
    await apply_migrations(url, [FIRST])
    assert await apply_migrations(url, [Migration(FIRST.system, FIRST.name, FIRST.sql.replace("\n", "\r\n"))]) == ()


async def test_of_a_step_that_fails_nothing_stays_and_the_steps_before_it_do(
    url: str, database: asyncpg.Connection
) -> None:
    broken = Migration("shop", "0002_broken.sql", "CREATE TABLE half (id int); SELECT 1 / 0")
    with pytest.raises(MigrationError, match=r"shop/0002_broken\.sql failed, and was rolled back: division by zero"):
        await apply_migrations(url, [FIRST, broken])
    assert not await has_table(database, "half")
    assert await apply_migrations(url, [FIRST, SECOND]) == (SECOND,)


async def test_an_error_of_syntax_or_of_a_name_is_at_its_line(url: str) -> None:
    for sql, fault in (
        ("CREATE TABLE\n  half (id int);\nCREATE TABEL x", "TABEL"),
        ("\nSELECT * FROM\nnowhere", "nowhere"),
    ):
        broken = Migration("shop", "0002_broken.sql", sql)
        with pytest.raises(MigrationError, match=rf"^shop/0002_broken\.sql:3 failed, .*{fault}"):
            await apply_migrations(url, [broken])
        with pytest.raises(MigrationError, match=rf"^shop/0002_broken\.sql:3 would fail: .*{fault}"):
            await try_migrations(url, [broken])


async def test_what_was_applied_before_a_lost_connection_is_reported(url: str, database: asyncpg.Connection) -> None:
    lost = Migration(
        "shop", "0002_lost.sql", "CREATE TABLE half (id int); SELECT pg_terminate_backend(pg_backend_pid())"
    )
    reported: list[Migration] = []
    with pytest.raises(MigrationError, match=r"lost\.sql would fail: .*terminating connection"):
        await try_migrations(url, [FIRST, lost])
    with pytest.raises(MigrationError, match=r"lost\.sql failed, and was rolled back: .*terminating connection"):
        await apply_migrations(url, [FIRST, lost, SECOND], reported.append)
    assert reported == [FIRST]
    assert [await has_table(database, name) for name in ("first", "half", "second")] == [True, False, False]


async def test_what_a_step_sets_for_its_session_ends_with_it(url: str, database: asyncpg.Connection) -> None:
    dump = "SELECT pg_catalog.set_config('search_path', '', false); CREATE TABLE public.dumped (id int)"
    steps = [
        Migration("shop", "0001_dump.sql", dump),
        Migration("shop", "0002_role.sql", "SET ROLE pg_monitor"),
        SECOND,
    ]
    assert await try_migrations(url, steps) == tuple(steps)
    assert await apply_migrations(url, steps) == tuple(steps)
    assert await has_table(database, "public.second")


def test_a_file_is_utf_8_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    schema = write(tmp_path, marked="\ufeffSELECT 1")
    assert [step.sql for step in schema.read_migrations()] == ["SELECT 1"]
    (tmp_path / "old.sql").write_bytes("-- café".encode("latin-1"))
    with pytest.raises(MigrationError, match=r"^shop/old\.sql is not UTF-8: save it as UTF-8\.$"):
        schema.read_migrations()


async def test_systems_that_share_a_database_may_have_files_of_one_name(url: str, database: asyncpg.Connection) -> None:
    other = Migration("library", FIRST.name, "CREATE TABLE others (id int)")
    assert await apply_migrations(url, [FIRST]) == (FIRST,)
    assert await apply_migrations(url, [other]) == (other,)
    rows = await database.fetch("SELECT system, name FROM toolaccord_migrations ORDER BY system")
    assert [tuple(row) for row in rows] == [("library", FIRST.name), ("shop", FIRST.name)]


async def record_before_systems(database: asyncpg.Connection, *steps: Migration) -> None:
    """Apply *steps* as toolaccord did before its record kept systems apart."""
    await database.execute(BEFORE_SYSTEMS)
    for step in steps:
        await database.execute(step.sql)
        await database.execute("INSERT INTO schema_migrations VALUES ($1, $2)", step.name, step.checksum)


async def test_each_system_takes_its_steps_from_the_record_before_systems(
    url: str, database: asyncpg.Connection
) -> None:
    other = Migration("library", "0001_books.sql", "CREATE TABLE books (id int)")
    await record_before_systems(database, FIRST, other)
    assert await apply_migrations(url, [FIRST, SECOND]) == (SECOND,)
    assert await database.fetchval("SELECT array_agg(name) FROM schema_migrations") == [other.name]
    assert await apply_migrations(url, [other]) == ()
    assert not await has_table(database, "schema_migrations")


async def test_a_step_in_the_record_before_systems_is_refused_after_an_edit_and_stays_where_it_is(
    url: str, database: asyncpg.Connection
) -> None:
    await record_before_systems(database, FIRST)
    with pytest.raises(EditedMigrationError, match=r"library/0001_first\.sql was edited"):
        await apply_migrations(url, [Migration("library", FIRST.name, "SELECT 1")])
    assert await apply_migrations(url, [FIRST]) == ()


async def test_a_record_of_another_tool_stays_as_it_is(url: str, database: asyncpg.Connection) -> None:
    await database.execute("CREATE TABLE schema_migrations (version bigint PRIMARY KEY, dirty boolean)")
    await database.execute("INSERT INTO schema_migrations VALUES (7, false)")
    assert await apply_migrations(url, [FIRST]) == (FIRST,)
    assert await database.fetchval("SELECT version FROM schema_migrations") == 7


async def test_a_trial_runs_the_steps_and_changes_nothing(url: str, database: asyncpg.Connection) -> None:
    await record_before_systems(database, FIRST)
    needs_second = Migration("shop", "0004_more.sql", "INSERT INTO second VALUES (1)")
    assert await try_migrations(url, [FIRST, SECOND, INDEX, needs_second]) == (SECOND, INDEX, needs_second)
    assert not await has_table(database, "second")
    assert not await has_table(database, "toolaccord_migrations")
    assert await apply_migrations(url, [FIRST, SECOND]) == (SECOND,)


async def test_a_trial_checks_what_only_a_commit_would(url: str) -> None:
    deferred = "CREATE TABLE child (parent int REFERENCES first_key DEFERRABLE INITIALLY DEFERRED)"
    step = Migration(
        "shop",
        "0001_child.sql",
        f"CREATE TABLE first_key (id int PRIMARY KEY); {deferred}; INSERT INTO child VALUES (1)",
    )
    with pytest.raises(MigrationError, match=r"shop/0001_child\.sql would fail: .*foreign key"):
        await try_migrations(url, [step])


async def test_an_index_is_built_concurrently_in_a_file_without_transaction(
    url: str, database: asyncpg.Connection
) -> None:
    assert await apply_migrations(url, [FIRST, INDEX]) == (FIRST, INDEX)
    assert await apply_migrations(url, [FIRST, INDEX]) == ()
    assert await has_table(database, "first_by_id")
    assert await database.fetchval("SELECT pg_try_advisory_lock($1)", LOCK) is True


async def wait_for_statement(watcher: asyncpg.Connection, part: str) -> None:
    """Return when another session runs a statement with *part*, or has run it last."""
    running = (
        "SELECT count(*) FROM pg_stat_activity WHERE query ILIKE $1 AND datname = current_database() AND pid <> $2"
    )
    async with asyncio.timeout(PATIENCE_S):
        while not await watcher.fetchval(running, f"%{part}%", watcher.get_server_pid()):
            pass


async def test_who_waits_for_the_builder_of_an_index_does_not_block_it(url: str, database: asyncpg.Connection) -> None:
    await apply_migrations(url, [FIRST])
    writer: asyncpg.Connection = await asyncpg.connect(url)
    async with asyncio.timeout(PATIENCE_S):
        async with writer.transaction():
            await writer.execute("INSERT INTO first VALUES (2)")  # keeps the builder waiting
            builder = asyncio.create_task(apply_migrations(url, [FIRST, INDEX]))
            await wait_for_statement(database, "INDEX CONCURRENTLY")
            waiting = asyncio.create_task(apply_migrations(url, [FIRST, INDEX]))
            await wait_for_statement(database, "advisory")
        await writer.close()
        assert (await builder, await waiting) == ((INDEX,), ())


async def test_an_index_that_failed_is_not_recorded_before_it_is_dropped_and_built(
    url: str, database: asyncpg.Connection
) -> None:
    await apply_migrations(url, [FIRST])
    await database.execute("INSERT INTO first VALUES (1)")  # the index is unique
    with pytest.raises(MigrationError, match="ran outside a transaction, so a part may be in place: could not create"):
        await apply_migrations(url, [FIRST, INDEX])
    with pytest.raises(MigrationError, match="run DROP INDEX CONCURRENTLY first_by_id, and migrate again"):
        await apply_migrations(url, [FIRST, INDEX])
    await database.execute("DROP INDEX CONCURRENTLY first_by_id")
    await database.execute("DELETE FROM first")
    assert await apply_migrations(url, [FIRST, INDEX]) == (INDEX,)


@pytest.mark.parametrize("ending", ["COMMIT;", "SELECT 1; rollback;", "/* so; */ Begin; SELECT 1"])
def test_a_file_that_ends_its_transaction_itself_is_refused(tmp_path: Path, ending: str) -> None:
    with pytest.raises(MigrationError, match=r"shop/1\.sql has the command \w+: each file is one transaction"):
        write(tmp_path, **{"1": ending}).read_migrations()


def test_a_file_without_transaction_holds_one_statement(tmp_path: Path) -> None:
    two = "-- toolaccord: no transaction\nDROP INDEX CONCURRENTLY a;\nDROP INDEX CONCURRENTLY b;"
    with pytest.raises(MigrationError, match=r"shop/1\.sql has several statements"):
        write(tmp_path, **{"1": two}).read_migrations()


async def test_words_in_functions_texts_and_comments_are_no_commands(tmp_path: Path, url: str) -> None:
    function = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $x$ BEGIN RETURN 1; COMMIT; END $x$;\n"
    text = f"-- ; COMMIT\n{function} SELECT '; ROLLBACK'; SAVEPOINT a; ROLLBACK TO a;"
    (step,) = await write(tmp_path, **{"1": text}).migrate(url)
    assert step.name == "1.sql"


def test_a_named_pipe_among_the_migrations_is_named_and_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "0001_a.sql")
    with pytest.raises(MigrationError, match=r"shop/0001_a\.sql is no file: remove it"):
        Schema("shop", tmp_path).read_migrations()


def test_a_system_without_the_folder_of_its_migrations_names_it(tmp_path: Path) -> None:
    with pytest.raises(MigrationError, match=r"shop has no migrations: there is no folder .*/nowhere"):
        Schema("shop", tmp_path / "nowhere").read_migrations()


async def test_the_library_installs_the_table_of_idempotency_keys_first(
    tmp_path: Path, url: str, database: asyncpg.Connection
) -> None:
    write(tmp_path, **{"1": "CREATE VIEW keys AS SELECT key FROM idempotency_keys"})
    applied = await Schema("shop", tmp_path, keeps_idempotency_keys=True).migrate(url)
    assert [str(step) for step in applied] == ["@toolaccord/0001_idempotency_keys.sql", "shop/1.sql"]
    with pytest.raises(asyncpg.NotNullViolationError):
        await database.execute("INSERT INTO idempotency_keys VALUES ('a', 'b', 'c', 'd', now())")


async def test_a_table_of_idempotency_keys_from_before_the_library_installed_it_is_recognised(
    tmp_path: Path, url: str, database: asyncpg.Connection
) -> None:
    sql = files("toolaccord.sources.postgresql") / "sql/0001_idempotency_keys.sql"
    older = Migration("tradestream", "0002_idempotency.sql", sql.read_text(encoding="utf-8"))
    await record_before_systems(database, older)
    await database.execute("INSERT INTO idempotency_keys VALUES ('a', 'b', 'c', 'd', now(), '{}')")
    schema = Schema("tradestream", tmp_path, keeps_idempotency_keys=True)
    assert [str(step) for step in await schema.migrate(url)] == ["@toolaccord/0001_idempotency_keys.sql"]
    assert await database.fetchval("SELECT count(*) FROM idempotency_keys") == 1
    assert await schema.migrate(url) == ()
