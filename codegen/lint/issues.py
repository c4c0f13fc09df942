"""What a rule has against a place in a contract, before anybody knows whether it is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.loading.documents import join_pointer, split_pointer
from codegen.loading.references import as_array, as_object
from codegen.loading.schema_nodes import Place

NAMES = {"tools": "name", "errors": "code", "versions": "version"}
"""The arrays whose elements have a name, and the key that it stands under."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A member that would mend it."""

    holder: Place
    """The object that lacks it."""
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Complaint:
    """One rule against one place."""

    rule: str
    place: Place
    sentence: str
    """What is wrong, and how to mend it."""
    facts: tuple[str, ...] = ()
    """What else makes it another finding when it changes."""
    additions: tuple[Addition, ...] = ()

    @property
    def lasting(self) -> str:
        """Where it stands, by names instead of numbers, so that it is the same when something is put before it."""
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


def texts(value: Any) -> list[str]:
    """The texts of an array."""
    return [part for part in as_array(value) if isinstance(part, str)]
