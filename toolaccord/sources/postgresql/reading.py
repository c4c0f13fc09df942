"""PostgreSQL for operations that only read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from toolaccord.errors import UndeclaredEffect
from toolaccord.sources.postgresql.api import PostgresqlError, Row, Statements
from toolaccord.sources.read_only import ReadOnly

_READ_ONLY_TRANSACTION = "25006"
"""PostgreSQL's code for a statement that changes something in a transaction that only reads."""


class PostgresqlReads(ReadOnly):
    """A pool of connections in whose transactions PostgreSQL rejects changes.

    Every method raises PostgresqlError, and UndeclaredEffect for a change.
    """

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement."""
        with self._reject_changes():
            async with self._source.session(only_reads=True) as session:
                rows: list[Row] = await session.fetch(sql, *values)
                return rows

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or None."""
        with self._reject_changes():
            async with self._source.session(only_reads=True) as session:
                row: Row | None = await session.fetch_one(sql, *values)
                return row

    async def fetch_values(self, sql: str, *values: Any) -> Sequence[Sequence[Any]]:
        """Return the values of rows, in the order of columns."""
        with self._reject_changes():
            async with self._source.session(only_reads=True) as session:
                found: Sequence[Sequence[Any]] = await session.fetch_values(sql, *values)
                return found

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Statements]:
        """Run several statements in one transaction."""
        with self._reject_changes():
            async with self._source.transaction(only_reads=True) as statements:
                yield statements

    @contextmanager
    def _reject_changes(self) -> Iterator[None]:
        """Raise UndeclaredEffect for a change that PostgreSQL rejects."""
        try:
            yield
        except PostgresqlError as error:
            if error.sqlstate == _READ_ONLY_TRANSACTION:
                raise UndeclaredEffect(self._rejection) from error
            raise
