"""Compare the member names of two object schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codegen.loading.schema_nodes import SchemaNode

RENAMED_FROM = "x-renamed-from"
"""The keyword for the old name of a member."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The names of members by their change."""

    shared: list[str]
    renamed: Mapping[str, str]
    """New names by old names."""
    removed: list[str]
    added: list[str]
    newly_required: list[str]
    """Shared members that were optional."""
    newly_optional: list[str]
    """Shared members that were required."""

    @classmethod
    def compare(cls, old: SchemaNode, new: SchemaNode) -> Members:
        """Compare the members of two schemas."""
        before, after = old.properties, new.properties
        removed = [name for name in before if name not in after]
        added = [name for name in after if name not in before]
        names = _renamed_members(old, new, removed, added)
        return cls(
            shared=[name for name in before if name in after],
            renamed=names,
            removed=[name for name in removed if name not in names],
            added=[name for name in added if name not in names.values()],
            newly_required=[name for name in new.required if name not in old.required and name not in added],
            newly_optional=[name for name in old.required if name not in new.required and name not in removed],
        )


def _renamed_members(old: SchemaNode, new: SchemaNode, removed: list[str], added: list[str]) -> dict[str, str]:
    """Return new names by old names.

    A rename is declared, or the two members are the only similar ones.
    """
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
