"""Python's types of PostgreSQL's values, as asyncpg reads and sends them."""

from __future__ import annotations

from collections.abc import Mapping

from toolaccord_codegen.queries.descriptions import Column, SqlType

_TEXTS = ("text", "character varying", "character", "name", "citext", "xml")
SCALARS: Mapping[str, str] = {
    **dict.fromkeys(_TEXTS, "str"),
    **dict.fromkeys(("smallint", "integer", "bigint", "oid"), "int"),
    **dict.fromkeys(("real", "double precision"), "float"),
    **dict.fromkeys(("timestamp with time zone", "timestamp without time zone"), "_datetime"),
    **dict.fromkeys(("json", "jsonb"), "Any"),
    "boolean": "bool",
    "bytea": "bytes",
    "date": "_date",
    "interval": "_timedelta",
    "numeric": "Decimal",
    "time without time zone": "_time",
    "uuid": "UUID",
}
"""Python's types by PostgreSQL's names. Columns may be called `date`, and never `_date`."""
_UNBOUNDED = frozenset(
    {"real", "double precision", "numeric", "timestamp with time zone", "timestamp without time zone"}
)
"""Types with values that JSON lacks: NaN and infinity."""


def is_known(kind: SqlType) -> bool:
    """Return whether Python has a type for a type."""
    return bool(kind.values) or kind.name in SCALARS


def annotate_parameter(kind: SqlType, *, may_be_none: bool) -> str:
    """Annotate a parameter."""
    item = _annotate_item(kind, kind.values)
    return f"{f'Sequence[{item}]' if kind.is_array else item}{' | None' if may_be_none else ''}"


def annotate_column(column: Column) -> str:
    """Annotate a column."""
    item = _annotate_item(column.type, column.values)
    annotation = f"list[{item}]" if column.type.is_array else item
    return f"{annotation} | None" if column.is_nullable and annotation != "Any" else annotation


def may_be_infinite(column: Column) -> bool:
    """Return whether a column may hold a value that JSON lacks."""
    return column.type.name in _UNBOUNDED


def _annotate_item(kind: SqlType, values: tuple[str, ...]) -> str:
    if values:
        return f"Literal[{', '.join(map(repr, values))}]"
    return SCALARS[kind.name]
