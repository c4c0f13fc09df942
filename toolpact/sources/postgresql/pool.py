"""Pool of PostgreSQL connections over asyncpg, opened by the first statement."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import orjson

from toolpact.sources import PoolState
from toolpact.sources.addresses import translate_address_errors
from toolpact.sources.postgresql.api import PostgresqlError, PostgresqlLimits, Row, Statements
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy
    from asyncpg.transaction import Transaction

    Connection = PoolConnectionProxy[asyncpg.Record]

_CLOSE_TIMEOUT_S = 1.0
"""Seconds that connections may take to close before they are terminated."""
_RELEASE_TIMEOUT_S = 1.0
"""Seconds that the reset of a connection may take before the connection is terminated."""
_LOG = logging.getLogger(__name__)

_INFINITE_TIMES = (datetime.min, datetime.max)  # noqa: DTZ901 - asyncpg gives infinity no time zone
_IS_FINITE: Mapping[type, Callable[[Any], bool]] = {
    float: math.isfinite,
    Decimal: Decimal.is_finite,
    datetime: lambda time: time.tzinfo is not None or time not in _INFINITE_TIMES,
}
"""Checks by type of values that JSON may not hold.

asyncpg reads an infinite date as 9999-12-31 or 0001-01-01, which JSON holds.
"""


class PostgresqlPool:
    """A PostgreSQL database.

    Connects at the first statement, and again after the server was unavailable.
    """

    def __init__(self, limits: PostgresqlLimits, url: str, clock: Clock) -> None:
        self._limits = limits
        self._url = url
        self._clock = clock
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        # The next caller waits for this connection; a short timeout leaves it half of its time.
        self._release_timeout_s = min(_RELEASE_TIMEOUT_S, limits.connection_timeout_s / 2)
        self._releases: set[asyncio.Task[None]] = set()

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return "postgresql"

    async def start(self) -> None:
        """Open the minimum number of connections. Raises PostgresqlError."""
        async with self._connection():
            pass

    async def check(self) -> None:
        """Run an empty query. Raises PostgresqlError."""
        await self.fetch_one("SELECT 1")

    async def close(self) -> None:
        """Close every connection; terminate those that are still in use after a second."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            await asyncio.wait_for(pool.close(), _CLOSE_TIMEOUT_S)
        except (TimeoutError, OSError):
            pool.terminate()

    def pool_state(self) -> PoolState:
        """Return the state of the pool."""
        idle, size = (self._pool.get_idle_size(), self._pool.get_size()) if self._pool else (0, 0)
        return PoolState(idle=idle, in_use=size - idle, limit=self._limits.max_connections)

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement. Raises PostgresqlError."""
        async with self._connection() as connection:
            return await _Session(connection).fetch(sql, *values)

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or None. Raises PostgresqlError."""
        async with self._connection() as connection:
            return await _Session(connection).fetch_one(sql, *values)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Statements]:
        """Run several statements in one transaction. Raises PostgresqlError."""
        async with self._connection() as connection:
            with _translate_errors():
                transaction = connection.transaction()
                await transaction.start()
            try:
                yield _Session(connection)
            except BaseException:
                await self._roll_back(connection, transaction)
                raise
            with _translate_errors():
                await transaction.commit()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        """Provide a connection.

        The connection timeout covers the wait for the pool and for the server.
        """
        seconds = self._limits.connection_timeout_s
        try:
            with _translate_errors(), translate_address_errors(PostgresqlError):
                pool, connection = await run_within(
                    self._clock, seconds, self._acquire(), dispose=self._release_in_background
                )
        except DeadlineExceeded as error:
            raise PostgresqlError(f"no connection within {seconds} s") from error
        try:
            yield connection
        finally:
            await self._release(pool, connection)

    async def _release(self, pool: asyncpg.Pool[asyncpg.Record], connection: Connection) -> None:
        """Release a connection to the pool, in bounded time.

        The pool terminates a connection that it cannot reset. The statement before has succeeded, so nothing is raised.
        """
        try:
            with _translate_errors():
                await pool.release(connection, timeout=self._release_timeout_s)
        except PostgresqlError as error:
            _LOG.debug("a connection was terminated", exc_info=error)

    def _release_in_background(self, acquired: tuple[asyncpg.Pool[asyncpg.Record], Connection]) -> None:
        """Release a connection that arrived after its caller had given up."""
        release = asyncio.get_running_loop().create_task(self._release(*acquired))
        self._releases.add(release)
        release.add_done_callback(self._releases.discard)

    async def _roll_back(self, connection: Connection, transaction: Transaction) -> None:
        """Roll back, in bounded time. Terminating the connection rolls back too."""
        try:
            with _translate_errors():
                async with asyncio.timeout(self._release_timeout_s):
                    await transaction.rollback()
        except PostgresqlError as error:
            _LOG.debug("a rollback failed, and its connection was terminated", exc_info=error)
            with suppress(PostgresqlError), _translate_errors():
                connection.terminate()

    async def _acquire(self) -> tuple[asyncpg.Pool[asyncpg.Record], Connection]:
        async with self._opening:
            if self._pool is None:
                self._pool = await self._open()
        return self._pool, await self._pool.acquire()

    async def _open(self) -> asyncpg.Pool[asyncpg.Record]:
        import asyncpg  # noqa: PLC0415 - takes 80 ms to load, too long before the first answer

        logging.getLogger("asyncpg.pool").addFilter(_drop_traceback)
        limits = self._limits
        return await asyncpg.create_pool(
            self._url,
            min_size=limits.min_connections,
            max_size=limits.max_connections,
            max_inactive_connection_lifetime=limits.idle_timeout_s,
            timeout=limits.connection_timeout_s,
            init=_set_json_codecs,
        )


