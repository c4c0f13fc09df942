"""Expressions of SQL that are never null, whatever the tables hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlglot import exp


def find_proved(sql: str) -> list[bool]:
    """Return for each column of a statement whether its expression is never null.

    Empty where nobody can tell: for a text that the parser does not read, and for columns behind a star.
    """
    import sqlglot  # noqa: PLC0415 - takes 100 ms to load
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 - likewise

    try:
        statement = sqlglot.parse_one(sql, dialect="postgres")
    except SqlglotError:
        return []
    returning = statement.args.get("returning")
    columns = returning.expressions if returning else statement.expressions
    if not isinstance(statement, sqlglot.exp.Select) and not returning:
        return []
    return [] if any(column.is_star for column in columns) else [is_never_null(column) for column in columns]


def is_never_null(expression: exp.Expression) -> bool:
    """Return whether an expression is never null. A column may be."""
    for kind in type(expression).__mro__:
        if rule := _RULES.get(kind.__name__):
            return rule(expression)
    return False


def _always(_: exp.Expression) -> bool:
    return True


def _operands(expression: exp.Expression) -> bool:
    """Judge what is null for a null operand alone."""
    operands = [each for each in (expression.args.get("this"), expression.args.get("expression")) if each is not None]
    return bool(operands) and all(map(is_never_null, operands))


def _any(expression: exp.Expression) -> bool:
    """Judge what is null if all its arguments are."""
    return any(map(is_never_null, [expression.this, *expression.expressions]))


def _cast(expression: exp.Expression) -> bool:
    """Judge a cast: a null inside JSON becomes one of SQL, so no column may be cast."""
    columns = expression.this.find_all(_class("Column"))
    return is_never_null(expression.this) and all(each.find_ancestor(_class("AggFunc")) for each in columns)


def _case(expression: exp.Expression) -> bool:
    default = expression.args.get("default")
    branches = [each.args["true"] for each in expression.args["ifs"]]
    return default is not None and all(map(is_never_null, [default, *branches]))


def _window(expression: exp.Expression) -> bool:
    return type(expression.this).__name__ in _RANKS or type(expression.this).__name__ == "Count"


def _subquery(expression: exp.Expression) -> bool:
    """Judge a subquery for one value: without groups, an aggregate always gives one row."""
    select = expression.this
    if type(select).__name__ != "Select" or len(select.expressions) != 1:
        return False
    if any(select.args.get(key) for key in ("group", "having", "limit", "offset", "qualify", "distinct")):
        return False
    column = select.expressions[0]
    aggregates = [each for each in column.find_all(_class("AggFunc")) if each.parent_select is select]
    return bool(aggregates) and not column.find(_class("Window")) and is_never_null(column)


def _class(name: str) -> type[exp.Expression]:
    from sqlglot import exp  # noqa: PLC0415 - takes 100 ms to load

    found: type[exp.Expression] = getattr(exp, name)
    return found


_RANKS = frozenset({"RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile"})
_RULES: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(
        ("Literal", "Boolean", "Count", "Exists", "Array", "ArraySize", "CurrentTimestamp", "CurrentDate"), _always
    ),
    **dict.fromkeys(("Is", "NullSafeEQ", "NullSafeNEQ"), _always),
    **dict.fromkeys(("Alias", "Paren", "Not", "Neg", "Upper", "Lower", "Abs", "Round"), _operands),
    **dict.fromkeys(
        ("Add", "Sub", "Mul", "Div", "DPipe", "And", "Or", "EQ", "NEQ", "GT", "GTE", "LT", "LTE"), _operands
    ),
    **dict.fromkeys(("Coalesce", "Greatest", "Least"), _any),
    "Cast": _cast,
    "Case": _case,
    "Window": _window,
    "Subquery": _subquery,
}
"""Rules by the class of an expression."""
