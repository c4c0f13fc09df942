"""Creation, migration and sample data of the sandbox's database."""

from datetime import datetime

import asyncpg

from handlers.tradestream.migrate import EditedMigrationError, MigrationError, migrate
from sandbox.errors import SandboxError
from sandbox.postgresql import Cluster
from sandbox.tradestream.load import load

LOCK = 7_221_190_144_002
"""The advisory lock of processes that create the database."""


async def prepare(cluster: Cluster, database: str, seed: int, now: datetime) -> None:
    """Create *database* if it is missing, migrate it, and load the sample data of *now*.

    Any number of processes may do this at once. A database whose migrations were edited is dropped and created again,
    with the rows that users wrote. Raises SandboxError.
    """
    url = cluster.url(database)
    try:
        try:
            await migrate(url)
        except (asyncpg.InvalidCatalogNameError, EditedMigrationError):
            await _recreate(cluster, database)
        await load(url, seed, now)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, MigrationError, OSError) as exc:
        raise SandboxError(f"The sandbox's database {database} could not be prepared: {exc}") from exc


async def _recreate(cluster: Cluster, database: str) -> None:
    connection: asyncpg.Connection = await asyncpg.connect(cluster.url())
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
        try:
            await migrate(cluster.url(database))  # another process may have made it meanwhile
        except (asyncpg.InvalidCatalogNameError, EditedMigrationError):
            name = '"' + database.replace('"', '""') + '"'
            await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            await connection.execute(f"CREATE DATABASE {name}")
            await migrate(cluster.url(database))
    finally:
        await connection.close()
