"""Descriptions of queries by a database."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from toolaccord.contract.operations import Privilege
from toolaccord.semantics.sql_templates import Statement, Variant
from toolaccord_codegen.cli.queries.database import Database, Rejected
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.queries.descriptions import Column, Description, SqlType
from toolaccord_codegen.queries.files import PAGE_PARAMETERS, NamedQuery
from toolaccord_codegen.queries.nulls import find_never_null, list_targets
from toolaccord_codegen.queries.trees import Node, locate

_LITERAL = r"'(?:[^']|'')*'::(?:text|character varying)"
_COLUMN = r"\(*(?:\w+|\"(?:[^\"]|\"\")+\")\)?(?:::text)?"
_ARRAY = rf"\(?ARRAY\[(?P<many>{_LITERAL}(?:, {_LITERAL})*)\](?:\)::text\[\])?"
_LISTED = re.compile(rf"{_COLUMN} = (?:ANY \({_ARRAY}\)|(?P<one>{_LITERAL}))\)*")
"""A constraint that lists values and nothing else, as PostgreSQL prints it."""
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
    return replace(columns[0], is_nullable=any(each.is_nullable for each in columns), values=values)


def _describe(statement: Statement, database: Database) -> _Variant:
    prepared = database.prepare(statement.sql)
    types = database.name_types([*prepared.parameters, *(column.type for column in prepared.columns)])
    of_parameters, of_columns = types[: len(prepared.parameters)], types[len(prepared.parameters) :]
    plan = database.explain(statement.sql)
    proved = find_never_null(prepared.tree, database.facts, lambda: database.find_kept(plan))
    places = _find_places(statement, prepared.tree)
    columns = tuple(
        Column(column.name, kind, not is_proved, kind.values or _list_values(column.checks), place)
        for column, kind, is_proved, place in zip(prepared.columns, of_columns, proved, places, strict=True)
    )
    return _Variant(dict(zip(statement.parameters, of_parameters, strict=True)), columns)


def _find_places(statement: Statement, tree: Node) -> Iterator[int | None]:
    """Yield for each column the offset of its expression in the template."""
    encoded = statement.sql.encode()
    for target in list_targets(tree):
        at = locate(target)
        yield None if at is None else statement.locate(len(encoded[:at].decode()))


def _list_values(checks: Sequence[str]) -> tuple[str, ...]:
    """Return the only values of a column, by the first constraint that lists them."""
    for check in checks:
        if found := _LISTED.fullmatch(check):
            return tuple(text.replace("''", "'") for text in _TEXT.findall(found["many"] or found["one"]))
    return ()


def _reject(query: NamedQuery, statement: Statement, variant: Variant, error: Rejected) -> Problem:
    """Return PostgreSQL's fault in a statement as a problem of its query."""
    offset = None if error.position is None else statement.locate(error.position)
    absent = sorted({*query.template.optional} - variant.given)
    which = f" (without {', '.join(absent)})" if absent else ""
    return query.problem("QUERY_INVALID", f"PostgreSQL rejects {query.name}{which}: {error}", offset)
