"""Application of migrations: each step once, whoever applies it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from toolaccord.sources.postgresql.migration_files import EditedMigrationError, Migration, MigrationError, read_folder
from toolaccord.sources.postgresql.pool_mode import split_pool_mode

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.transaction import Transaction

LIBRARY = "@toolaccord"
"""The name under which the library's own migrations are recorded; no system can have it."""
CONNECT_TIMEOUT_S = 5.0
LOCK = 7_221_190_144_001
"""The advisory lock of processes that migrate the database; an arbitrary number."""
_LOCK_POLL_S = 0.1

_FIND_RECORD = "SELECT to_regclass('toolaccord_migrations') IS NOT NULL"
_CREATE_RECORD = """
CREATE TABLE IF NOT EXISTS toolaccord_migrations (
    system text NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (system, name)
)
"""
_FIND_OLD_RECORD = """
SELECT count(*) = 3 FROM pg_attribute
WHERE attrelid = to_regclass('schema_migrations') AND attname IN ('name', 'checksum', 'applied_at')
"""
"""True for the record of earlier versions, which did not keep systems apart."""
_ADOPT = """
WITH found AS (DELETE FROM schema_migrations WHERE name = ANY($2) RETURNING name, checksum, applied_at)
INSERT INTO toolaccord_migrations (system, name, checksum, applied_at) SELECT $1, * FROM found ON CONFLICT DO NOTHING
"""
_RESET = "RESET SESSION AUTHORIZATION; RESET ALL"
"""Ends what a step has set: a dump empties the search path, in which the record is."""
_FIND_INVALID_INDEXES = "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid"


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of a system's servers."""

    system: str
    folder: Traversable
    """The folder of the system's SQL files."""
    keeps_idempotency_keys: bool = False
    """True if a server stores idempotency keys here, so that the library installs their table."""

    @property
    def has_migrations(self) -> bool:
        """Return True if the library has tables here, or the system a folder of SQL files."""
        return self.keeps_idempotency_keys or self.folder.is_dir()

    def read_migrations(self) -> tuple[Migration, ...]:
        """Return the migrations in order: those of the library, then those of the system.

        Raises MigrationError.
        """
        library = read_folder(LIBRARY, files(__package__) / "sql") if self.keeps_idempotency_keys else ()
        if not self.folder.is_dir():
            if library:
                return library
            raise MigrationError(f"{self.system} has no migrations: there is no folder {self.folder}.")
        return (*library, *read_folder(self.system, self.folder))

    async def migrate(self, url: str) -> tuple[Migration, ...]:
        """Apply the migrations to the database at *url*, as `apply_migrations` does."""
        return await apply_migrations(url, self.read_migrations())


async def apply_migrations(
    url: str, steps: Sequence[Migration], on_applied: Callable[[Migration], None] = lambda _: None
) -> tuple[Migration, ...]:
    """Apply to the database at *url* those *steps* that it lacks, and return them.

    Each is one transaction, so that whatever fails leaves the steps before it, whole; *on_applied* has been called for
    them. Any number of processes may do this at once: one works, the others wait and find it done. Raises
    MigrationError, EditedMigrationError if an applied step has changed, and OSError or TimeoutError if the database
    does not answer.
    """
    applied = []
    async with connect(url) as connection:
        if await _find_missing(connection, steps) or await connection.fetchval(_FIND_OLD_RECORD):
            async with locked_transaction(connection):
                await _open_record(connection, steps)
        for step in await _find_missing(connection, steps):
            if await _apply(connection, step):
                applied.append(step)
                on_applied(step)
    return tuple(applied)


async def try_migrations(url: str, steps: Sequence[Migration]) -> tuple[Migration, ...]:
    """Return the missing ones of *steps*, after a trial that is rolled back.

    Those that run outside a transaction are not tried. Raises as `apply_migrations` does.
    """
    async with connect(url) as connection:
        trial = await _start_locked(connection)
        try:
            await _open_record(connection, steps)
            missing = await _find_missing(connection, steps)
            for step in missing:
                if step.is_transactional:
                    await _try(connection, step)
            return missing
        finally:
            await _roll_back(connection, trial)


async def _try(connection: asyncpg.Connection, step: Migration) -> None:
    """Run *step* with the checks that its commit would make. Raises MigrationError."""
    import asyncpg  # noqa: PLC0415 - takes 80 ms to load

    try:
        # In one text, since asyncpg cannot run one without a statement, such as an empty file.
        await connection.execute(f"{step.sql}\n; SET CONSTRAINTS ALL IMMEDIATE; {_RESET}")
    except asyncpg.PostgresError as exc:
        raise MigrationError(f"{_locate(step, exc)} would fail: {exc}") from exc


