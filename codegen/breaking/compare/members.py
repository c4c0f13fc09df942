"""The members of an object, old and new: which stayed, came, went, or have another name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codegen.loading.schema_nodes import SchemaNode

RENAMED_FROM = "x-renamed-from"
"""With it a member says what it was called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """Names of members."""

    shared: list[str]
    renamed: Mapping[str, str]
    """Old names, and the new ones."""
    removed: list[str]
    added: list[str]
    must: list[str]
    """Those that could be absent and no longer can."""
    may: list[str]
    """Those that can be absent now."""

    @classmethod
    def of(cls, old: SchemaNode, new: SchemaNode) -> Members:
        """Compare the members of two schemas."""
        before, after = old.properties, new.properties
        gone = [name for name in before if name not in after]
        come = [name for name in after if name not in before]
        names = renamings(old, new, gone, come)
        return cls(
            shared=[name for name in before if name in after],
            renamed=names,
            removed=[name for name in gone if name not in names],
            added=[name for name in come if name not in names.values()],
            must=[name for name in new.required if name not in old.required and name not in come],
            may=[name for name in old.required if name not in new.required and name not in gone],
        )


def renamings(old: SchemaNode, new: SchemaNode, gone: list[str], come: list[str]) -> dict[str, str]:
    """Which members have another name: those that say so, else the only two that are alike."""
    found: dict[str, str] = {}
    for name in come:
        said = new.child("properties", name).value(RENAMED_FROM)
        if said in gone:
            found[said] = name
    likely = {
        before: [after for after in come if after not in found.values() and alike(old, before, new, after)]
        for before in gone
        if before not in found
    }
    for before, names in likely.items():
        others = [other for other, candidates in likely.items() if other != before and set(candidates) & set(names)]
        if len(names) == 1 and not others:
            found[before] = names[0]
    return found


def alike(old: SchemaNode, before: str, new: SchemaNode, after: str) -> bool:
    """Whether two members admit the same values, and not just any, and are both required or both not."""
    schema = old.child("properties", before).constraints
    same_schema = bool(schema) and schema == new.child("properties", after).constraints
    return same_schema and (before in old.required) == (after in new.required)
