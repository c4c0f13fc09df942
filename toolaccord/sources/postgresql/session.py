"""Statements on one PostgreSQL connection: rows that JSON can hold, and errors of one class."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import orjson

from toolaccord.source_faults import NO_ANSWER
from toolaccord.sources.availability import Availability
from toolaccord.sources.postgresql.api import PostgresqlError, Row
from toolaccord.sources.postgresql.missing import MissingObjects
from toolaccord.timing.deadline import DeadlineExceeded

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

    Connection = PoolConnectionProxy[asyncpg.Record]

_NO_TLS = "it has no TLS, which sslmode in its setting demands; enable it on the server, or change the setting"
_NOT_SENT = "a value of the statement cannot be sent; look at the types of its arguments"
_NOT_DECODED = "its answer holds a value that Python cannot hold, or is not PostgreSQL's; look at the rows"
_INFINITE_TIMES = (datetime.min, datetime.max)  # noqa: DTZ901 - asyncpg gives infinity no time zone
_IS_FINITE: Mapping[type, Callable[[Any], bool]] = {
    float: math.isfinite,
    Decimal: Decimal.is_finite,
    datetime: lambda time: time.tzinfo is not None or time not in _INFINITE_TIMES,
}
"""Checks by type of values that JSON may not hold.

asyncpg reads an infinite date as 9999-12-31 or 0001-01-01, which JSON holds.
"""


class SingleStatements(ABC):
    """Statements that each have a session of their own."""

    @abstractmethod
    def session(self, *, only_reads: bool = False) -> AbstractAsyncContextManager[Session]:
        """Provide a connection for statements, which each are a transaction. Raises PostgresqlError."""

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement. Raises PostgresqlError."""
        async with self.session() as session:
            return await session.fetch(sql, *values)

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or None. Raises PostgresqlError."""
        async with self.session() as session:
            return await session.fetch_one(sql, *values)

    async def fetch_values(self, sql: str, *values: Any) -> Sequence[Sequence[Any]]:
        """Return the values of rows, in the order of columns. Raises PostgresqlError."""
        async with self.session() as session:
            return await session.fetch_values(sql, *values)


class Session:
    """Statements on one connection."""

    def __init__(self, connection: Connection, availability: Availability, missing: MissingObjects) -> None:
        self._connection = connection
        self._availability = availability
        self._missing = missing

    async def check(self) -> None:
        """Look for the tables and columns that calls need. Raises PostgresqlError."""
        try:
            with self._availability.attempt(), translate_errors():
                await self._missing.check(self._connection)
        except PostgresqlError as error:
            self._missing.explain(error)
            raise

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement. Raises PostgresqlError."""
        with self._statement(sql):
            return [_row(record) for record in await self._connection.fetch(sql, *values)]

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or None. Raises PostgresqlError."""
        with self._statement(sql):
            record = await self._connection.fetchrow(sql, *values)
            return None if record is None else _row(record)

    async def fetch_values(self, sql: str, *values: Any) -> Sequence[Sequence[Any]]:
        """Return the values of rows, in the order of columns. Raises PostgresqlError."""
        with self._statement(sql):
            return cast("Sequence[Sequence[Any]]", await self._connection.fetch(sql, *values))

    @contextmanager
    def _statement(self, sql: str) -> Iterator[None]:
        """Raise errors of a statement as PostgresqlError, and note what it shows of the database."""
        try:
            with self._availability.attempt(), translate_errors():
                yield
        except PostgresqlError as error:
            self._missing.failed(sql, error)
            raise
        self._missing.succeeded(sql)


def _row(record: asyncpg.Record) -> Row:
    """Return *record* as a row. Raises PostgresqlError for NaN and infinity, which JSON lacks."""
    row = dict(record)
    for column, value in row.items():
        if not is_finite(value):
            found = f"column {column} holds NaN or infinity; nullif in the statement makes it null"
            raise PostgresqlError(found, reason=found)
    return row


def is_finite(value: Any) -> bool:
    """Return whether *value* is finite, and so are the items of an array, whose type is list."""
    check = _IS_FINITE.get(type(value))
    if check is not None:
        return check(value)
    return type(value) is not list or all(map(is_finite, value))


async def set_json_codecs(connection: Any) -> None:
    """Have JSON columns decoded into the values they hold."""
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind, schema="pg_catalog", encoder=lambda value: orjson.dumps(value).decode(), decoder=orjson.loads
        )


@contextmanager
def translate_errors() -> Iterator[None]:
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
    except asyncpg.DataError as error:  # of a value that the caller sent
        raise PostgresqlError(f"{type(error).__name__}: {error}", reason=_NOT_SENT) from error
    except OSError as error:
        reason = NO_ANSWER if isinstance(error, TimeoutError) and not error.errno else None
        if "SSL upgrade" in str(error):
            reason = _NO_TLS
        raise PostgresqlError("no connection", is_lost=True, reason=reason) from error
    except (asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        # asyncpg tells of its state ("cannot switch to state 12") where the server closed a pooled connection.
        raise PostgresqlError("the connection was lost", is_lost=True) from error
    except (ArithmeticError, BufferError, LookupError, ValueError) as error:
        message = f"the answer cannot be decoded: {type(error).__name__}: {error}"
        raise PostgresqlError(message, reason=_NOT_DECODED) from error
