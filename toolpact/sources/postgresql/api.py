"""PostgreSQL as handlers use it: the protocols, the error and the limits of the pool."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from toolpact.errors import SourceError
from toolpact.sources import Source

Row: TypeAlias = dict[str, Any]
"""Values of a row by column name, with JSON columns decoded; a number or time is finite."""


class PostgresqlError(SourceError):
    """PostgreSQL did not answer, rejected a statement, or sent a value that a row cannot hold."""

    service = "postgresql"

    def __init__(self, message: str, *, sqlstate: str | None = None, constraint: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        """PostgreSQL's error code of five characters; None if PostgreSQL did not answer."""
        self.constraint = constraint
        """Name of the violated constraint, if any."""


class Statements(Protocol):
    """Statements that can be run, inside a transaction or outside.

    Every method raises PostgresqlError.
    """

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement; `$1`, `$2`, ... stand for *values*.

        Keep the text constant.
        """

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or None."""


class Postgresql(Statements, Source, Protocol):
    """A PostgreSQL database with a connection pool. Every method raises PostgresqlError."""

    def transaction(self) -> AbstractAsyncContextManager[Statements]:
        """Run several statements in one transaction: all of them take effect, or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlLimits:
    """Limits of a pool of PostgreSQL connections."""

    min_connections: int
    """Connections that stay open."""
    max_connections: int
    """Largest number of connections."""
    idle_timeout_s: float
    """Seconds after which an unused connection is closed."""
    connection_timeout_s: float
    """Seconds that a statement may wait for a connection."""
