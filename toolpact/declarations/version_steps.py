"""Steps between two versions of a tool, as the compiler declares them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

Lookup: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""Says what a value becomes, given the value and the call's record."""


class Absence(Enum):
    """That there is no value, not even null."""

    ABSENT = "absent"


ABSENT: Final = Absence.ABSENT


@dataclass(frozen=True, slots=True)
class Move:
    """A member that has another place, or another value, in the newer version."""

    source: str
    """Where it is in the older version."""
    target: str
    """Where it is in the newer version; objects that are not there yet are made."""
    values: tuple[tuple[str, str], ...] = ()
    """What the older version says, and what the newer says instead; anything else is carried as it is."""
    lookup: Lookup | None = None
    """What says the value at the other end, where no rule can: upwards in a request, downwards in a result."""


@dataclass(frozen=True, slots=True)
class Add:
    """A member that only the newer version has."""

    pointer: str
    """Where it is; it is put there where the object it belongs to is there."""
    value: Any
    """What it is for whoever speaks the older version; nothing is put where it is absent."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A member that only the older version has."""

    pointer: str
    """Where it is."""
    default: Any = ABSENT
    """What whoever speaks the older version is told; nothing where it is absent."""


Step: TypeAlias = Move | Add | Drop
