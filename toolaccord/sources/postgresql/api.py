"""PostgreSQL as handlers use it: the protocols, the error and the limits of the pool."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from toolaccord.errors import SourceError
from toolaccord.sources import Source

Row: TypeAlias = dict[str, Any]
"""Values of a row by column name, with JSON columns decoded; a number or time is finite."""


UNDEFINED: Mapping[str, str] = {"3F000": "schema", "42703": "column", "42P01": "table"}
"""The missing thing, by PostgreSQL's error code."""
_OUTAGES = ("08", "28", "3D", "53", "57P")
"""Beginnings of codes with which every call fails: connection, login, resources, a stop."""
_NAMING = ("3F", "42", *_OUTAGES)
"""Beginnings of codes whose messages hold names and parts of statements, and no values."""


class PostgresqlError(SourceError):
    """PostgreSQL did not answer, rejected a statement, or sent a value that a row cannot hold."""

    service = "postgresql"

    def __init__(
        self, message: str, *, sqlstate: str | None = None, constraint: str | None = None, is_lost: bool = False
    ) -> None:
        """*is_lost* says that there is no connection."""
        super().__init__(message)
        self._is_lost = is_lost
        self.sqlstate = sqlstate
        """PostgreSQL's error code of five characters; None if PostgreSQL did not answer."""
        self.constraint = constraint
        """Name of the violated constraint, if any."""
        self.remedy = ""
        """The command that installs what is missing, if any."""

    @property
    def is_outage(self) -> bool:
        """Return False if PostgreSQL answered, with an error of the statement."""
        return self._is_lost or (self.sqlstate or "").startswith(_OUTAGES)

    @property
    def why(self) -> str:
        """The reason of the failure, for the log: without values of a call."""
        message = str(self).partition("\n")[0]
        if missing := UNDEFINED.get(self.sqlstate or ""):
            return f"a {missing} is missing ({message}){self.remedy}"
        if self._is_lost or (self.sqlstate or "").startswith(_NAMING):
            return message
        if self.sqlstate is None:
            return "a value cannot be sent or decoded, or is NaN or infinity"
        kind = f"{type(self.__cause__ or self).__name__} {self.sqlstate}"
        return f"it rejected the statement: {kind}{f' of {self.constraint}' if self.constraint else ''}"


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
    """Limits of a pool of PostgreSQL connections, and the tables behind it."""

    name: str
    """Name of the source, which tools, handlers and the log use."""
    system: str | None = None
    """The system for `toolaccord migrate`; None if something else makes the tables."""
    tables: tuple[str, ...] = ()
    """Names of the tables that calls need, as far as the contract declares them."""
    min_connections: int
    """Connections that stay open."""
    max_connections: int
    """Largest number of connections."""
    idle_timeout_s: float
    """Seconds after which an unused connection is closed."""
    connection_timeout_s: float
    """Seconds that a statement may wait for a connection."""
