"""Match the renamed members of two object schemas."""

from __future__ import annotations

from codegen.loading.schema_nodes import SchemaNode

RENAMED_FROM = "x-renamed-from"
"""The keyword for the old name of a member."""


def renamed_members(old: SchemaNode, new: SchemaNode) -> dict[str, str]:
    """Return new names by old names.

    A rename is declared, or the two members are the only similar ones.
    """
    removed = [name for name in old.properties if name not in new.properties]
    added = [name for name in new.properties if name not in old.properties]
    found: dict[str, str] = {}
    for name in added:
        old_name = new.child("properties", name).value(RENAMED_FROM)
        if old_name in removed:
            found[old_name] = name
    likely = {
        before: [after for after in added if after not in found.values() and _are_alike(old, before, new, after)]
        for before in removed
        if before not in found
    }
    for before, names in likely.items():
        others = [other for other, candidates in likely.items() if other != before and set(candidates) & set(names)]
        if len(names) == 1 and not others:
            found[before] = names[0]
    return found


def _are_alike(old: SchemaNode, before: str, new: SchemaNode, after: str) -> bool:
    """Return True if two members have the same specific schema and are equally required."""
    schema = old.child("properties", before).constraints
    same_schema = bool(schema) and schema == new.child("properties", after).constraints
    return same_schema and (before in old.required) == (after in new.required)
