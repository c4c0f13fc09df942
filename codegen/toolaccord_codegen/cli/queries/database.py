"""A throw-away PostgreSQL with a system's migrations, which describes statements."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from toolaccord.contract.operations import Privilege
from toolaccord.sources.postgresql.migration_files import Migration
from toolaccord.sources.postgresql.migrations import apply_migrations
from toolaccord.testing.postgresql import Cluster, ClusterError, temporary
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.ir.privileges import PRIVILEGES
from toolaccord_codegen.queries.descriptions import SqlType

if TYPE_CHECKING:
    import psycopg

_NEEDED = "checking queries needs {}: install toolaccord-codegen with its extra postgresql"
_PROBE = "toolaccord_probe"
"""The role that has a statement's privileges; it exists in transactions that are rolled back."""
_TABLES = """
SELECT format('%I.%I', nspname, relname), relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
"""
_OPEN = """
CREATE ROLE toolaccord_probe;
DO $do$ DECLARE each text; BEGIN
    FOR each IN SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %1$s TO toolaccord_probe', each);
        EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %1$s TO toolaccord_probe', each);
        EXECUTE format('GRANT ALL ON ALL SEQUENCES IN SCHEMA %1$s TO toolaccord_probe', each);
    END LOOP;
END $do$
"""
_TYPES = """
WITH RECURSIVE base AS (
    SELECT oid AS wanted, oid, typtype, typbasetype FROM pg_type WHERE oid = ANY(%s::oid[])
    UNION ALL
    SELECT base.wanted, t.oid, t.typtype, t.typbasetype FROM base JOIN pg_type t ON t.oid = base.typbasetype
)
SELECT base.wanted, format_type(coalesce(item.oid, t.oid), NULL), item.oid IS NOT NULL,
       ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = coalesce(item.oid, t.oid) ORDER BY enumsortorder)
FROM base JOIN pg_type t USING (oid) LEFT JOIN pg_type item ON t.typcategory = 'A' AND item.oid = t.typelem
WHERE base.typtype <> 'd'
"""
"""Types by oid: a domain counts as its base type, and an array has the name of its items' type."""
_ORIGINS = """
SELECT n.nspname, c.relname, a.attname,
       ARRAY(
           SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint k
           WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum] AND k.convalidated
       )
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.attrelid = %s AND a.attnum = %s
"""
_NOT_NULL = """
SELECT n.nspname, c.relname, array_agg(a.attname::text),
       array_agg(a.attname::text) FILTER (WHERE format_type(a.atttypid, NULL) NOT LIKE 'json%')
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnotnull AND a.attnum > 0 AND c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND NOT EXISTS (
      SELECT FROM pg_constraint k
      WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND k.conkey = ARRAY[a.attnum]
        AND (NOT k.convalidated OR k.connoinherit)
  )
GROUP BY n.nspname, c.relname
"""
"""The columns that are never null; not those whose constraint leaves out old rows, or the tables that inherit."""
_ANCESTORS = """
WITH RECURSIVE above AS (
    SELECT i.inhparent AS oid FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE (n.nspname, c.relname) = (%s, %s)
    UNION SELECT i.inhparent FROM pg_inherits i JOIN above ON i.inhrelid = above.oid
)
SELECT n.nspname, c.relname FROM above JOIN pg_class c ON c.oid = above.oid JOIN pg_namespace n ON n.oid = c.relnamespace
"""


class Rejected(Exception):
    """PostgreSQL rejects a statement; *position* is the offset of the fault in it, if it has one."""

    def __init__(self, message: str, position: int | None) -> None:
        super().__init__(message)
        self.position = position


class Origin(NamedTuple):
    """The column of a table that a column of a result shows."""

    table: tuple[str, str]
    """Schema and name."""
    name: str
    checks: Sequence[str]
    """The constraints of the column alone, as PostgreSQL prints them."""


class NotNull(NamedTuple):
    """The columns of a table that are never null."""

    columns: frozenset[str]
    without_json: frozenset[str]
    """Those that hold no null inside JSON either."""


class RawColumn(NamedTuple):
    """A column of a statement's result."""

    name: str
    type: int
    origin: Origin | None
    """None for an expression."""


class Prepared(NamedTuple):
    """A statement that PostgreSQL has prepared."""

    parameters: Sequence[int]
    """The oids of the types of its parameters."""
    columns: Sequence[RawColumn]


