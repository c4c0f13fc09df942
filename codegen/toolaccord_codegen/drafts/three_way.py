"""Three-way merges of JSON: an old draft, what its author made of it, and a new draft."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer

ABSENT: Any = object()
"""Stands for a value that one side lacks."""
IDENTITIES = ("name", "code")
"""Members that identify the objects of an array."""


@dataclass(slots=True)
class ContractMerge:
    """Merges contracts, and collects the places that both sides changed."""

    conflicts: list[str] = field(default_factory=list)
    """Places as keys and names of items, e.g. `/tools/get_a`; the edited values stay there."""

    def merge(self, old: Any, edited: Any, new: Any, at: str = "") -> Any:
        """Return the edited value with the changes from the old draft to the new one."""
        if _is_same(edited, new) or _is_same(old, new):
            return edited
        if _is_same(edited, old):
            return new
        sides = (old, edited, new)
        if all(isinstance(side, dict) for side in sides):
            return self._merge_members(old, edited, new, at)
        if key := _find_identity(sides):
            merged = self._merge_members(_index(old, key), _index(edited, key), _index(new, key), at)
            return [*merged.values()]
        self.conflicts.append(at or "/")
        return edited

    def _merge_members(
        self, old: Mapping[str, Any], edited: Mapping[str, Any], new: Mapping[str, Any], at: str
    ) -> dict[str, Any]:
        """Return the members of both sides, those of the edited one first."""
        merged = {
            name: self.merge(
                old.get(name, ABSENT), edited.get(name, ABSENT), new.get(name, ABSENT), join_pointer(at, name)
            )
            for name in dict.fromkeys([*edited, *new, *old])
        }
        return {name: value for name, value in merged.items() if value is not ABSENT}


def _is_same(one: Any, other: Any) -> bool:
    """Return True for equal JSON; 1 and true differ."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _find_identity(sides: Sequence[Any]) -> str | None:
    """Return the member that identifies the items of three arrays; None without one."""
    if not all(isinstance(side, list) for side in sides):
        return None
    for key in (*IDENTITIES, "="):
        if all(_has_identity(side, key) for side in sides):
            return key
    return None


def _has_identity(items: Sequence[Any], key: str) -> bool:
    """Return True if *key* tells the items of an array apart; `=` stands for texts themselves."""
    names = [each if key == "=" else each.get(key) if isinstance(each, dict) else None for each in items]
    return all(isinstance(name, str) for name in names) and len({*names}) == len(names)


def _index(items: Sequence[Any], key: str) -> dict[str, Any]:
    return {each if key == "=" else each[key]: each for each in items}
