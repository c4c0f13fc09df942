"""A pool of PostgreSQL connections by asyncpg, opened when first needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import orjson

from toolpact.sources import PoolState
from toolpact.sources.addresses import connecting
from toolpact.sources.postgresql import PostgresqlError, PostgresqlSource, Row, Statements
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy
    from asyncpg.transaction import Transaction

    Connection = PoolConnectionProxy[asyncpg.Record]

_CLOSING_S = 1.0
"""How long the connections may take to say goodbye before they are cut."""
_CLEANING_S = 1.0
"""How long a connection may take to be clean again before it is cut, and its place is free."""
_LOG = logging.getLogger(__name__)


class PostgresqlPool:
    """A PostgreSQL database; connects at the first statement, and again after the server was away."""

    def __init__(self, declared: PostgresqlSource, url: str, clock: Clock) -> None:
        self._declared = declared
        self._url = url
        self._clock = clock
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        # Half of the time that the next caller waits for its place, where that is short.
        self._cleaning_s = min(_CLEANING_S, declared.connection_timeout_s / 2)
        self._returning: set[asyncio.Task[None]] = set()

    @property
    def kind(self) -> str:
        """What answers."""
        return self._declared.kind

    async def start(self) -> None:
        """Open the pool's lower limit of connections. Raises PostgresqlError."""
        async with self._connection():
            pass

    async def check(self) -> None:
        """Ask the database for nothing. Raises PostgresqlError."""
        await self.fetch_one("SELECT 1")

    async def close(self) -> None:
        """Close every connection; those in use after a second are cut."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            await asyncio.wait_for(pool.close(), _CLOSING_S)
        except (TimeoutError, OSError):
            pool.terminate()

    def pool_state(self) -> PoolState:
        """Return how the pool's connections stand."""
        idle, size = (self._pool.get_idle_size(), self._pool.get_size()) if self._pool else (0, 0)
        return PoolState(idle=idle, in_use=size - idle, limit=self._declared.max_connections)

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
        """Do several statements as one. Raises PostgresqlError."""
        async with self._connection() as connection:
            transaction = connection.transaction()
            with _faults():
                await transaction.start()
            try:
                yield _Session(connection)
            except BaseException:
                await self._roll_back(connection, transaction)
                raise
            with _faults():
                await transaction.commit()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        """Lend a connection, had within the connection timeout whether the wait is for the pool or the server."""
        seconds = self._declared.connection_timeout_s
        try:
            with _faults(), connecting(PostgresqlError):
                pool, connection = await run_within(self._clock, seconds, self._acquire(), dispose=self._return_later)
        except DeadlineExceeded as error:
            raise PostgresqlError(f"no connection within {seconds} s") from error
        try:
            yield connection
        finally:
            await self._return(pool, connection)

    async def _return(self, pool: asyncpg.Pool[asyncpg.Record], connection: Connection) -> None:
        """Give a connection back, in bounded time; one that cannot be made clean is cut, which is no fault of its user's."""
        try:
            with _faults():
                await pool.release(connection, timeout=self._cleaning_s)
        except PostgresqlError as error:
            _LOG.debug("a connection was cut", exc_info=error)

    def _return_later(self, lent: tuple[asyncpg.Pool[asyncpg.Record], Connection]) -> None:
        """Give back a connection whose borrower has left."""
        returning = asyncio.get_running_loop().create_task(self._return(*lent))
        self._returning.add(returning)
        returning.add_done_callback(self._returning.discard)

    async def _roll_back(self, connection: Connection, transaction: Transaction) -> None:
        """Undo what was done, in bounded time; cutting the connection undoes it too."""
        try:
            with _faults():
                async with asyncio.timeout(self._cleaning_s):
                    await transaction.rollback()
        except PostgresqlError as error:
            _LOG.debug("a transaction was not rolled back, and its connection is cut", exc_info=error)
            with suppress(PostgresqlError), _faults():
                connection.terminate()

    async def _acquire(self) -> tuple[asyncpg.Pool[asyncpg.Record], Connection]:
        async with self._opening:
            if self._pool is None:
                self._pool = await self._open()
        return self._pool, await self._pool.acquire()

    async def _open(self) -> asyncpg.Pool[asyncpg.Record]:
        import asyncpg  # noqa: PLC0415 - 80 ms that a server need not pay before its first answer

        logging.getLogger("asyncpg.pool").addFilter(_without_traceback)
        declared = self._declared
        return await asyncpg.create_pool(
            self._url,
            min_size=declared.min_connections,
            max_size=declared.max_connections,
            max_inactive_connection_lifetime=declared.idle_timeout_s,
            timeout=declared.connection_timeout_s,
            init=_decode_json,
        )


class _Session:
    """Statements on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        with _faults():
            return [dict(record) for record in await self._connection.fetch(sql, *values)]

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        with _faults():
            record = await self._connection.fetchrow(sql, *values)
        return None if record is None else dict(record)


async def _decode_json(connection: Any) -> None:
    """Give JSON columns as the values they hold."""
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind, schema="pg_catalog", encoder=lambda value: orjson.dumps(value).decode(), decoder=orjson.loads
        )


@contextmanager
def _faults() -> Iterator[None]:
    """Raise what asyncpg and the network raise as PostgresqlError."""
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


def _without_traceback(record: logging.LogRecord) -> bool:
    """Keep asyncpg's word that a server is away, without its traceback."""
    record.exc_info = None
    return True