class _Session:
    """Statements on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        with _translate_errors():
            return [_row(record) for record in await self._connection.fetch(sql, *values)]

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        with _translate_errors():
            record = await self._connection.fetchrow(sql, *values)
            return None if record is None else _row(record)


def _row(record: asyncpg.Record) -> Row:
    """Return *record* as a row. Raises PostgresqlError for NaN and infinity, which JSON lacks."""
    row = dict(record)
    for column, value in row.items():
        if not _is_finite(value):
            raise PostgresqlError(f"column {column} holds NaN or infinity; nullif in the statement makes it null")
    return row


def _is_finite(value: Any) -> bool:
    """Return whether *value* is finite, and so are the items of an array, whose type is list."""
    check = _IS_FINITE.get(type(value))
    if check is not None:
        return check(value)
    return type(value) is not list or all(map(_is_finite, value))


async def _set_json_codecs(connection: Any) -> None:
    """Have JSON columns decoded into the values they hold."""
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind, schema="pg_catalog", encoder=lambda value: orjson.dumps(value).decode(), decoder=orjson.loads
        )


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise the exceptions of asyncpg and of the network as PostgresqlError.

    asyncpg raises Python's own exceptions for values that Python cannot hold, such as a time in the year 20000.
    """
    import asyncpg  # noqa: PLC0415 - see _open

    try:
        yield
    except DeadlineExceeded:  # an OSError too, like every TimeoutError
        raise
    except asyncpg.PostgresError as error:
        constraint = getattr(error, "constraint_name", None)
        raise PostgresqlError(str(error), sqlstate=error.sqlstate, constraint=constraint) from error
    except (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise PostgresqlError(f"{type(error).__name__}: {error}") from error
    except (ArithmeticError, BufferError, LookupError, ValueError) as error:
        raise PostgresqlError(f"the answer cannot be decoded: {type(error).__name__}: {error}") from error


def _drop_traceback(record: logging.LogRecord) -> bool:
    """Drop the traceback of asyncpg's message that a server is unavailable."""
    record.exc_info = None
    return True
