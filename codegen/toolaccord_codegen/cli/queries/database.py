"""A throw-away PostgreSQL with a system's migrations, which describes statements."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toolaccord.contract.operations import Privilege
from toolaccord.sources.postgresql.migration_files import Migration
from toolaccord.sources.postgresql.migrations import apply_migrations
from toolaccord.testing.postgresql import Cluster, ClusterError, binaries, temporary
from toolaccord_codegen.cli.queries.facts import read_facts
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.queries.descriptions import SqlType
from toolaccord_codegen.queries.nulls import Facts
from toolaccord_codegen.queries.permissions import list_permissions
from toolaccord_codegen.queries.plans import Plan, Table, UnknownTables, find_kept_tables
from toolaccord_codegen.queries.trees import Node, parse_trees

if TYPE_CHECKING:
    import psycopg
    from psycopg.pq.abc import PGresult

_MODULES = ("asyncpg", "psycopg")
_OLDEST = 16
"""The first version of PostgreSQL that explains a statement without its values."""
_NEEDED = "checking queries needs {}: install toolaccord-codegen with its extra postgresql"
_OTHER = f"name the folder of PostgreSQL {_OLDEST} or newer in {binaries.BINARIES_ENV}"
_NAMES = """
SELECT c.oid::bigint,
       CASE WHEN n.nspname = 'public' AND strpos(c.relname, '.') = 0 THEN c.relname ELSE concat(n.nspname, '.', c.relname) END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY (%s::oid[]) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
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
"""Types by oid: a domain is its base type, and an array has the name of its items' type."""
_CHECKS = """
WITH RECURSIVE types AS (
    SELECT a.atttypid AS oid FROM pg_attribute a WHERE a.attrelid = %(table)s AND a.attnum = %(column)s
    UNION ALL SELECT t.typbasetype FROM types JOIN pg_type t USING (oid) WHERE t.typtype = 'd'
), below AS (
    SELECT %(table)s::oid AS part UNION SELECT i.inhrelid FROM below JOIN pg_inherits i ON i.inhparent = below.part
)
SELECT pg_get_expr(k.conbin, k.conrelid) FROM pg_constraint k
WHERE k.contype = 'c' AND k.convalidated AND NOT k.connoinherit
  AND ((k.conrelid = %(table)s AND k.conkey = ARRAY[%(column)s::smallint]) OR k.contypid IN (SELECT oid FROM types))
  AND EXISTS (SELECT FROM types WHERE oid IN ('text'::regtype, 'varchar'::regtype))
  AND NOT EXISTS (SELECT FROM below JOIN pg_class c ON c.oid = below.part WHERE c.relkind NOT IN ('r', 'p'))
  AND EXISTS (
      SELECT FROM pg_attribute a JOIN pg_collation o ON o.oid = a.attcollation
      WHERE a.attrelid = %(table)s AND a.attnum = %(column)s AND o.collisdeterministic
  )
ORDER BY k.oid
"""
"""The constraints of one column alone that all its texts fulfil, also in partitions.

Texts that are equal only by a collation, or but for spaces at the end, are not the same.
"""
_OIDS = """
SELECT c.oid::bigint FROM unnest(%s::text[], %s::text[]) AS wanted (schema, name)
JOIN pg_namespace n ON n.nspname = wanted.schema JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.name
"""
_PRINT_TREES = """
SELECT set_config('client_min_messages', 'log', false), set_config('log_min_messages', 'fatal', false),
       set_config('debug_pretty_print', 'off', false), set_config('debug_print_rewritten', 'on', false)
"""
_PRINT_NO_TREES = "RESET debug_print_rewritten"
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
    """PostgreSQL rejects a statement; *position* is the offset of the fault, if it has one."""

    def __init__(self, message: str, position: int | None) -> None:
        super().__init__(message)
        self.position = position


class RawColumn(NamedTuple):
    """A column of a statement's result."""

    name: str
    type: int
    checks: Sequence[str]
    """The constraints of a table's column alone, as PostgreSQL prints them."""


class Prepared(NamedTuple):
    """A statement that PostgreSQL has prepared."""

    parameters: Sequence[int]
    """The oids of the types of its parameters."""
    columns: Sequence[RawColumn]
    tree: Node
    """The statement as PostgreSQL understands it, with its views expanded."""


