"""Define the rules for changes: id, summary, cure and impact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple


class Level(Enum):
    """The severity of a change."""

    BREAKING = "breaking"
    WARNING = "warning"
    INFO = "info"


class Bump(IntEnum):
    """The part of a version that has to grow."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    def __str__(self) -> str:
        return self.name.lower()


class Direction(Enum):
    """The direction of values: from callers or to callers."""

    INPUT = "input"
    OUTPUT = "output"


class Profile(Enum):
    """The expectations of callers."""

    STRICT = "strict"
    """Callers notice everything."""
    DEFAULT = "default"
    """Callers rely on the contract."""
    LENIENT = "lenient"
    """Callers ignore what they do not know."""


class Impact(NamedTuple):
    """The level of a change and the version bump that it needs."""

    level: Level
    bump: Bump


MAJOR = Impact(Level.BREAKING, Bump.MAJOR)
RISKY = Impact(Level.WARNING, Bump.MINOR)
NOTE = Impact(Level.WARNING, Bump.PATCH)
MINOR = Impact(Level.INFO, Bump.MINOR)
PATCH = Impact(Level.INFO, Bump.PATCH)
ERROR = Impact(Level.BREAKING, Bump.NONE)
ADVICE = Impact(Level.WARNING, Bump.NONE)
SILENT = Impact(Level.INFO, Bump.NONE)

Impacts = Mapping[str, Impact]
"""Impacts by case: `input` or `output`, alone or as in `output open`. `""` is any case."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of change."""

    id: str
    summary: str
    """The change in a few words."""
    cure: str
    """The advice to the author."""
    default: Impacts
    strict: Impacts = field(default_factory=dict)
    """Impacts that differ in the strict profile."""
    lenient: Impacts = field(default_factory=dict)
    """Impacts that differ in the lenient profile."""

    def impact(self, profile: Profile, direction: Direction | None, circumstance: str) -> Impact:
        """Return the impact of a change. The most specific case applies."""
        path = direction.value if direction else ""
        own = {Profile.STRICT: self.strict, Profile.LENIENT: self.lenient}.get(profile, {})
        for case in (f"{path} {circumstance}", path, ""):
            for impacts in (own, self.default):
                if case in impacts:
                    return impacts[case]
        raise LookupError(f"{self.id} has no verdict for {path} {circumstance}")
