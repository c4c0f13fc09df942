"""Descriptions of queries by a database."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from toolaccord.contract.operations import Privilege
from toolaccord.semantics.sql_templates import Statement, Variant
from toolaccord_codegen.cli.queries.database import Database, Prepared, Rejected
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.queries.descriptions import Column, Description, SqlType
from toolaccord_codegen.queries.files import PAGE_PARAMETERS, NamedQuery
from toolaccord_codegen.queries.nulls import find_never_null, list_expressions
from toolaccord_codegen.queries.trees import Node, locate

_LITERAL = r"'(?:[^']|'')*'::(?:text|character varying)"
_COLUMN = r"\(*(?:\w+|\"(?:[^\"]|\"\")+\")\)?(?:::text)?"
_ARRAY = rf"\(?ARRAY\[(?P<many>{_LITERAL}(?:, {_LITERAL})*)\](?:\)::text\[\])?"
_LISTED = re.compile(rf"{_COLUMN} = (?:ANY \({_ARRAY}\)|(?P<one>{_LITERAL}))\)*")
"""A constraint that lists values and nothing else, as PostgreSQL prints it."""
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_NUMBER = re.compile(r"\$\d+\b")
_BIGINT = SqlType("bigint")
_SELECT, _UTILITY = "1", "6"
"""Kinds of statements."""


class _Variant(NamedTuple):
    """The parameters and columns of one statement of a query."""

    parameters: dict[str, SqlType]
    columns: tuple[Column, ...]
    privileges: Mapping[str, Collection[Privilege]]


def describe_query(query: NamedQuery, database: Database) -> Description | Problem:
    """Return the description that holds for every statement of a query, or the first fault."""
    found = list[_Variant]()
    for variant in query.template.list_variants():
        one = _describe_variant(query, variant, database)
        if isinstance(one, Problem):
            return one
        found.append(one)
    return _find_difference(query, found) or _join(query, found)


def _describe_variant(query: NamedQuery, variant: Variant, database: Database) -> _Variant | Problem:
    """Return what a statement of a query shows, or the first fault in it."""
    statement = query.template.build(variant)
    try:
        prepared = database.prepare(statement.sql)
        if fault := _find_wrong_kind(query, statement, prepared.tree):
            return fault
        found = _describe(statement, prepared, database)
        if query.kind == "page":
            statement = query.template.build_page(variant)
            database.prepare(statement.sql)
        return found
    except Rejected as error:
        return _reject(query, statement, variant, error)


def _find_wrong_kind(query: NamedQuery, statement: Statement, tree: Node) -> Problem | None:
    """Return the problem of a statement that is no query, or no page of one."""
    command = tree.fields.get("commandType")
    if command == _UTILITY:
        sentence = f"{query.name} is no SELECT, INSERT, UPDATE, DELETE or MERGE; put it into a migration"
        return query.problem("QUERY_HEADER", sentence, 0)
    if query.kind != "page":
        return None
    if command != _SELECT:
        return query.problem("QUERY_HEADER", f"a page only reads rows; declare {query.name} as :many", 0)
    if not tree.items("sortClause"):
        sentence = "rows without an order may be on two pages, and on none; end the statement with a line of ORDER BY"
        return query.problem("QUERY_HEADER", sentence, 0)
    if limit := tree.node("limitCount") or tree.node("limitOffset"):
        sentence = "a page has the parameters limit and offset; leave LIMIT, OFFSET and FETCH out of the statement"
        return query.problem("QUERY_HEADER", sentence, _find_place(statement, limit))
    return None


def _find_difference(query: NamedQuery, found: Sequence[_Variant]) -> Problem | None:
    """Return the problem of statements with different columns, or types of a parameter."""
    for other in found[1:]:
        if [(each.name, each.type) for each in other.columns] != [(each.name, each.type) for each in found[0].columns]:
            sentence = "its lines choose between different columns; let all have the same names and types"
            return query.problem("QUERY_COLUMN", sentence)
    for parameter in query.template.parameters:
        types = dict.fromkeys(one.parameters[parameter.name] for one in found if parameter.name in one.parameters)
        if len(types) > 1:
            sentence = f":{parameter.name} is {' or '.join(map(str, types))}, as its lines are chosen; cast it, or give it two names"
            return query.problem("QUERY_PARAMETER", sentence, parameter.start)
    return None


def _join(query: NamedQuery, found: Sequence[_Variant]) -> Description:
    """Return what holds for all statements of a query."""
    parameters = {name: each for one in reversed(found) for name, each in one.parameters.items()}
    if query.kind == "page":
        parameters |= dict.fromkeys(PAGE_PARAMETERS, _BIGINT)
    ordered = {name: parameters[name] for name in _order(query) if name in parameters}
    columns = tuple(_merge(columns) for columns in zip(*(each.columns for each in found), strict=True))
    needed: dict[str, set[Privilege]] = {}
    for one in found:
        for table, privileges in one.privileges.items():
            needed.setdefault(table, set()).update(privileges)
    return Description(ordered, columns, {name: tuple(sorted(needed[name])) for name in sorted(needed)})


def _order(query: NamedQuery) -> list[str]:
    """Return the names of parameters in the order of the text."""
    names = dict.fromkeys(parameter.name for parameter in query.template.parameters)
    return [*names, *(PAGE_PARAMETERS if query.kind == "page" else ())]


def _merge(columns: Sequence[Column]) -> Column:
    """Return what holds for a column in every statement."""
    values = columns[0].values if len({each.values for each in columns}) == 1 else ()
    return replace(next((each for each in columns if each.is_nullable), columns[0]), values=values)


def _describe(statement: Statement, prepared: Prepared, database: Database) -> _Variant:
    types = database.name_types([*prepared.parameters, *(column.type for column in prepared.columns)])
    of_parameters, of_columns = types[: len(prepared.parameters)], types[len(prepared.parameters) :]
    plan = database.explain(statement.sql)
    proved = find_never_null(prepared.tree, database.facts, lambda: database.find_kept(plan))
    places = [_find_place(statement, expression) for expression in list_expressions(prepared.tree)]
    columns = tuple(
        Column(column.name, kind, not is_proved, kind.values or _list_values(column.checks), place)
        for column, kind, is_proved, place in zip(prepared.columns, of_columns, proved, places, strict=True)
    )
    return _Variant(
        dict(zip(statement.parameters, of_parameters, strict=True)), columns, database.find_privileges(prepared.tree)
    )


def _find_place(statement: Statement, expression: Node) -> int | None:
    """Return the offset of an expression in the template; None where it has no place there."""
    at = locate(expression)
    return None if at is None else statement.locate(len(statement.sql.encode()[:at].decode()))


def _list_values(checks: Sequence[str]) -> tuple[str, ...]:
    """Return the only values of a column, by the first constraint that lists them."""
    for check in checks:
        if found := _LISTED.fullmatch(check):
            return tuple(text.replace("''", "'") for text in _TEXT.findall(found["many"] or found["one"]))
    return ()


def _reject(query: NamedQuery, statement: Statement, variant: Variant, error: Rejected) -> Problem:
    """Return PostgreSQL's fault in a statement as a problem of its query."""
    names = {f"${number}": name for number, name in enumerate(statement.parameters, 1)}
    mentioned = [names[each] for each in _NUMBER.findall(str(error)) if each in names]
    sentence = _NUMBER.sub(lambda match: f":{names[match[0]]}" if match[0] in names else match[0], str(error))
    offset = None if error.position is None else min(statement.locate(error.position), len(query.text))
    if offset is None and mentioned:
        offset = query.template.find_parameter(mentioned[0])
    absent = sorted({*query.template.optional} - variant.given)
    chosen = [f"{name} = {choice}" for name, choice in zip(query.template.choices, variant.chosen, strict=True)]
    which = [f"without {', '.join(absent)}"] * bool(absent) + [f"with {', '.join(chosen)}"] * bool(chosen)
    shown = f" ({' and '.join(which)})" if which else ""
    return query.problem("QUERY_INVALID", f"PostgreSQL rejects {query.name}{shown}: {sentence}", offset)
