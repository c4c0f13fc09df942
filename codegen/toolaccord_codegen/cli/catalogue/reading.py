"""Reading of a database's catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar

from toolaccord_codegen.cli.catalogue import statements
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.drafts.postgresql.catalogue import (
    Catalogue,
    Check,
    Column,
    Constraint,
    Function,
    Index,
    Need,
    Relation,
    Type,
)
from toolaccord_codegen.drafts.postgresql.catalogue import (
    Sequence as SqlSequence,
)

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")
Record = dict[str, Any]
OLDEST = 130_000
"""The number of the oldest version whose catalogue is read."""
CONNECT_TIMEOUT_S = 10
_MALFORMED = "the URL of the database cannot be read; encode special characters of the password, such as %40 for @"
_NEEDED = "reading a database needs psycopg: install toolaccord-codegen with its extra postgresql"


def read_catalogue(url: str, extensions: frozenset[str]) -> Catalogue:
    """Return the catalogue of the database at *url*; nothing there is changed.

    *extensions* are those of the compiler's PostgreSQL. Raises CommandError.
    """
    with _connected(url) as connection:
        return _Reader(connection).read(extensions)


@contextmanager
def _connected(url: str) -> Iterator[psycopg.Connection[Record]]:
    """Yield a connection in one read-only transaction, whose search path is that of the user.

    Raises CommandError, also for what PostgreSQL rejects meanwhile. No message holds the password.
    """
    try:
        import psycopg  # noqa: PLC0415 - an extra
        from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - likewise
        from psycopg.rows import dict_row  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise CommandError(_NEEDED) from error
    try:
        conninfo_to_dict(url)
    except psycopg.Error:  # its message may hold a part of the password
        raise CommandError(_MALFORMED) from None
    try:
        with psycopg.connect(
            url, row_factory=dict_row, connect_timeout=CONNECT_TIMEOUT_S, application_name="toolaccord import"
        ) as connection:
            if connection.info.server_version < OLDEST:
                raise CommandError("the database is older than PostgreSQL 13, whose catalogue is not read")
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            yield connection
    except psycopg.Error as error:
        raise CommandError(f"the database cannot be read: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


class _Reader:
    """Reads the catalogue through one connection."""

    def __init__(self, connection: psycopg.Connection[Record]) -> None:
        self._connection = connection

    def read(self, extensions: frozenset[str]) -> Catalogue:
        """Return the whole catalogue but what belongs to PostgreSQL itself."""
        (about,) = self._fetch(statements.DATABASE)
        self._connection.execute("SET LOCAL search_path = ''")
        needs = self._read_needs()
        relations = self._read_relations()
        types = self._read_types(relations, needs)
        wanted = {(need.kind, need.oid) for each in needs.values() for need in each}
        oids = {kind: [oid for name, oid in wanted if name == kind] for kind in ("pg_class", "pg_proc")}
        sequences = self._fetch(statements.SEQUENCES, oids["pg_class"])
        functions = self._fetch(statements.FUNCTIONS, oids["pg_proc"])
        return Catalogue(
            **about,
            relations=relations,
            types=types,
            sequences={each["oid"]: SqlSequence(**each) for each in sequences},
            functions={each["oid"]: Function(**each) for each in functions},
            needs=needs,
            extensions=extensions,
            extension_schemas={each["name"]: each["schema"] for each in self._fetch(statements.EXTENSIONS)},
        )

    def _fetch(self, sql: LiteralString, oids: Sequence[int] | None = None) -> list[Record]:
        """Return rows with tuples in the place of lists."""
        rows = self._connection.execute(sql, None if oids is None else [list(oids)]).fetchall()
        return [{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()} for row in rows]

    def _read_needs(self) -> dict[tuple[str, int], tuple[Need, ...]]:
        found: dict[tuple[str, int], list[Need]] = {}
        for row in self._fetch(statements.NEEDS):
            place = row.pop("catalogue"), row.pop("object")
            found.setdefault(place, []).append(Need(**row))
        return {place: tuple(each) for place, each in found.items()}

    def _read_relations(self) -> dict[int, Relation]:
        rows = self._fetch(statements.RELATIONS)
        oids = [row["oid"] for row in rows]
        columns = _group(self._fetch(statements.COLUMNS, oids), "relation")
        constraints = _group(self._fetch(statements.CONSTRAINTS, oids), "relation")
        indexes = _group(self._fetch(statements.INDEXES, oids), "relation")
        return {row["oid"]: _make_relation(row, columns, constraints, indexes) for row in rows}

    def _read_types(
        self, relations: Mapping[int, Relation], needs: Mapping[tuple[str, int], tuple[Need, ...]]
    ) -> dict[int, Type]:
        used = {column.type for each in relations.values() for column in each.columns}
        used |= {need.oid for each in needs.values() for need in each if need.kind == "pg_type"}
        rows = self._fetch(statements.TYPES, sorted(used))
        checks = _group(self._fetch(statements.DOMAIN_CHECKS, [row["oid"] for row in rows]), "domain")
        return {
            row["oid"]: Type(**row, checks=tuple(Check(**check) for check in checks.get(row["oid"], ())))
            for row in rows
        }


def _group(rows: Sequence[Record], key: str) -> dict[int, list[Record]]:
    """Return rows by the value of a column, which they lose."""
    groups: dict[int, list[Record]] = {}
    for row in rows:
        groups.setdefault(row.pop(key), []).append(row)
    return groups


def _make_relation(
    row: Record,
    columns: Mapping[int, list[Record]],
    constraints: Mapping[int, list[Record]],
    indexes: Mapping[int, list[Record]],
) -> Relation:
    """Return a relation with its parts."""
    oid, own = row["oid"], indexes.get(row["oid"], [])
    leading = frozenset(each["columns"][0] for each in own if each["is_whole"] and each["columns"])
    made = [each.pop("is_made") for each in own]
    return Relation(
        **row,
        columns=tuple(Column(**each) for each in columns.get(oid, ())),
        constraints=tuple(Constraint(**each) for each in constraints.get(oid, ())),
        indexes=tuple(Index(**each) for each, is_made in zip(own, made, strict=True) if not is_made),
        leading=leading,
    )
