"""PostgreSQL as handlers use it: the protocols and the error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias

from toolaccord.errors import SourceError
from toolaccord.source_faults import LOOK_AT_LOG, LOST
from toolaccord.sources import Source

Row: TypeAlias = dict[str, Any]
"""Values of a row by column name, with JSON columns decoded; a number or time is finite."""


UNDEFINED: Mapping[str, str] = {"3F000": "schema", "42703": "column", "42P01": "table"}
"""The missing thing, by PostgreSQL's error code."""
_OUTAGES = ("08", "28", "3D", "53", "57P")
"""Beginnings of codes with which every call fails: connection, login, resources, a stop."""
_NAMING = ("3D", "3F", "42")
"""Beginnings of codes whose messages hold names and parts of statements, and no values."""
_REASONS: Mapping[str, str] = {
    "08": "the connection was rejected; look at its log",
    "22": "a value does not fit its type, or cannot be computed; look at the statement and its arguments",
    "23": "a value breaks a constraint; look at the constraint",
    "25": "the transaction cannot go on; look at the statements before, and whether it is a read-only replica",
    "28": "it rejected the login; correct the credentials in its setting, or its pg_hba.conf",
    "40": "another transaction came in between; repeat the call",
    "53": "it lacks connections, memory or disk space; look at its log, and raise its limits",
    "53300": "it has no connection left; raise its max_connections, or lower max_connections of its sources",
    "55": "what the statement needs is locked, or in another state; look at its locks",
    "57": "it cancelled the statement; look at statement_timeout and at its log",
    "57P": "it stops or starts; wait, and look at its log",
}
"""Reasons by the longest beginning of the code."""
_LONGEST_BEGINNING = max(map(len, _REASONS))
_OF_42501 = "give its role the permission, as `toolaccord migrate --roles` does"


class PostgresqlError(SourceError):
    """PostgreSQL did not answer, rejected a statement, or sent a value that a row cannot hold."""

    service = "postgresql"
    summary = LOST

    def __init__(
        self,
        message: str,
        *,
        sqlstate: str | None = None,
        constraint: str | None = None,
        is_lost: bool = False,
        reason: str | None = None,
    ) -> None:
        """*is_lost* says that there is no connection."""
        super().__init__(message, reason=reason)
        self._is_lost = is_lost
        self.sqlstate = sqlstate
        """PostgreSQL's error code of five characters; None if PostgreSQL did not answer."""
        self.constraint = constraint
        """Name of the violated constraint, if any."""
        self.migration = "; create it"
        """The end of a sentence on something missing: the command that installs it, if there is one."""

    @property
    def is_outage(self) -> bool:
        """Return False if PostgreSQL answered, with an error of the statement."""
        return self._is_lost or (self.sqlstate or "").startswith(_OUTAGES)

    @property
    def why(self) -> str:
        """Reason of the failure and what to do about it, for the log: without values of a call."""
        code = self.sqlstate
        if self.reason or code is None:
            return super().why
        message = str(self).partition("\n")[0]
        if missing := UNDEFINED.get(code):
            return f"a {missing} is missing ({message}){self.migration}"
        if code.startswith(_NAMING):
            remedy = _OF_42501 if code == "42501" else "look at the statement, and at the database in its setting"
            return f"it rejected the statement ({message}); {remedy}"
        beginnings = (code[:length] for length in range(_LONGEST_BEGINNING, 0, -1))
        reason = next((_REASONS[each] for each in beginnings if each in _REASONS), LOOK_AT_LOG)
        constraint = f" of {self.constraint}" if self.constraint else ""
        return f"it answered with the code {code}{constraint}: {reason}"


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

    async def fetch_values(self, sql: str, *values: Any) -> Sequence[Sequence[Any]]:
        """Return the values of rows, in the order of columns.

        For queries of SQL files, which know their types; a number may be NaN.
        """


class Postgresql(Statements, Source, Protocol):
    """A PostgreSQL database with a connection pool. Every method raises PostgresqlError."""

    def transaction(self) -> AbstractAsyncContextManager[Statements]:
        """Run several statements in one transaction: all of them take effect, or none."""
