"""A SQLite file in the place of an InfluxDB: each measurement is a table, with the time in milliseconds."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from urllib.parse import quote, unquote, urlsplit

from toolpact.sources import PoolState
from toolpact.sources.influxdb import Access, InfluxdbError, InfluxdbSource, Language, Row
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import DeadlineExceeded, run_within

_STEPS = 10_000
"""Instructions of SQLite's machine, well below a millisecond, after which a reader looks whether it is still wanted."""


class SqliteFile:
    """A file that is read and never written; it may come, go, and be written by others meanwhile."""

    def __init__(self, declared: InfluxdbSource, given: Access, clock: Clock) -> None:
        self._declared = declared
        self._path = unquote(urlsplit(given.url).path)
        self._bucket = given.bucket
        self._clock = clock
        self._idle: list[sqlite3.Connection] = []
        self._in_use = 0
        self._places = asyncio.Semaphore(declared.max_connections)

    @property
    def kind(self) -> str:
        """What answers."""
        return "sqlite"

    @property
    def language(self) -> Language:
        """What `query` understands."""
        return "sql"

    @property
    def bucket(self) -> str:
        """The bucket's name; a file has but one."""
        return self._bucket

    async def start(self) -> None:
        """Open the file. Raises InfluxdbError."""
        await self.check()

    async def check(self) -> None:
        """Read nothing of the file. Raises InfluxdbError."""
        await self.query("SELECT 1 AS one")

    async def close(self) -> None:
        """Close every connection."""
        while self._idle:
            self._idle.pop().close()

    def pool_state(self) -> PoolState:
        """Return how the connections stand."""
        return PoolState(idle=len(self._idle), in_use=self._in_use, limit=self._declared.max_connections)

    async def query(self, text: str) -> list[Row]:
        """Return the rows of a statement. Raises InfluxdbError."""
        seconds = self._declared.connection_timeout_s
        try:
            await run_within(self._clock, seconds, self._places.acquire(), dispose=lambda _: self._places.release())
        except DeadlineExceeded as error:
            raise InfluxdbError(f"no connection within {seconds} s") from error
        self._in_use += 1
        try:
            return await self._read(text)
        except sqlite3.Error as error:
            raise InfluxdbError(f"{type(error).__name__}: {error}") from error
        finally:
            self._in_use -= 1
            self._places.release()

    async def _read(self, text: str) -> list[Row]:
        """Return the rows, read in a thread. A reader that is given up stops, and its connection is not kept."""
        connection = self._idle.pop() if self._idle else await asyncio.to_thread(self._connect)
        given_up = threading.Event()
        # A future and no task: nobody may cancel it, so it is done when its thread has let go of the connection.
        reading = asyncio.get_running_loop().run_in_executor(None, _rows, connection, text, given_up)
        try:
            rows = await asyncio.shield(reading)
        except BaseException:
            given_up.set()
            reading.add_done_callback(lambda done: _discard(connection, done))
            raise
        self._idle.append(connection)
        return rows

    def _connect(self) -> sqlite3.Connection:
        """Open the file for reading; a file that is missing is an error and not made."""
        address = f"file:{quote(self._path)}?mode=ro"
        return sqlite3.connect(address, uri=True, timeout=self._declared.connection_timeout_s, check_same_thread=False)


def _rows(connection: sqlite3.Connection, text: str, given_up: threading.Event) -> list[Row]:
    # `interrupt` would do nothing to a statement that has not begun when its reader leaves.
    connection.set_progress_handler(given_up.is_set, _STEPS)
    with closing(connection.execute(text)) as cursor:
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, values, strict=True)) for values in cursor]


def _discard(connection: sqlite3.Connection, done: asyncio.Future[list[Row]]) -> None:
    if not done.cancelled():
        done.exception()
    connection.close()
