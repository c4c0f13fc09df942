"""Make the sandbox's database what the code of this checkout expects."""

from datetime import datetime

import asyncpg

from handlers.tradestream.migrate import EditedMigrationError, MigrationError, migrate
from sandbox.errors import SandboxError
from sandbox.postgresql import Cluster
from sandbox.tradestream.load import load

LOCK = 7_221_190_144_002
"""What processes that create the same database at the same time both ask for."""


async def prepare(cluster: Cluster, database: str, seed: int, now: datetime) -> None:
    """Create *database* if it is missing, migrate it, and load the sample data of *now*.

    Any number of processes may do this at once. A database whose migrations were edited is made anew: what the
    sandbox holds can be had again. Raises SandboxError.
    """
    url = cluster.url(database)
    try:
        try:
            await migrate(url)
        except (asyncpg.InvalidCatalogNameError, EditedMigrationError):
            await _make_anew(cluster, database)
        await load(url, seed, now)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, MigrationError, OSError) as exc:
        raise SandboxError(f"The sandbox's database {database} could not be prepared: {exc}") from exc


async def _make_anew(cluster: Cluster, database: str) -> None:
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
