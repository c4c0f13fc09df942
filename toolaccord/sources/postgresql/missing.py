"""Tables, columns and schemas that calls need and the database lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolaccord.sources.postgresql.api import UNDEFINED, PostgresqlError

if TYPE_CHECKING:
    import asyncpg
    from asyncpg.pool import PoolConnectionProxy

_MAX_STATEMENTS = 16
_FIND_MISSING = """
SELECT name FROM unnest($1::text[]) AS name
WHERE to_regclass(CASE strpos(name, '.') WHEN 0 THEN quote_ident(name)
                  ELSE format('%I.%I', split_part(name, '.', 1), substr(name, strpos(name, '.') + 1)) END) IS NULL
LIMIT 1
"""
"""A name with a dot has its schema before it."""


class MissingObjects:
    """Declared tables, and statements that failed because something is missing."""

    def __init__(self, tables: tuple[str, ...], system: str | None) -> None:
        self._tables = list(tables)
        self._migration = f": run `toolaccord migrate {system}`" if system else "; create it"
        self._failed: dict[str, None] = {}
        """Statements that failed, the oldest first."""

    def failed(self, sql: str, error: PostgresqlError) -> None:
        """Remember a statement that failed with *error*, if something is missing."""
        if error.sqlstate in UNDEFINED:
            self.explain(error)
            self._failed[sql] = None
            if len(self._failed) > _MAX_STATEMENTS:
                del self._failed[next(iter(self._failed))]

    def explain(self, error: PostgresqlError) -> None:
        """Add the command that installs what is missing to *error*, which may have another reason."""
        error.migration = self._migration

    def succeeded(self, sql: str) -> None:
        """Forget a statement."""
        if self._failed:
            self._failed.pop(sql, None)

    async def check(self, connection: PoolConnectionProxy[asyncpg.Record]) -> None:
        """Look whether everything is there now.

        PostgreSQL resolves the names in a statement when it prepares it. Raises PostgresqlError and
        asyncpg.PostgresError.
        """
        if missing := await connection.fetchval(_FIND_MISSING, self._tables):
            raise PostgresqlError(f'relation "{missing}" does not exist', sqlstate="42P01")
        for sql in tuple(self._failed):
            await connection.prepare(sql)
            self.succeeded(sql)
