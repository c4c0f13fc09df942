"""Columns of a statement that are never null, proved on PostgreSQL's own tree of it.

In this tree each name is resolved, each view is expanded, and each column of a table has the outer joins that may make
it null. What no rule proves may be null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolaccord_codegen.queries.trees import Node

_SELECT = "1"
_MERGE = "5"
_CURRENT_SCHEMA = "14"
"""The one word of SQL that is null where the search path is empty."""
_DIFFERENT_ROW_COUNT = ("groupClause", "groupingSets", "havingQual", "limitCount", "limitOffset", "setOperations")
"""Clauses without which an aggregate gives exactly one row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The tables and functions of a database that prove something, by their oids."""

    not_null: frozenset[tuple[int, int]]
    """The columns that are never null: tables and numbers of columns."""
    strict: frozenset[int]
    """Functions that give null for an argument that is null, and for no other."""
    certain: frozenset[int]
    """Functions that never give null."""
    counting: frozenset[int]
    """Aggregates and window functions that never give null."""
    gathering: frozenset[int]
    """Aggregates that give null for no values alone."""


def find_never_null(tree: Node, facts: Facts, find_kept: Callable[[], frozenset[int]]) -> list[bool]:
    """Return for each column of a statement whether it is proved that it is never null.

    *find_kept* finds the tables that no outer join makes null, although one could by the statement's text.
    """
    proof = _Proof(facts, find_kept, (tree,))
    return [_is_proved(proof, target.number("resno")) for target in list_targets(tree)]


def list_targets(query: Node) -> Sequence[Node]:
    """Return the columns of a query's rows."""
    name = "targetList" if query.fields.get("commandType") == _SELECT else "returningList"
    return [target for target in query.nodes(name) if not target.is_true("resjunk")]


def list_expressions(query: Node) -> list[Node]:
    """Return the expression of each column of a query's rows; those of GROUP BY as written."""
    return [_write_out(query, target.fields["expr"]) for target in list_targets(query)]


def _write_out(query: Node, expression: Node) -> Node:
    if expression.kind != "VAR" or expression.number("varlevelsup"):
        return expression
    item = query.nodes("rtable")[expression.number("varno") - 1]
    grouped = item.nodes("groupexprs")
    return grouped[expression.number("varattno") - 1] if grouped else expression


def _is_proved(proof: _Proof, number: int) -> bool:
    try:
        return proof.of_target(number)
    except RecursionError:  # an expression with hundreds of operators in a row
        return False


