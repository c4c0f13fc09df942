"""PostgreSQL for operations that only read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from toolaccord.errors import UndeclaredEffect
from toolaccord.sources.postgresql.api import PostgresqlError, Statements
from toolaccord.sources.postgresql.session import Session, SingleStatements
from toolaccord.sources.read_only import ReadOnly

_READ_ONLY_TRANSACTION = "25006"
"""PostgreSQL's code for a statement that changes something in a transaction that only reads."""


class PostgresqlReads(ReadOnly, SingleStatements):
    """PostgreSQL whose transactions reject changes.

    Every method raises PostgresqlError, and UndeclaredEffect for a change.
    """

    @asynccontextmanager
    async def session(self, *, only_reads: bool = True) -> AsyncIterator[Session]:
        """Provide a connection for statements that change nothing."""
        with self._reject_changes():
            async with self._source.session(only_reads=only_reads) as session:
                yield session

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