@asynccontextmanager
async def connect(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Open a connection to the database at *url*, and close it. Raises OSError or TimeoutError."""
    import asyncpg  # noqa: PLC0415 - takes 80 ms to load

    address, is_pooled = split_pool_mode(url)
    if is_pooled:
        raise MigrationError("Migrations need locks of a session: give the URL of PostgreSQL itself, not of a pooler.")
    connection: asyncpg.Connection = await asyncpg.connect(address, timeout=CONNECT_TIMEOUT_S)
    try:
        yield connection
    finally:
        await connection.close()


async def _start_locked(connection: asyncpg.Connection) -> Transaction:
    """Start a transaction that holds the lock.

    Nobody waits within a transaction: the holder's CREATE INDEX CONCURRENTLY would wait for it in turn.
    """
    while True:
        transaction = connection.transaction()
        await transaction.start()
        if await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", LOCK):
            return transaction
        await transaction.rollback()
        await asyncio.sleep(_LOCK_POLL_S)


@asynccontextmanager
async def locked_transaction(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Hold the lock in a transaction, which is committed at the end."""
    transaction = await _start_locked(connection)
    try:
        yield
    except BaseException:
        await _roll_back(connection, transaction)
        raise
    await transaction.commit()


async def _roll_back(connection: asyncpg.Connection, transaction: Transaction) -> None:
    """Roll back; PostgreSQL has done so if the connection is lost."""
    if not connection.is_closed():
        await transaction.rollback()


@asynccontextmanager
async def _locked_session(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Hold the lock outside a transaction."""
    while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", LOCK):  # noqa: ASYNC110 - of another process
        await asyncio.sleep(_LOCK_POLL_S)
    try:
        yield
    finally:
        if not connection.is_closed():
            await connection.execute("SELECT pg_advisory_unlock($1)", LOCK)


async def _open_record(connection: asyncpg.Connection, steps: Sequence[Migration]) -> None:
    """Create the record if it is missing, and move into it what an older one has of *steps*.

    Raises EditedMigrationError.
    """
    await connection.execute(_CREATE_RECORD)
    if await connection.fetchval(_FIND_OLD_RECORD):
        for system in {step.system for step in steps}:
            await connection.execute(_ADOPT, system, [step.name for step in steps if step.system == system])
        if not await connection.fetchval("SELECT count(*) FROM schema_migrations"):
            await connection.execute("DROP TABLE schema_migrations")
        await _find_missing(connection, steps)  # a step of another system with the same name stays with it


async def _find_missing(connection: asyncpg.Connection, steps: Sequence[Migration]) -> tuple[Migration, ...]:
    """Return those of *steps* that are not recorded. Raises EditedMigrationError."""
    if not await connection.fetchval(_FIND_RECORD):
        return tuple(steps)
    rows = await connection.fetch("SELECT system, name, checksum FROM toolaccord_migrations")
    recorded = {(row["system"], row["name"]): row["checksum"] for row in rows}
    for step in steps:
        if recorded.get((step.system, step.name), step.checksum) != step.checksum:
            raise EditedMigrationError(f"{step} was edited after it had been applied; undo that, and add a new file.")
    return tuple(step for step in steps if (step.system, step.name) not in recorded)


async def _apply(connection: asyncpg.Connection, step: Migration) -> bool:
    """Apply *step*; return False if another process was faster. Raises MigrationError."""
    import asyncpg  # noqa: PLC0415 - takes 80 ms to load

    lock = locked_transaction if step.is_transactional else _locked_session
    try:
        async with lock(connection):
            if not await _find_missing(connection, [step]):
                return False
            text = f"{step.sql}\n; {_RESET}"
            await (connection.execute(text) if step.is_transactional else _run_alone(connection, step))
            await connection.execute(_RESET)
            record = "INSERT INTO toolaccord_migrations (system, name, checksum) VALUES ($1, $2, $3)"
            await connection.execute(record, step.system, step.name, step.checksum)
            return True
    except asyncpg.PostgresError as exc:
        outcome = "was rolled back" if step.is_transactional else "ran outside a transaction, so a part may be in place"
        raise MigrationError(f"{_locate(step, exc)} failed, and {outcome}: {exc}") from exc


def _locate(step: Migration, error: asyncpg.PostgresError) -> str:
    """Return the name of *step*, with the line of an *error* that has a place in its text."""
    if not error.position:
        return str(step)
    return f"{step}:{step.sql.count(chr(10), 0, int(error.position) - 1) + 1}"


async def _run_alone(connection: asyncpg.Connection, step: Migration) -> None:
    """Run the one statement of *step* outside a transaction.

    It is recorded after its success alone. So it must be such that it can run again, after a failure or a kill.
    Raises MigrationError if it leaves an index invalid, as a failed CREATE INDEX CONCURRENTLY does.
    """
    await connection.fetch(step.sql)  # as a prepared statement, which PostgreSQL runs in no transaction of its own
    invalid = [row["name"] for row in await connection.fetch(_FIND_INVALID_INDEXES) if row["name"] in step.sql]
    if invalid:
        raise MigrationError(
            f"{step} left the index {invalid[0]} invalid, or found it so; "
            f"run DROP INDEX CONCURRENTLY {invalid[0]}, and migrate again."
        )
