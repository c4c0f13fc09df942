"""Limit of the values that arguments hold, so that no caller can exhaust a server."""

from __future__ import annotations

from typing import Any

MAX_VALUES = 20_000
"""Members and items that a value may hold, unless its schema admits more by `maxItems`."""


def max_values(schema: Any) -> int:
    """Return the number of members and items that a value of *schema* may hold in all.

    An array without `maxItems` counts as empty, and undeclared members of an object do not count.
    """
    return max(MAX_VALUES, _declared_values(schema))


def _declared_values(schema: Any) -> int:
    if not isinstance(schema, dict):
        return 0
    of_branches = (_declared_values(branch) for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())))
    of_items = int(schema.get("maxItems", 0)) * (1 + _declared_values(schema.get("items")))
    of_members = sum(1 + _declared_values(member) for member in schema.get("properties", {}).values())
    return max(of_items + of_members, *of_branches, 0)


def has_more_values(value: Any, limit: int) -> bool:
    """Return whether *value* holds more than *limit* members and items in all."""
    count, pending = 0, [value]
    while pending:
        here = pending.pop()
        if not isinstance(here, dict | list):
            continue
        count += len(here)
        if count > limit:
            return True
        pending += [each for each in (here.values() if isinstance(here, dict) else here) if type(each) in {dict, list}]
    return False
