"""Loading of the sample data, and their update to the current time."""

import asyncio
import inspect
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import asyncpg

from sandbox import backtester, market, seeded_random
from sandbox.candles import minutes
from sandbox.tradestream.decisions import decision_rows
from sandbox.tradestream.portfolio import position_rows
from sandbox.tradestream.sample import COLUMNS, DAILY, Table, build_sample
from sandbox.tradestream.signals import HISTORY

FRESH = timedelta(hours=1)
LOCK = 7_221_190_144_003
"""The advisory lock of processes that load the same database."""

CONFLICT_ACTIONS: Mapping[str, str] = {
    "accounts": (
        "(account_id) DO UPDATE SET available_balance = excluded.available_balance,"
        " margin_used = excluded.margin_used, updated_at = excluded.updated_at"
    ),
    "strategy_implementations": (
        "(impl_id) DO UPDATE SET forward_sharpe = excluded.forward_sharpe, forward_accuracy = excluded.forward_accuracy"
    ),
    "positions": "(position_id) DO UPDATE SET current_price = excluded.current_price, priced_at = excluded.priced_at",
}
"""The update of an existing row, by table."""

CREATE_STATE = """
CREATE SCHEMA IF NOT EXISTS sandbox;
CREATE TABLE IF NOT EXISTS sandbox.loaded (version text NOT NULL, seed bigint NOT NULL, until timestamptz NOT NULL)
"""


async def load(url: str, seed: int, now: datetime, *, replace: bool = True) -> bool:
    """Bring the sample data at *url* to *now*; return True if that changed anything.

    Changes nothing while the data are younger than an hour. Rows that others wrote stay. If another version of the
    sample was loaded, its tables start anew; without *replace* they stay as they are. All of it is one transaction,
    and a second process waits for the first.
    """
    connection: asyncpg.Connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            await connection.execute(CREATE_STATE)
            loaded = await connection.fetchrow("SELECT version, seed, until FROM sandbox.loaded")
            same = loaded is not None and (loaded["version"], loaded["seed"]) == (version(), seed)
            if loaded is not None and same and loaded["until"] <= now < loaded["until"] + FRESH:
                return False
            if not same:
                if not replace:
                    return False
                await connection.execute(f"TRUNCATE {', '.join(COLUMNS)} CASCADE")
            measured = same and loaded is not None and loaded["until"].date() == now.date()
            names = COLUMNS.keys() - (DAILY if measured else ())
            await _merge(connection, await asyncio.to_thread(build_sample, seed, now, names), now)
            if loaded is not None and same:
                await _delete_closed(connection, seed, loaded["until"], now)
            await _save_state(connection, seed, now)
            return True
    finally:
        await connection.close()


def version() -> str:
    """Return the hash of the code and the text that make the sample."""
    folder = Path(__file__).parent
    sources = [
        *(Path(inspect.getfile(module)) for module in (seeded_random, market, minutes)),
        *sorted(Path(inspect.getfile(backtester)).parent.glob("*.py")),
        *sorted(folder.glob("*.py")),
        *sorted(folder.glob("*.txt")),
    ]
    return sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()


async def _merge(connection: asyncpg.Connection, tables: Mapping[str, Table], now: datetime) -> None:
    """Add the missing rows of the sample, and remove rows that it does not have at *now*."""
    for name, table in tables.items():
        columns = ", ".join(table.columns)
        await connection.execute(f"CREATE TEMP TABLE incoming AS SELECT {columns} FROM {name} WITH NO DATA")  # noqa: S608 - our own names
        await connection.copy_records_to_table("incoming", columns=table.columns, records=table.rows)
        known = CONFLICT_ACTIONS.get(name, "DO NOTHING")
        await connection.execute(
            f"INSERT INTO {name} ({columns}) SELECT {columns} FROM incoming ON CONFLICT {known}"  # noqa: S608 - our own names
        )
        await connection.execute("DROP TABLE incoming")
    strategies = [row[0] for row in tables["strategies"].rows]
    outdated = "DELETE FROM signals WHERE strategy_id = ANY($1) AND (triggered_at <= $2 OR triggered_at > $3)"
    await connection.execute(outdated, strategies, now - HISTORY, now)
    if (measured := tables.get("strategy_performance")) is not None:
        ends = {row[2] for row in measured.rows}
        outdated = "DELETE FROM strategy_performance WHERE strategy_id = ANY($1) AND NOT period_end = ANY($2)"
        await connection.execute(outdated, strategies, ends)
    await connection.execute(f"ANALYZE {', '.join(tables)}")


async def _delete_closed(connection: asyncpg.Connection, seed: int, before: datetime, now: datetime) -> None:
    """Remove positions and decisions of the sample of *before* that are not in that of *now*."""
    for name, rows in (("positions", position_rows), ("agent_decisions", decision_rows)):
        key = COLUMNS[name].split()[0]
        closed = {row[0] for row in rows(seed, before)} - {row[0] for row in rows(seed, now)}
        await connection.execute(f"DELETE FROM {name} WHERE {key} = ANY($1)", closed)  # noqa: S608 - our own names


async def _save_state(connection: asyncpg.Connection, seed: int, now: datetime) -> None:
    await connection.execute("DELETE FROM sandbox.loaded")
    await connection.execute("INSERT INTO sandbox.loaded VALUES ($1, $2, $3)", version(), seed, now)
