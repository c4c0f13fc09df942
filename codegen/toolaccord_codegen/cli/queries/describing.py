"""Descriptions of queries by a database."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolaccord.contract.operations import Privilege
from toolaccord.semantics.sql_templates import Statement, Variant
from toolaccord_codegen.cli.queries.database import Database, NotNull, Origin, Prepared, Rejected
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.queries.descriptions import Column, Description, SqlType
from toolaccord_codegen.queries.expressions import find_proved
from toolaccord_codegen.queries.files import PAGE_PARAMETERS, NamedQuery
from toolaccord_codegen.queries.plans import UnknownNulls, find_nullable_tables

_LISTED = re.compile(
    r"\(?\(?(?P<name>\"?[\w ]+\"?)(?:\)?::\w+)? = (?:ANY \(\(?ARRAY\[(?P<many>.*?)\](?:\)?::\w+\[\])?\)|(?P<one>'.*'::\w[\w ]*))\)*"
)
"""A constraint that lists values, as PostgreSQL prints it."""
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_BIGINT = SqlType("bigint")


class _Variant(NamedTuple):
    """What one statement of a query shows."""

    parameters: dict[str, SqlType]
    columns: tuple[Column, ...]


def describe_query(query: NamedQuery, database: Database) -> Description | Problem:
    """Return the description that holds for every statement of a query, or the first fault."""
    template, found = query.template, list[_Variant]()
    needed: dict[str, set[Privilege]] = {}
    for variant in template.list_variants():
        statement = template.build_rows(variant) if query.kind == "page" else template.build(variant)
        try:
            found.append(_describe(statement, database))
            whole = template.build_page(variant) if query.kind == "page" else statement
            database.prepare(whole.sql)
            for table, privileges in database.find_privileges(whole.sql).items():
                needed.setdefault(table, set()).update(privileges)
        except Rejected as error:
            return _reject(query, statement, variant, error)
    first = found[0]
    for other in found[1:]:
        if [(each.name, each.type) for each in other.columns] != [(each.name, each.type) for each in first.columns]:
            sentence = "its lines choose between different columns; let all have the same names and types"
            return query.problem("QUERY_COLUMN", sentence)
    parameters = {name: each for one in reversed(found) for name, each in one.parameters.items()}
    if query.kind == "page":
        parameters |= dict.fromkeys(PAGE_PARAMETERS, _BIGINT)
    ordered = {name: parameters[name] for name in _order(query) if name in parameters}
    columns = tuple(_merge(columns) for columns in zip(*(each.columns for each in found), strict=True))
    return Description(ordered, columns, {name: tuple(sorted(needed[name])) for name in sorted(needed)})


def _order(query: NamedQuery) -> list[str]:
    """Return the names of parameters in the order of the text."""
    names = dict.fromkeys(parameter.name for parameter in query.template.parameters)
    return [*names, *(PAGE_PARAMETERS if query.kind == "page" else ())]


def _merge(columns: Sequence[Column]) -> Column:
    """Return what holds for a column in every statement."""
    values = columns[0].values if len({each.values for each in columns}) == 1 else ()
    return Column(columns[0].name, columns[0].type, any(each.is_nullable for each in columns), values)


def _describe(statement: Statement, database: Database) -> _Variant:
    prepared = database.prepare(statement.sql)
    types = database.name_types([*prepared.parameters, *(column.type for column in prepared.columns)])
    of_parameters, of_columns = types[: len(prepared.parameters)], types[len(prepared.parameters) :]
    proved = _prove(statement, prepared, database)
    columns = tuple(
        Column(column.name, kind, not is_proved, _list_values(column.origin, kind))
        for column, kind, is_proved in zip(prepared.columns, of_columns, proved, strict=True)
    )
    return _Variant(dict(zip(statement.parameters, of_parameters, strict=True)), columns)


def _prove(statement: Statement, prepared: Prepared, database: Database) -> Iterator[bool]:
    """Yield for each column whether it is proved that it is never null."""
    not_null = _find_not_null(statement, database)
    names = {table[1]: found.without_json for table, found in not_null.items()}
    expressions = find_proved(statement.sql, names if len(names) == len(not_null) else {})
    if len(expressions) != len(prepared.columns):
        expressions = [False] * len(prepared.columns)
    for column, is_proved in zip(prepared.columns, expressions, strict=True):
        origin = column.origin
        known = not_null.get(origin.table) if origin else None
        yield is_proved or (known is not None and origin is not None and origin.name in known.columns)


def _find_not_null(statement: Statement, database: Database) -> dict[tuple[str, str], NotNull]:
    """Return the columns that are never null by table, without the tables behind outer joins."""
    try:
        nullable = find_nullable_tables(database.explain(statement.sql), database.find_ancestors)
    except UnknownNulls:
        return {}
    return {table: columns for table, columns in database.not_null.items() if table not in nullable}


def _list_values(origin: Origin | None, kind: SqlType) -> tuple[str, ...]:
    """Return the only values of a column, by its type or by a constraint of its table."""
    if kind.values or origin is None or kind.is_array:
        return kind.values
    for check in origin.checks:
        found = _LISTED.fullmatch(check)
        if found and found["name"].strip('"') == origin.name:
            return tuple(text.replace("''", "'") for text in _TEXT.findall(found["many"] or found["one"]))
    return ()


def _reject(query: NamedQuery, statement: Statement, variant: Variant, error: Rejected) -> Problem:
    """Return PostgreSQL's fault in a statement as a problem of its query."""
    offset = None if error.position is None else statement.locate(error.position)
    absent = sorted({*query.template.optional} - variant.given)
    which = f" (without {', '.join(absent)})" if absent else ""
    return query.problem("QUERY_INVALID", f"PostgreSQL rejects {query.name}{which}: {error}", offset)
