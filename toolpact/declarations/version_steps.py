"""Steps between two versions of a tool, as the compiler declares them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

Lookup: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""Returns the value of the other version, given a value and the call record."""


class Absence(Enum):
    """The absence of a value; null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absence.ABSENT


@dataclass(frozen=True, slots=True)
class Move:
    """A member with another place, or other values, in the newer version."""

    source: str
    """Its pointer in the older version."""
    target: str
    """Its pointer in the newer version; absent objects around it are created."""
    values: tuple[tuple[str, str], ...] = ()
    """Pairs of an older and a newer value; every other value stays as it is."""
    lookup: Lookup | None = None
    """The function that translates the value where pairs cannot.

    It runs from older to newer in arguments, and from newer to older in results.
    """


@dataclass(frozen=True, slots=True)
class Add:
    """A member that only the newer version has."""

    pointer: str
    """Its pointer; the member is added wherever its parent object exists."""
    value: Any
    """Its value for calls in the older version; ABSENT adds nothing."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A member that only the older version has."""

    pointer: str
    """Its pointer."""
    default: Any = ABSENT
    """Its value for callers of the older version; ABSENT adds nothing."""


Step: TypeAlias = Move | Add | Drop
