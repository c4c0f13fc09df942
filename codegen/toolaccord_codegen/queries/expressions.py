"""Expressions of SQL that are never null, whatever the tables hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sqlglot import exp

NotNull: TypeAlias = Mapping[str, frozenset[str]]
"""The columns that are never null, by table; tables that an outer join makes null are left out."""
_RANKS = frozenset({"RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile", "Count"})
_ROWS_MAY_VANISH = ("group", "having", "limit", "offset", "qualify", "distinct")
"""Clauses with which even an aggregate may give no row."""


def find_proved(sql: str, not_null: NotNull) -> list[bool]:
    """Return for each column of a statement whether its expression is never null.

    Empty where nobody can tell: for a text that the parser does not read, and for columns behind a star.
    """
    import sqlglot  # noqa: PLC0415 - takes 100 ms to load
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 - likewise
    from sqlglot.optimizer.normalize_identifiers import normalize_identifiers  # noqa: PLC0415 - likewise

    try:
        statement = normalize_identifiers(sqlglot.parse_one(sql, dialect="postgres"), dialect="postgres")
    except SqlglotError:
        return []
    returning = statement.args.get("returning")
    columns = returning.expressions if returning else statement.expressions
    if returning or not isinstance(statement, sqlglot.exp.Select):
        not_null = {}  # a row of MERGE or one before a change may be missing
    if not (returning or isinstance(statement, sqlglot.exp.Select)) or any(column.is_star for column in columns):
        return []
    proof = _Proof(not_null)
    return [proof.holds(column) for column in columns]


@dataclass(frozen=True, slots=True)
class _Proof:
    """Rules by which an expression is never null."""

    not_null: NotNull

    def holds(self, expression: exp.Expression) -> bool:
        """Return whether an expression is never null."""
        for kind in type(expression).__mro__:
            if rule := _RULES.get(kind.__name__):
                return rule(self, expression)
        return False

    def always(self, _: exp.Expression) -> bool:
        """Judge what has a value even for nulls."""
        return True

    def of_operands(self, expression: exp.Expression) -> bool:
        """Judge what is null for a null operand alone."""
        operands = [each for key in ("this", "expression") if (each := expression.args.get(key)) is not None]
        return bool(operands) and all(map(self.holds, operands))

    def of_filtered(self, expression: exp.Expression) -> bool:
        """Judge an aggregate of some of the rows."""
        return self.holds(expression.this)

    def of_any(self, expression: exp.Expression) -> bool:
        """Judge what is null if all its arguments are."""
        return any(map(self.holds, [expression.this, *expression.expressions]))

    def of_cast(self, expression: exp.Expression) -> bool:
        """Judge a cast: a null inside JSON becomes one of SQL, so its columns must be proved."""
        columns = expression.this.find_all(_class("Column"))
        return self.holds(expression.this) and all(
            each.find_ancestor(_class("AggFunc")) or self.of_column(each) for each in columns
        )

    def of_case(self, expression: exp.Expression) -> bool:
        """Judge a CASE, which is null without a branch that applies."""
        default = expression.args.get("default")
        branches = [each.args["true"] for each in expression.args["ifs"]]
        return default is not None and all(map(self.holds, [default, *branches]))

    def of_window(self, expression: exp.Expression) -> bool:
        """Judge a window function: ranks and counts have values in every row."""
        return type(expression.this).__name__ in _RANKS

    def of_subquery(self, expression: exp.Expression) -> bool:
        """Judge a subquery for one value: an aggregate of all rows always gives one."""
        select = expression.this
        if type(select).__name__ != "Select" or len(select.expressions) != 1:
            return False
        column = select.expressions[0]
        aggregates = [each for each in column.find_all(_class("AggFunc")) if each.parent_select is select]
        is_certain = not any(select.args.get(key) for key in _ROWS_MAY_VANISH) and not column.find(_class("Window"))
        return bool(aggregates) and is_certain and self.holds(column)

    def of_column(self, column: exp.Expression) -> bool:
        """Judge a column by its table, or by the subquery or the common table expression that it comes from."""
        source = _find_source(column)
        if type(source).__name__ == "Table" and source is not None:
            return not source.args.get("db") and column.name in self.not_null.get(source.name, ())
        inner = [each for each in source.expressions if each.alias_or_name == column.name] if source is not None else []
        return len(inner) == 1 and self.holds(inner[0])


def _find_source(column: exp.Expression) -> exp.Expression | None:
    """Return the table or the SELECT that a column comes from.

    None where nobody can tell, or where an outer join may make the columns of a subquery null.
    """
    select = column.parent_select
    if type(select).__name__ != "Select" or select is None or _has_grouping_sets(select):
        return None
    joins = select.args.get("joins") or []
    items = [select.args["from_"].this] if select.args.get("from_") else []
    items += [join.this for join in joins]
    table = column.text("table")
    found = [each for each in items if each.alias_or_name == table or not table]
    if len(found) != 1 or found[0].args.get("joins") or found[0].alias_column_names:
        return None
    source = _unwrap(found[0])
    if type(source).__name__ == "Table":
        return source
    is_nullable = any(join.side in {"RIGHT", "FULL"} or (join.side and join.this is found[0]) for join in joins)
    return None if is_nullable else source


def _unwrap(item: exp.Expression) -> exp.Expression | None:
    """Return the SELECT behind a subquery or a common table expression, a table itself, and None for others."""
    if type(item).__name__ == "Table":
        found = _find_cte(item)
        if found is None:
            return item
        clause, above = found.parent, _list_ancestors(item)
        is_unclear = clause is None or clause.args.get("recursive") or found in above or found.alias_column_names
        return None if is_unclear else _only_select(found.this)
    inner = item.this if type(item).__name__ == "Lateral" else item
    return _only_select(inner.this) if type(inner).__name__ == "Subquery" else None


def _find_cte(table: exp.Expression) -> exp.Expression | None:
    """Return the nearest common table expression with the name of a table."""
    for above in _list_ancestors(table):
        clause = above.args.get("with_")
        for each in clause.expressions if clause else ():
            if each.alias == table.name:
                found: exp.Expression = each
                return found
    return None


def _list_ancestors(expression: exp.Expression) -> list[exp.Expr]:
    found, above = list[Any](), expression.parent
    while above is not None:
        found.append(above)
        above = above.parent
    return found


def _only_select(expression: exp.Expression) -> exp.Expression | None:
    return expression if type(expression).__name__ == "Select" else None


def _has_grouping_sets(select: exp.Expression) -> bool:
    group = select.args.get("group")
    return group is not None and any(group.args.get(key) for key in ("rollup", "cube", "grouping_sets", "totals"))


def _class(name: str) -> type[exp.Expression]:
    from sqlglot import exp  # noqa: PLC0415 - takes 100 ms to load

    found: type[exp.Expression] = getattr(exp, name)
    return found


_RULES: Mapping[str, Callable[[_Proof, Any], bool]] = {
    **dict.fromkeys(
        ("Literal", "Boolean", "Count", "Exists", "Array", "CurrentTimestamp", "CurrentDate"), _Proof.always
    ),
    **dict.fromkeys(("Is", "NullSafeEQ", "NullSafeNEQ"), _Proof.always),
    **dict.fromkeys(("Alias", "Paren", "Not", "Neg", "Upper", "Lower", "Abs"), _Proof.of_operands),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "DPipe", "And", "Or"), _Proof.of_operands),
    **dict.fromkeys(("EQ", "NEQ", "GT", "GTE", "LT", "LTE"), _Proof.of_operands),
    **dict.fromkeys(("Coalesce", "Greatest", "Least"), _Proof.of_any),
    "Case": _Proof.of_case,
    "Cast": _Proof.of_cast,
    "Column": _Proof.of_column,
    "Filter": _Proof.of_filtered,
    "Subquery": _Proof.of_subquery,
    "Window": _Proof.of_window,
}
"""Rules by the class of an expression."""
