"""The sandbox's database of limits, positions and prices."""

import inspect
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from importlib.resources import files

import asyncpg

from sandbox import market, seeded_random
from sandbox.platform import sample
from sandbox.sample_database import SampleDatabase
from sandbox.seeded_random import SEED
from toolaccord.sources.postgresql.migrations import Schema

SCHEMA = Schema("platform", files("handlers.platform") / "migrations")
LOCK = 7_221_190_144_004
"""The advisory lock of processes that load the same database."""
NEW_PRICE = "(symbol, day) DO UPDATE SET price = excluded.price WHERE instrument_prices.price <> excluded.price"
CREATE_STATE = (
    "CREATE SCHEMA IF NOT EXISTS sandbox; CREATE TABLE IF NOT EXISTS sandbox.risk_loaded (version text NOT NULL)"
)


async def load(url: str, now: datetime, /, *, replace: bool = True, seed: int = SEED) -> bool:
    """Bring the prices at *url* to *now*, and add missing rows of the sample.

    Return False if the sample of another version stays. Rows that others wrote stay. If another version of the sample
    was loaded, its tables start anew; without *replace* they stay as they are. All of it is one transaction, and a
    second process waits for the first.
    """
    connection: asyncpg.Connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            await connection.execute(CREATE_STATE)
            loaded = await connection.fetchval("SELECT version FROM sandbox.risk_loaded")
            if loaded != version(seed):
                if loaded is not None and not replace:
                    return False
                await connection.execute(f"TRUNCATE {', '.join(sample.COLUMNS)}, sandbox.risk_loaded")
                await connection.execute("INSERT INTO sandbox.risk_loaded VALUES ($1)", version(seed))
            for table, rows in sample.build_sample(seed, now).items():
                await _merge(connection, table, rows)
            return True
    finally:
        await connection.close()


def version(seed: int) -> str:
    """Return the hash of the seed and of the code that makes the sample."""
    sources = [inspect.getsource(module).encode() for module in (seeded_random, market, sample)]
    return sha256(b"\0".join([str(seed).encode(), *sources])).hexdigest()


async def _merge(connection: asyncpg.Connection, table: str, rows: Sequence[sample.Row]) -> None:
    columns = sample.COLUMNS[table]
    names, values = ", ".join(columns), ", ".join(f"${place}" for place in range(1, len(columns) + 1))
    action = NEW_PRICE if table == "instrument_prices" else "DO NOTHING"
    await connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT {action}", rows)  # noqa: S608 - our own names


DATABASE = SampleDatabase(title="risk", name="risk", schema=SCHEMA, load=load)