@dataclass(frozen=True, slots=True)
class _Proof:
    """The rules by which an expression of a query is never null."""

    facts: Facts
    find_kept: Callable[[], frozenset[int]]
    queries: tuple[Node, ...]
    """The query of the expression, behind those that contain it."""
    assumed: frozenset[tuple[int, int]] = frozenset()
    """Columns of recursive queries whose proof this is a part of."""
    may_be_absent: bool = False
    """True where an outer join may give nulls in place of the row.

    Only a column that it keeps is a proof then.
    """

    @property
    def query(self) -> Node:
        """Return the query of the expression."""
        return self.queries[-1]

    def holds(self, expression: Node | None) -> bool:
        """Return whether an expression is never null."""
        rule = _RULES.get(expression.kind) if expression else None
        return rule is not None and rule(self, expression)

    def of_target(self, number: int) -> bool:
        """Judge a column of the query's rows."""
        if operation := self.query.node("setOperations"):
            return all(map(self.of_arm(number), _list_arms(operation)))
        target = next((each for each in list_targets(self.query) if each.number("resno") == number), None)
        expression = target.node("expr") if target else None
        is_grouped_in_place = self.query.items("groupingSets") and not self.query.is_true("hasGroupRTE")
        if is_grouped_in_place and (expression is None or expression.kind not in {"AGGREF", "GROUPINGFUNC"}):
            return False  # before PostgreSQL 18, no tree shows which expressions the sets make null
        return self.holds(expression)

    def of_arm(self, number: int) -> Callable[[int], bool]:
        """Return the judgement of a column of one query of a UNION, by the query's index."""

        def judge(index: int) -> bool:
            query = self.query.nodes("rtable")[index - 1].node("subquery")
            return query is not None and self._enter(self.queries, query).of_target(number)

        return judge

    def always(self, _: Node) -> bool:
        """Judge what has a value even for nulls."""
        return not self.may_be_absent

    def of_argument(self, expression: Node) -> bool:
        """Judge what is null for its argument alone."""
        return self.holds(expression.node("arg"))

    def of_all(self, expression: Node) -> bool:
        """Judge what is null for a null argument alone."""
        return all(map(self.holds, expression.nodes("args")))

    def of_any(self, expression: Node) -> bool:
        """Judge what is null if all its arguments are."""
        return any(map(self.holds, expression.nodes("args")))

    def of_constant(self, constant: Node) -> bool:
        """Judge a literal."""
        return self.always(constant) and not constant.is_true("constisnull")

    def of_word(self, word: Node) -> bool:
        """Judge a word such as CURRENT_DATE."""
        return self.always(word) and word.fields.get("op") != _CURRENT_SCHEMA

    def of_function(self, call: Node) -> bool:
        """Judge a call of a function."""
        function = call.number("funcid")
        if function in self.facts.certain:
            return self.always(call) and not call.is_true("funcvariadic")
        return function in self.facts.strict and bool(call.items("args")) and self.of_all(call)

    def of_operator(self, operation: Node) -> bool:
        """Judge an operator."""
        return operation.number("opfuncid") in self.facts.strict and self.of_all(operation)

    def of_list(self, operation: Node) -> bool:
        """Judge a comparison with the items of a list, such as IN."""
        value, items = operation.nodes("args")
        items = items.node("arg") or items  # behind a cast of the whole list
        return (
            operation.number("opfuncid") in self.facts.strict
            and items.kind == "ARRAYEXPR"
            and all(map(self.holds, [value, *items.nodes("elements")]))
        )

    def of_case(self, case: Node) -> bool:
        """Judge a CASE, which is null without a branch that applies."""
        results = [branch.node("result") for branch in case.nodes("args")]
        return all(map(self.holds, [*results, case.node("defresult")]))

    def of_aggregate(self, call: Node) -> bool:
        """Judge an aggregate: with GROUP BY, it has at least one row."""
        if call.number("aggfnoid") in self.facts.counting:
            return self.always(call)
        is_of_rows = call.number("agglevelsup") == 0 and call.node("aggfilter") is None
        is_of_rows &= bool(self.query.items("groupClause")) and not self.query.items("groupingSets")
        values = [argument.node("expr") for argument in call.nodes("args")[:1]]
        return call.number("aggfnoid") in self.facts.gathering and is_of_rows and self.holds(*values)

    def of_window(self, call: Node) -> bool:
        """Judge a window function."""
        return call.number("winfnoid") in self.facts.counting and self.always(call)

    def of_link(self, link: Node) -> bool:
        """Judge a subquery for one value, for EXISTS, or for an array."""
        kind, query = link.fields.get("subLinkType"), link.node("subselect")
        if self.may_be_absent or query is None or kind not in {_EXISTS, _EXPRESSION, _ARRAY}:
            return False
        return kind != _EXPRESSION or (_has_one_row(query) and self._enter(self.queries, query).of_target(1))

    def of_variable(self, variable: Node) -> bool:
        """Judge a column of a table, of a subquery or of another item of FROM."""
        above, number, index = (variable.number(name) for name in ("varlevelsup", "varattno", "varno"))
        if self.may_be_absent and above:
            return False  # a row of the query around it does not tell that there is one of this query
        queries = self.queries[: len(self.queries) - above]
        is_unclear = variable.number("varreturningtype") or number <= 0 or "varnullingrels" not in variable.fields
        if is_unclear or (queries[-1].fields.get("commandType") == _MERGE and not _is_target(queries[-1], index)):
            return False  # a row before or after a change, a row as a value, and a source of MERGE
        item, nulling = queries[-1].nodes("rtable")[index - 1], variable.items("varnullingrels")
        rule = _ITEM_RULES.get(str(item.fields.get("rtekind")))
        if rule is None or (nulling and "groupexprs" in item.fields):
            return False  # grouping sets make it null, whatever its table holds
        return rule(replace(self, queries=queries, may_be_absent=self.may_be_absent or bool(nulling)), item, number)

    def of_table(self, item: Node, number: int) -> bool:
        """Judge a column of a table."""
        table = item.number("relid")
        return (table, number) in self.facts.not_null and (not self.may_be_absent or table in self.find_kept())

    def of_subquery(self, item: Node, number: int) -> bool:
        """Judge a column of a subquery or of a view."""
        query = item.node("subquery")
        return query is not None and self._enter(self.queries, query).of_target(number)

    def of_expressions(self, item: Node, number: int) -> bool:
        """Judge a column of a join, or of GROUP BY, which is an expression of the same query."""
        return self.holds((item.items("joinaliasvars") or item.items("groupexprs"))[number - 1])

    def of_values(self, item: Node, number: int) -> bool:
        """Judge a column of VALUES."""
        return all(self.holds(row[number - 1]) for row in item.items("values_lists"))

    def of_common_table(self, item: Node, number: int) -> bool:
        """Judge a column of a common table expression.

        That of a recursive one is never null if its first rows have none, and rows without a null give such rows.
        """
        queries = self.queries[: len(self.queries) - item.number("ctelevelsup")]
        name = item.fields.get("ctename")
        found = [each for each in queries[-1].nodes("cteList") if each.fields.get("ctename") == name]
        query = found[0].node("ctequery") if len(found) == 1 else None
        if query is None or (id(query), number) in self.assumed:
            return query is not None and not self.may_be_absent
        assumed = self.assumed | {(id(query), number)} if found[0].is_true("cterecursive") else self.assumed
        return replace(self._enter(queries, query), assumed=assumed).of_target(number)

    def _enter(self, queries: tuple[Node, ...], query: Node) -> _Proof:
        return replace(self, queries=(*queries, query))


