"""Tables whose rows no outer join makes null, read from a plan.

An outer join makes the columns of one of its sides null where it finds no partner. The plan shows the joins that are
left after the planner has removed those that cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Plan: TypeAlias = Mapping[str, Any]
Table: TypeAlias = tuple[str, str]
"""Schema and name."""

_NULLABLE_SIDES: Mapping[str, tuple[str, ...]] = {
    "Left": ("Inner",),
    "Anti": ("Inner",),
    "Right": ("Outer",),
    "Right Anti": ("Outer",),
    "Full": ("Outer", "Inner"),
}
"""The sides of a join that may have nulls, by its type."""
_WITHOUT_TABLE = frozenset({"Bitmap Index Scan", "Function Scan", "Table Function Scan", "Values Scan"})
"""The lowest steps of a plan that read no table, or one that the step above names."""


class UnknownTables(Exception):
    """The plan does not tell which tables a step reads."""


def find_kept_tables(plan: Plan, find_ancestors: Callable[[Table], set[Table]]) -> set[Table]:
    """Return the tables that the plan reads below no nullable side of an outer join.

    Those count that a table is part of, too. Raises UnknownTables.
    """
    ctes = _find_ctes(plan)
    nullable: set[Table] = set()
    for node in _walk(plan):
        sides = _NULLABLE_SIDES.get(node.get("Join Type", ""), ())
        for child in node.get("Plans", ()):
            if child.get("Parent Relationship") in sides:
                nullable |= _list_tables(child, ctes)
    read = {(node["Schema"], node["Relation Name"]) for node in _walk(plan) if "Relation Name" in node}
    return read.union(*map(find_ancestors, read)) - nullable.union(*map(find_ancestors, nullable))


def _find_ctes(plan: Plan) -> Mapping[str, Sequence[Plan]]:
    """Return the plans of common table expressions by name, which several may share."""
    found: dict[str, list[Plan]] = {}
    for node in _walk(plan):
        if (name := node.get("Subplan Name", "")).startswith("CTE "):
            found.setdefault(name.removeprefix("CTE "), []).append(node)
    return found


def _walk(plan: Plan) -> Iterator[Plan]:
    """Yield a plan and all plans below it."""
    yield plan
    for child in plan.get("Plans", ()):
        yield from _walk(child)


def _list_tables(plan: Plan, ctes: Mapping[str, Sequence[Plan]], seen: frozenset[str] = frozenset()) -> set[Table]:
    """Return the tables that a plan reads, also in its CTEs. Raises UnknownTables."""
    found: set[Table] = set()
    for node in _walk(plan):
        name = node.get("CTE Name", "")
        if "Relation Name" in node:
            found.add((node["Schema"], node["Relation Name"]))
        elif name in ctes and name not in seen:
            found = found.union(*(_list_tables(each, ctes, seen | {name}) for each in ctes[name]))
        elif not name and "Plans" not in node and not _reads_nothing(node):
            raise UnknownTables  # such as a table that is known to give no rows
    return found


def _reads_nothing(node: Plan) -> bool:
    """Return whether a step without others below it reads no table."""
    return node["Node Type"] in _WITHOUT_TABLE or (node["Node Type"] == "Result" and "One-Time Filter" not in node)