class Database:
    """A database with migrations, in which nothing else happens."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    @cached_property
    def not_null(self) -> Mapping[tuple[str, str], NotNull]:
        """Return the columns that are never null, by table."""
        rows = self._connection.execute(_NOT_NULL).fetchall()
        return {
            (schema, table): NotNull(frozenset(all_), frozenset(others or ())) for schema, table, all_, others in rows
        }

    def prepare(self, sql: str) -> Prepared:
        """Return what PostgreSQL tells of a statement. Raises Rejected."""
        from psycopg.pq import DiagnosticField, ExecStatus  # noqa: PLC0415 - loads libpq

        server = self._connection.pgconn
        result = server.prepare(b"", sql.encode())
        if result.status != ExecStatus.COMMAND_OK:
            place, hint = (
                result.error_field(field)
                for field in (DiagnosticField.STATEMENT_POSITION, DiagnosticField.MESSAGE_HINT)
            )
            message = (result.error_field(DiagnosticField.MESSAGE_PRIMARY) or b"").decode()
            message = f"{message}; {hint.decode().rstrip('.')}" if hint else message
            raise Rejected(message, int(place) - 1 if place else None)
        described = server.describe_prepared(b"")
        columns = [
            RawColumn(
                (described.fname(index) or b"").decode(),
                described.ftype(index),
                self._find_origin(described.ftable(index), described.ftablecol(index)),
            )
            for index in range(described.nfields)
        ]
        return Prepared([described.param_type(index) for index in range(described.nparams)], columns)

    def explain(self, sql: str) -> Mapping[str, Any]:
        """Return the generic plan of a statement. Raises Rejected."""
        import psycopg  # noqa: PLC0415 - loads libpq

        try:
            row = self._connection.execute(f"EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) {sql}".encode()).fetchone()
        except psycopg.Error as error:
            raise Rejected(str(error.diag.message_primary), None) from error
        assert row is not None
        plan: Mapping[str, Any] = (row[0] if isinstance(row[0], list) else json.loads(row[0]))[0]["Plan"]
        return plan

    def name_types(self, oids: Sequence[int]) -> list[SqlType]:
        """Return types by their oids."""
        rows = self._connection.execute(_TYPES, [list(oids)]).fetchall()
        types = {oid: SqlType(name, is_array, tuple(values)) for oid, name, is_array, values in rows}
        return [types[oid] for oid in oids]

    def find_ancestors(self, table: tuple[str, str]) -> set[tuple[str, str]]:
        """Return the tables of which a table is a partition, or from which it inherits."""
        return {(row[0], row[1]) for row in self._connection.execute(_ANCESTORS, table)}

    def find_privileges(self, sql: str) -> dict[str, tuple[Privilege, ...]]:
        """Return the smallest privileges with which a statement runs, by table.

        Each is taken from a role that has all, and given back where PostgreSQL then rejects the statement.
        """
        needed: dict[str, tuple[Privilege, ...]] = {}
        with self._connection.transaction(force_rollback=True):
            self._connection.execute(_OPEN)
            for table, name in self._connection.execute(_TABLES).fetchall():
                if not self._runs_without(sql, f"ALL ON {table}"):
                    kept = tuple(each for each in PRIVILEGES if not self._runs_without(sql, f"{each} ON {table}"))
                    needed[name] = kept
        return needed

    def _runs_without(self, sql: str, privilege: str) -> bool:
        """Take a privilege from the probing role; give it back, and return False, where the statement needs it."""
        import psycopg  # noqa: PLC0415 - loads libpq

        try:
            with self._connection.transaction():
                self._connection.execute(f"REVOKE {privilege} FROM {_PROBE}".encode())
                self._connection.execute(f"SET LOCAL ROLE {_PROBE}".encode())
                self._connection.execute(f"EXPLAIN (GENERIC_PLAN) {sql}".encode())
                self._connection.execute("RESET ROLE")
        except psycopg.errors.InsufficientPrivilege:
            return False
        return True

    def _find_origin(self, table: int, column: int) -> Origin | None:
        if not table or not column:
            return None
        row = self._connection.execute(_ORIGINS, [table, column]).fetchone()
        return Origin((row[0], row[1]), row[2], row[3]) if row else None


class Databases:
    """Databases of one throw-away server, which starts when the first one is needed."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @contextmanager
    def migrated(self, system: str, steps: Sequence[Migration]) -> Iterator[Database]:
        """Yield a database with migrations. Raises MigrationError."""
        import psycopg  # noqa: PLC0415 - loads libpq

        with psycopg.connect(self._cluster.url(), autocommit=True) as owner:
            owner.execute(f'CREATE DATABASE "{system}"'.encode())
        url = self._cluster.url(system)
        asyncio.run(apply_migrations(url, steps))
        with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
            yield Database(connection)


@contextmanager
def start_databases() -> Iterator[Databases]:
    """Yield a throw-away PostgreSQL. Raises CommandError where it cannot start."""
    try:
        import psycopg  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise CommandError(_NEEDED.format("psycopg")) from error
    try:
        with temporary() as cluster:
            yield Databases(cluster)
    except ClusterError as error:
        raise CommandError(f"checking queries needs a PostgreSQL: {error}") from error