def _is_target(query: Node, index: int) -> bool:
    """Return whether an item is the table that a statement changes."""
    return query.number("resultRelation") == index


def _has_one_row(query: Node) -> bool:
    """Return whether a query gives exactly one row, whatever tables hold."""
    if query.is_true("hasTargetSRFs") or any(query.fields.get(name) for name in _DIFFERENT_ROW_COUNT):
        return False
    tree = query.node("jointree")
    has_no_source = tree is not None and not tree.items("fromlist") and tree.node("quals") is None
    return query.is_true("hasAggs") or has_no_source


def _list_arms(operation: Node) -> list[int]:
    """Return the indexes of the queries that a UNION combines."""
    return [each.number("rtindex") for each in operation.walk() if each.kind == "RANGETBLREF"]


_EXISTS, _EXPRESSION, _ARRAY = "0", "4", "6"
"""Kinds of subqueries in expressions."""
_RULES: Mapping[str, Callable[[_Proof, Any], bool]] = {
    **dict.fromkeys(("ARRAYEXPR", "BOOLEANTEST", "DISTINCTEXPR", "GROUPINGFUNC", "NULLTEST"), _Proof.always),
    **dict.fromkeys(("ARRAYCOERCEEXPR", "COERCETODOMAIN", "COERCEVIAIO", "COLLATEEXPR"), _Proof.of_argument),
    **dict.fromkeys(("NAMEDARGEXPR", "RELABELTYPE"), _Proof.of_argument),
    **dict.fromkeys(("COALESCEEXPR", "MINMAXEXPR"), _Proof.of_any),
    "AGGREF": _Proof.of_aggregate,
    "BOOLEXPR": _Proof.of_all,
    "CASEEXPR": _Proof.of_case,
    "CONST": _Proof.of_constant,
    "FUNCEXPR": _Proof.of_function,
    "OPEXPR": _Proof.of_operator,
    "SCALARARRAYOPEXPR": _Proof.of_list,
    "SQLVALUEFUNCTION": _Proof.of_word,
    "SUBLINK": _Proof.of_link,
    "VAR": _Proof.of_variable,
    "WINDOWFUNC": _Proof.of_window,
}
"""Rules by the kind of an expression."""
_ITEM_RULES: Mapping[str, Callable[[_Proof, Node, int], bool]] = {
    "0": _Proof.of_table,
    "1": _Proof.of_subquery,
    "2": _Proof.of_expressions,
    "5": _Proof.of_values,
    "6": _Proof.of_common_table,
    "9": _Proof.of_expressions,
}
"""Rules by the kind of an item of FROM."""
