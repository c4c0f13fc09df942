"""Pool of PostgreSQL connections over asyncpg, opened by the first statement."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from toolaccord.contract.source_kinds.postgresql import PostgresqlSource
from toolaccord.source_faults import BUSY
from toolaccord.sources import PoolState
from toolaccord.sources.addresses import describe_place, translate_address_errors
from toolaccord.sources.availability import Availability
from toolaccord.sources.postgresql.api import PostgresqlError
from toolaccord.sources.postgresql.missing import MissingObjects
from toolaccord.sources.postgresql.pool_mode import split_pool_mode
from toolaccord.sources.postgresql.reading import PostgresqlReads
from toolaccord.sources.postgresql.session import Session, SingleStatements, set_json_codecs, translate_errors
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

    Connection = PoolConnectionProxy[asyncpg.Record]

_CLOSE_TIMEOUT_S = 1.0
"""Seconds that connections may take to close before they are terminated."""
_RELEASE_TIMEOUT_S = 1.0
"""Seconds that the reset of a connection may take before the connection is terminated."""
_OWN: Mapping[str, Any] = {"init": set_json_codecs, "server_settings": {"default_transaction_read_only": "on"}}
"""Options for connections of this process alone.

They reject changes, so that reads cost nothing more. asyncpg restores the setting whenever a connection is released.
"""


async def _set_up_pooled(connection: Any) -> None:
    async with connection.transaction():
        await set_json_codecs(connection)


async def _leave_as_it_is(_connection: Any) -> None:
    """Reset nothing: a transaction leaves nothing behind, and the next one may run elsewhere."""


_POOLED: Mapping[str, Any] = {"init": _set_up_pooled, "reset": _leave_as_it_is, "statement_cache_size": 0}
"""Options for connections behind a pooler, where no statement stays prepared."""
_ALLOW_WRITES = "SET default_transaction_read_only = off"
_NO_CONNECTION = "no connection in time; look whether it hangs"
_LOG = logging.getLogger(__name__)


class PostgresqlPool(SingleStatements):
    """A PostgreSQL database.

    Connects at the first statement, and again after the server was unavailable.
    """

    kind: ClassVar = "postgresql"
    """Kind of the system that answers."""

    def __init__(self, limits: PostgresqlSource, url: str, clock: Clock) -> None:
        self._limits = limits
        self._url, self._is_pooled = split_pool_mode(url)
        self._clock = clock
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        # The next caller waits for this connection; a short timeout leaves it half of its time.
        self._release_timeout_s = min(_RELEASE_TIMEOUT_S, limits.connection_timeout_s / 2)
        self._releases: set[asyncio.Task[None]] = set()
        unavailable = partial(PostgresqlError, is_lost=True)
        self.availability = Availability(self.kind, limits.name, describe_place(url), clock, unavailable)
        """State of the source, as calls and checks found it."""
        self._missing = MissingObjects(limits.tables, limits.system)

    async def start(self) -> None:
        """Open the minimum number of connections. Raises PostgresqlError."""
        async with self._connection(only_reads=True):
            pass

    async def check(self) -> None:
        """Look for the tables that calls need. Raises PostgresqlError."""
        async with self.session(only_reads=True) as session:
            await session.check()

    def reading(self, rejection: str) -> PostgresqlReads:
        """Return the pool for statements that change nothing; others raise UndeclaredEffect."""
        return PostgresqlReads(self, (), rejection)

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

    @asynccontextmanager
    async def session(self, *, only_reads: bool = False) -> AsyncIterator[Session]:
        """Provide a connection for statements, which each are a transaction. Raises PostgresqlError.

        Behind a pooler all of them are one transaction, since each may get another connection of the server.
        """
        if self._is_pooled:
            async with self.transaction(only_reads=only_reads) as session:
                yield session
            return
        async with self._connection(only_reads=only_reads) as connection:
            yield self._session(connection)

    @asynccontextmanager
    async def transaction(self, *, only_reads: bool = False) -> AsyncIterator[Session]:
        """Run several statements in one transaction. Raises PostgresqlError."""
        async with self._connection(only_reads=True) as connection:
            await self._begin(connection, "BEGIN READ ONLY" if only_reads else "BEGIN READ WRITE")
            try:
                yield self._session(connection)
            except BaseException:
                await self._roll_back(connection)
                raise
            with self.availability.attempt(), translate_errors():
                await connection.execute("COMMIT")

    async def _begin(self, connection: Connection, statement: str) -> None:
        """Start a transaction. Raises PostgresqlError."""
        with self.availability.attempt(), translate_errors():
            try:
                await connection.execute(statement)
            except BaseException:
                _terminate(connection)  # nobody knows whether the transaction runs
                raise

    def _session(self, connection: Connection) -> Session:
        return Session(connection, self.availability, self._missing)

    @asynccontextmanager
    async def _connection(self, *, only_reads: bool) -> AsyncIterator[Connection]:
        """Provide a connection, whose transactions may write unless it *only_reads*.

        The connection timeout covers the wait for the pool and for the server.
        """
        self.availability.admit()
        seconds, attempt = self._limits.connection_timeout_s, self.availability.attempt()
        try:
            with attempt.waiting(), translate_errors(), translate_address_errors(PostgresqlError):
                pool, connection = await run_within(
                    self._clock, seconds, self._acquire(only_reads=only_reads), dispose=self._release_in_background
                )
        except DeadlineExceeded as error:
            pool_state = self.pool_state()
            reason = BUSY if pool_state.in_use >= pool_state.limit else _NO_CONNECTION
            failure = PostgresqlError(f"no connection within {seconds} s", is_lost=True, reason=reason)
            failure.__cause__ = error
            raise attempt.missed(failure) from error
        except PostgresqlError as error:
            raise attempt.missed(error) from error.__cause__
        try:
            yield connection
        finally:
            # asyncpg's own shield leaves the error of a reset to asyncio's log if the caller is cancelled meanwhile.
            await asyncio.shield(self._start_release(pool, connection))

    async def _release(self, pool: asyncpg.Pool[asyncpg.Record], connection: Connection) -> None:
        """Release a connection to the pool, in bounded time.

        The pool terminates a connection that it cannot reset. The statement before has succeeded, so nothing is raised.
        """
        try:
            with translate_errors():
                await pool.release(connection, timeout=self._release_timeout_s)
        except PostgresqlError as error:
            _LOG.debug("a connection was terminated", exc_info=error)

    def _release_in_background(self, acquired: tuple[asyncpg.Pool[asyncpg.Record], Connection]) -> None:
        """Release a connection that arrived after its caller had given up."""
        _ = self._start_release(*acquired)

    def _start_release(self, pool: asyncpg.Pool[asyncpg.Record], connection: Connection) -> asyncio.Task[None]:
        """Release a connection, whatever becomes of its caller."""
        release = asyncio.get_running_loop().create_task(self._release(pool, connection))
        self._releases.add(release)
        release.add_done_callback(self._releases.discard)
        return release

    async def _roll_back(self, connection: Connection) -> None:
        """Roll back, in bounded time. Terminating the connection rolls back too."""
        try:
            with translate_errors():
                async with asyncio.timeout(self._release_timeout_s):
                    await connection.execute("ROLLBACK")
        except PostgresqlError as error:
            _LOG.debug("a rollback failed, and its connection was terminated", exc_info=error)
            _terminate(connection)

    async def _acquire(self, *, only_reads: bool) -> tuple[asyncpg.Pool[asyncpg.Record], Connection]:
        async with self._opening:
            if self._pool is None:
                self._pool = await self._open()
        acquired = self._pool, await self._pool.acquire()
        if not only_reads:
            try:
                await acquired[1].execute(_ALLOW_WRITES)
            except BaseException:
                self._release_in_background(acquired)
                raise
        return acquired

    async def _open(self) -> asyncpg.Pool[asyncpg.Record]:
        import asyncpg  # noqa: PLC0415 - takes 80 ms to load, too long before the first answer

        logging.getLogger("asyncpg.pool").addFilter(_is_error)
        limits = self._limits
        return await asyncpg.create_pool(
            self._url,
            min_size=limits.min_connections,
            max_size=limits.max_connections,
            max_inactive_connection_lifetime=limits.idle_timeout_s,
            timeout=limits.connection_timeout_s,
            **(_POOLED if self._is_pooled else _OWN),
        )


def _terminate(connection: Connection) -> None:
    with suppress(PostgresqlError), translate_errors():
        connection.terminate()


def _is_error(record: logging.LogRecord) -> bool:
    """Drop asyncpg's warnings that a server is unavailable, which are logged once here."""
    return record.levelno >= logging.ERROR
