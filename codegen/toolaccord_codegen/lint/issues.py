"""Issues that lint rules report, and the additions that fix them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import Place

NAMES = {"tools": "name", "resources": "name", "errors": "code", "versions": "version"}
"""Arrays whose items have a name, and the key of that name."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A member whose addition fixes an issue."""

    holder: Place
    """The object that lacks the member."""
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Issue:
    """A rule's report about one place."""

    rule: str
    place: Place
    message: str
    """The defect and its cure."""
    facts: tuple[str, ...] = ()
    """Facts that are part of the fingerprint."""
    additions: tuple[Addition, ...] = ()

    @property
    def stable_pointer(self) -> str:
        """The JSON pointer with names instead of indices, so that it survives insertions."""
        value: Any = self.place.document.value
        found, holder = "", ""
        for token in split_pointer(self.place.pointer):
            if isinstance(value, list):
                value = value[int(token)] if int(token) < len(value) else None
                found = join_pointer(found, as_object(value).get(NAMES.get(holder, ""), token))
            else:
                value = as_object(value).get(token)
                found = join_pointer(found, token)
            holder = token
        return found


def string_items(value: Any) -> list[str]:
    """Return the strings in an array."""
    return [part for part in as_array(value) if isinstance(part, str)]
