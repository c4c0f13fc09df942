"""SQLite file in the place of an InfluxDB, with a table for each measurement.

Times are milliseconds since 1970.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from urllib.parse import quote, unquote, urlsplit

from toolpact.sources import PoolState
from toolpact.sources.influxdb.api import BucketAddress, InfluxdbError, InfluxdbLimits, Language, Row
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import DeadlineExceeded, run_within

_STEPS = 10_000
"""SQLite instructions between two checks for an abandoned query; well below a millisecond."""


class SqliteFile:
    """A SQLite file, opened for reading. Others may create, delete and write it meanwhile."""

    def __init__(self, limits: InfluxdbLimits, address: BucketAddress, clock: Clock) -> None:
        self._limits = limits
        self._path = unquote(urlsplit(address.url).path)
        self._bucket = address.bucket
        self._clock = clock
        self._idle: list[sqlite3.Connection] = []
        self._in_use = 0
        self._free_connections = asyncio.Semaphore(limits.max_connections)

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return "sqlite"

    @property
    def language(self) -> Language:
        """Language of `query`."""
        return "sql"

    @property
    def bucket(self) -> str:
        """Name of the bucket; a file has only one."""
        return self._bucket

    async def start(self) -> None:
        """Open the file. Raises InfluxdbError."""
        await self.check()

    async def check(self) -> None:
        """Run an empty query. Raises InfluxdbError."""
        await self.query("SELECT 1 AS one")

    async def close(self) -> None:
        """Close every connection."""
        while self._idle:
            self._idle.pop().close()

    def pool_state(self) -> PoolState:
        """Return the state of the connections."""
        return PoolState(idle=len(self._idle), in_use=self._in_use, limit=self._limits.max_connections)

    async def query(self, text: str) -> list[Row]:
        """Return the rows of a statement. Raises InfluxdbError."""
        seconds = self._limits.connection_timeout_s
        try:
            await run_within(
                self._clock,
                seconds,
                self._free_connections.acquire(),
                dispose=lambda _: self._free_connections.release(),
            )
        except DeadlineExceeded as error:
            raise InfluxdbError(f"no connection within {seconds} s") from error
        self._in_use += 1
        try:
            return await self._read(text)
        except sqlite3.Error as error:
            raise InfluxdbError(f"{type(error).__name__}: {error}") from error
        finally:
            self._in_use -= 1
            self._free_connections.release()

    async def _read(self, text: str) -> list[Row]:
        """Return the rows, read in a thread.

        If the caller is cancelled, the thread stops and its connection is closed.
        """
        connection = self._idle.pop() if self._idle else await asyncio.to_thread(self._connect)
        abandoned = threading.Event()
        # A future, not a task: it cannot be cancelled, so it is done once its thread no longer uses the connection.
        reading = asyncio.get_running_loop().run_in_executor(None, _rows, connection, text, abandoned)
        try:
            rows = await asyncio.shield(reading)
        except BaseException:
            abandoned.set()
            reading.add_done_callback(lambda done: _discard(connection, done))
            raise
        self._idle.append(connection)
        return rows

    def _connect(self) -> sqlite3.Connection:
        """Open the file for reading. Raises sqlite3.Error if it is missing."""
        address = f"file:{quote(self._path)}?mode=ro"
        return sqlite3.connect(address, uri=True, timeout=self._limits.connection_timeout_s, check_same_thread=False)


def _rows(connection: sqlite3.Connection, text: str, abandoned: threading.Event) -> list[Row]:
    # `interrupt` does nothing to a statement that has not started when its caller is cancelled.
    connection.set_progress_handler(abandoned.is_set, _STEPS)
    with closing(connection.execute(text)) as cursor:
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, values, strict=True)) for values in cursor]


def _discard(connection: sqlite3.Connection, done: asyncio.Future[list[Row]]) -> None:
    if not done.cancelled():
        done.exception()
    connection.close()
