"""Migrate a database to the newest schema: `python -m handlers.tradestream.migrate`."""

import asyncio
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

import asyncpg

DATABASE_ENV = "DATABASE_URL"
CONNECT_TIMEOUT_S = 5.0
LOCK = 7_221_190_144_001
"""The advisory lock of processes that migrate the database; an arbitrary number."""

FIND_RECORD = "SELECT to_regclass('schema_migrations') IS NOT NULL"
CREATE_RECORD = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
"""


class MigrationError(Exception):
    """A migration cannot be applied; the message is for the operator."""


class EditedMigrationError(MigrationError):
    """A file was edited after it had been applied."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    name: str
    """The file's name; steps are applied in the order of their names."""
    sql: str

    @property
    def checksum(self) -> str:
        """The SHA-256 of the text, without regard to line ends."""
        return sha256("\n".join(self.sql.splitlines()).encode()).hexdigest()


def read_migrations() -> tuple[Migration, ...]:
    """Return the migrations of this package, in order."""
    folder = files("handlers.tradestream") / "migrations"
    found = (
        Migration(file.name, file.read_text(encoding="utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    )
    return tuple(sorted(found, key=lambda migration: migration.name))


async def migrate(url: str, steps: Sequence[Migration] | None = None) -> tuple[str, ...]:
    """Apply to the database at *url* those *steps* that it lacks, and return their names.

    Each is one transaction, so that whatever fails leaves the steps before it, whole. Any number of processes may do
    this at once: one works, the others wait and find it done. Raises MigrationError, EditedMigrationError if an applied
    step has changed, and OSError or TimeoutError if the database does not answer.
    """
    connection: asyncpg.Connection = await asyncpg.connect(
        url,
        timeout=CONNECT_TIMEOUT_S,
        statement_cache_size=0,  # works behind pgbouncer too
    )
    try:
        chosen = read_migrations() if steps is None else steps
        known = await _read_applied(connection)
        missing = [step for step in chosen if not _is_applied(step, known)]
        return tuple([step.name for step in missing if await _apply(connection, step)])
    finally:
        await connection.close()


async def _read_applied(connection: asyncpg.Connection) -> dict[str, str]:
    if not await connection.fetchval(FIND_RECORD):
        return {}
    return {
        row["name"]: row["checksum"] for row in await connection.fetch("SELECT name, checksum FROM schema_migrations")
    }


def _is_applied(step: Migration, known: dict[str, str]) -> bool:
    if step.name not in known:
        return False
    if known[step.name] != step.checksum:
        raise EditedMigrationError(f"{step.name} was edited after it had been applied; undo that, and add a new file.")
    return True


async def _apply(connection: asyncpg.Connection, step: Migration) -> bool:
    """Apply *step*; return False if another process has applied it before."""
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            await connection.execute(CREATE_RECORD)
            if _is_applied(step, await _read_applied(connection)):
                return False
            await connection.execute(step.sql)
            record = "INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)"
            await connection.execute(record, step.name, step.checksum)
            return True
    except asyncpg.PostgresError as exc:
        raise MigrationError(f"{step.name} failed, and was rolled back: {exc}") from exc


def main() -> int:
    """Migrate the database at DATABASE_URL; return 0, 1 for a failure, 2 without the variable."""
    url = os.environ.get(DATABASE_ENV)
    if not url:
        sys.stderr.write(f"{DATABASE_ENV} is missing: the PostgreSQL to migrate, postgresql://user@host/database.\n")
        return 2
    try:
        applied = asyncio.run(migrate(url))
    except MigrationError as exc:
        sys.stderr.write(f"{exc}\n")
        return 1
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as exc:
        sys.stderr.write(f"The database that {DATABASE_ENV} names does not answer: {str(exc) or type(exc).__name__}\n")
        return 1
    _print_applied(applied)
    return 0


def _print_applied(applied: Iterable[str]) -> None:
    lines = [f"applied {name}" for name in applied] or [
        f"nothing to do: all {len(read_migrations())} migrations are in place"
    ]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    raise SystemExit(main())
