"""Tables whose columns may be null although their constraints say otherwise, read from a plan.

An outer join makes the columns of one of its sides null where it finds no partner. The plan shows the joins that are
left after the planner has removed those that cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
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
_OLD_OR_NEW = re.compile(r"\b(?:old|new)\.")
"""A row before or after a change, which is null for an inserted or a deleted one."""


class UnknownNulls(Exception):
    """The plan does not tell which columns may be null."""


def find_nullable_tables(plan: Plan, find_ancestors: Callable[[Table], set[Table]]) -> set[Table]:
    """Return the tables below the nullable side of an outer join, with those that they are part of.

    Raises UnknownNulls.
    """
    nodes = [*_walk(plan)]
    ctes = {node["Subplan Name"].removeprefix("CTE "): node for node in nodes if "Subplan Name" in node}
    found: set[Table] = set()
    for node in nodes:
        if "Grouping Sets" in node:
            raise UnknownNulls
        if node["Node Type"] == "ModifyTable" and any(map(_OLD_OR_NEW.search, node.get("Output", ()))):
            raise UnknownNulls
        sides = _NULLABLE_SIDES.get(node.get("Join Type", ""), ())
        for child in node.get("Plans", ()):
            if child.get("Parent Relationship") in sides:
                found |= _list_tables(child, ctes)
    return found.union(*map(find_ancestors, found))


def _walk(plan: Plan) -> Iterator[Plan]:
    """Yield a plan and all plans below it."""
    yield plan
    for child in plan.get("Plans", ()):
        yield from _walk(child)


def _list_tables(plan: Plan, ctes: Mapping[str, Plan], seen: frozenset[str] = frozenset()) -> set[Table]:
    """Return the tables that a plan reads, also through common table expressions. Raises UnknownNulls."""
    found: set[Table] = set()
    for node in _walk(plan):
        if "Relation Name" in node:
            found.add((node["Schema"], node["Relation Name"]))
        elif (name := node.get("CTE Name")) and name not in seen:
            if name not in ctes and node["Node Type"] == "CTE Scan":
                raise UnknownNulls
            found |= _list_tables(ctes[name], ctes, seen | {name}) if name in ctes else set()
        elif "Plans" not in node and node["Node Type"] not in {"Function Scan", "Values Scan", "Table Function Scan"}:
            raise UnknownNulls  # such as a table that is known to give no rows
    return found
