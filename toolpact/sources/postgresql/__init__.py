"""PostgreSQL: what handlers see of it, and how a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from toolpact.errors import SourceError
from toolpact.sources import Source
from toolpact.timing.clock import Clock

Row: TypeAlias = dict[str, Any]
"""A row: its values by column, JSON columns decoded."""


class PostgresqlError(SourceError):
    """PostgreSQL did not answer, or refused a statement."""

    def __init__(self, message: str, *, sqlstate: str | None = None, constraint: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        """The five characters that PostgreSQL names the fault by; None when it did not answer."""
        self.constraint = constraint
        """The constraint that a statement would have broken."""


class Statements(Protocol):
    """What can be asked of a database, inside a transaction or outside."""

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement; `$1`, `$2`, ... stand for *values*. Keep the text constant."""

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or None."""


class Postgresql(Statements, Source, Protocol):
    """A PostgreSQL database with a pool of connections. Everything raises PostgresqlError."""

    def transaction(self) -> AbstractAsyncContextManager[Statements]:
        """Do several statements as one: all of them count, or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlSource:
    """A PostgreSQL database, as the contract declares it."""

    name: str
    """How tools and handlers call it."""
    url: str
    """The name of the setting that holds the connection URL."""
    min_connections: int
    """How many connections are kept open."""
    max_connections: int
    """How many connections there may be."""
    idle_timeout_s: float
    """Seconds after which an unused connection is closed."""
    connection_timeout_s: float
    """Seconds within which a connection must be had."""

    @property
    def kind(self) -> str:
        """What answers."""
        return "postgresql"

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Postgresql:
        """Return the database, not yet connected."""
        from toolpact.sources.postgresql.pool import PostgresqlPool  # noqa: PLC0415 - only for a server that opens one

        return PostgresqlPool(self, str(settings[self.url]), clock)