class Database:
    """A database with migrations, in which nothing else happens."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._trees: list[str] = []
        connection.add_notice_handler(self._keep_tree)

    @cached_property
    def facts(self) -> Facts:
        """Return what the catalog tells of tables and functions."""
        return read_facts(self.connection)

    def prepare(self, sql: str) -> Prepared:
        """Return what PostgreSQL tells of a statement. Raises Rejected."""
        from psycopg.pq import ExecStatus  # noqa: PLC0415 - loads libpq

        server = self.connection.pgconn
        self._trees.clear()
        self.connection.execute(_PRINT_TREES)
        result = server.prepare(b"", sql.encode())
        described = server.describe_prepared(b"")
        self.connection.execute(_PRINT_NO_TREES)
        if result.status != ExecStatus.COMMAND_OK:
            raise _read_fault(result)
        columns = [
            RawColumn(
                (described.fname(index) or b"").decode(),
                described.ftype(index),
                self._find_checks(described.ftable(index), described.ftablecol(index)),
            )
            for index in range(described.nfields)
        ]
        return Prepared([described.param_type(index) for index in range(described.nparams)], columns, self._find_tree())

    def explain(self, sql: str) -> Plan:
        """Return the generic plan of a statement. Raises Rejected."""
        import psycopg  # noqa: PLC0415 - loads libpq

        try:
            row = self.connection.execute(f"EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) {sql}".encode()).fetchone()
        except psycopg.Error as error:
            raise Rejected(str(error.diag.message_primary), None) from error
        assert row is not None
        plan: Plan = (row[0] if isinstance(row[0], list) else json.loads(row[0]))[0]["Plan"]
        return plan

    def name_types(self, oids: Sequence[int]) -> list[SqlType]:
        """Return types by their oids."""
        rows = self.connection.execute(_TYPES, [list(oids)]).fetchall()
        types = {oid: SqlType(name, is_array, tuple(values)) for oid, name, is_array, values in rows}
        return [types[oid] for oid in oids]

    def find_kept(self, plan: Plan) -> frozenset[int]:
        """Return the oids of tables that no outer join makes null; none where the plan is silent."""
        try:
            kept = find_kept_tables(plan, self._find_ancestors)
        except UnknownTables:
            return frozenset()
        schemas, names = [schema for schema, _ in kept], [name for _, name in kept]
        return frozenset(row[0] for row in self.connection.execute(_OIDS, [schemas, names]))

    def find_privileges(self, tree: Node) -> dict[str, set[Privilege]]:
        """Return the privileges that a statement needs, by table.

        Tables of one name in several schemas are one.
        """
        permissions, needed = list_permissions(tree), dict[str, set[Privilege]]()
        for table, name in self.connection.execute(_NAMES, [[*permissions]]):
            needed.setdefault(name, set()).update(permissions[table])
        return {name: privileges for name, privileges in needed.items() if privileges}

    def _find_ancestors(self, table: Table) -> set[Table]:
        """Return the tables of which a table is a partition, or from which it inherits."""
        return {(row[0], row[1]) for row in self.connection.execute(_ANCESTORS, table)}

    def _find_checks(self, table: int, column: int) -> list[str]:
        """Return the constraints of a column of a table; none for an expression."""
        if not table or not column:
            return []
        return [row[0] for row in self.connection.execute(_CHECKS, {"table": table, "column": column})]

    def _keep_tree(self, notice: psycopg.errors.Diagnostic) -> None:
        if (notice.message_detail or "").startswith("({QUERY"):
            self._trees.append(notice.message_detail or "")

    def _find_tree(self) -> Node:
        """Return the tree of the prepared statement, without those that rules of tables add."""
        trees = [each for text in self._trees for each in parse_trees(text)]
        return next(each for each in trees if each.is_true("canSetTag") or len(trees) == 1)


def _read_fault(result: PGresult) -> Rejected:
    """Return PostgreSQL's message on a statement, with its hint and its place."""
    from psycopg.pq import DiagnosticField  # noqa: PLC0415 - loads libpq

    fields = DiagnosticField.MESSAGE_PRIMARY, DiagnosticField.MESSAGE_HINT, DiagnosticField.STATEMENT_POSITION
    message, hint, place = ((result.error_field(field) or b"").decode() for field in fields)
    return Rejected(f"{message}; {hint.rstrip('.')}" if hint else message, int(place) - 1 if place else None)


class Databases:
    """Databases of one throw-away server, which starts when the first one is needed."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def list_extensions(self) -> frozenset[str]:
        """Return the extensions that a migration can create."""
        import psycopg  # noqa: PLC0415 - loads libpq

        with psycopg.connect(self._cluster.url(), autocommit=True) as owner:
            rows = owner.execute("SELECT name FROM pg_available_extensions").fetchall()
        return frozenset(name for (name,) in rows)

    @contextmanager
    def migrated(self, system: str, steps: Sequence[Migration]) -> Iterator[Database]:
        """Yield a database with migrations. Raises MigrationError."""
        import psycopg  # noqa: PLC0415 - loads libpq

        name = f"of_{system}"  # a system may be called postgres
        with psycopg.connect(self._cluster.url(), autocommit=True) as owner:
            owner.execute(f'CREATE DATABASE "{name}"'.encode())
        url = self._cluster.url(name)
        asyncio.run(apply_migrations(url, steps))
        with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
            yield Database(connection)


Start: TypeAlias = Callable[[], AbstractContextManager[Databases]]
"""Starts a throw-away server, which the end of the context stops."""


@contextmanager
def start_databases() -> Iterator[Databases]:
    """Yield a throw-away PostgreSQL. Raises CommandError where it cannot start."""
    if missing := [name for name in _MODULES if find_spec(name) is None]:
        raise CommandError(_NEEDED.format(" and ".join(missing)))
    _check_programs()
    try:
        with temporary() as cluster:
            yield Databases(cluster)
    except ClusterError as error:
        raise CommandError(f"checking queries needs a PostgreSQL: {error}") from error


def _check_programs() -> None:
    """Raise CommandError where there is no PostgreSQL to start, or one that is too old."""
    try:
        folder = binaries.find()
        version = binaries.major_version(folder)
    except ClusterError as error:
        named = os.environ.get(binaries.BINARIES_ENV)
        sentence = (
            f"checking queries needs a PostgreSQL: {error}"
            if named
            else f"{_NEEDED.format('a PostgreSQL')}, or {_OTHER}"
        )
        raise CommandError(sentence) from error
    if int(version) < _OLDEST:
        raise CommandError(
            f"checking queries needs PostgreSQL {_OLDEST} or newer, and {folder} has {version}; {_OTHER}"
        )
