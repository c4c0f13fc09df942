"""Migrations of a system's database, and the command that applies them."""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

import asyncpg

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


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of a system's servers."""

    package: str
    """The package of the system's handlers; its folder `migrations` has the steps."""
    env: str
    """The environment variable with the URL of the database."""

    def read_migrations(self) -> tuple[Migration, ...]:
        """Return the system's migrations, in order."""
        folder = files(self.package) / "migrations"
        found = (
            Migration(file.name, file.read_text(encoding="utf-8"))
            for file in folder.iterdir()
            if file.name.endswith(".sql")
        )
        return tuple(sorted(found, key=lambda migration: migration.name))

    async def migrate(self, url: str) -> tuple[str, ...]:
        """Apply the system's migrations to the database at *url*, as `apply_migrations` does."""
        return await apply_migrations(url, self.read_migrations())

    def main(self) -> int:
        """Migrate the environment's database; return 0, 1 for a failure, 2 without the variable."""
        url = os.environ.get(self.env)
        if not url:
            sys.stderr.write(f"{self.env} is missing: the PostgreSQL to migrate, postgresql://user@host/database.\n")
            return 2
        try:
            applied = asyncio.run(self.migrate(url))
        except MigrationError as exc:
            sys.stderr.write(f"{exc}\n")
            return 1
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as exc:
            sys.stderr.write(f"The database that {self.env} names does not answer: {str(exc) or type(exc).__name__}\n")
            return 1
        nothing = f"nothing to do: all {len(self.read_migrations())} migrations are in place"
        sys.stdout.write("".join(f"{line}\n" for line in [f"applied {name}" for name in applied] or [nothing]))
        return 0


async def apply_migrations(url: str, steps: Sequence[Migration]) -> tuple[str, ...]:
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
        known = await _read_applied(connection)
        missing = [step for step in steps if not _is_applied(step, known)]
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
