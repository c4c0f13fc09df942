"""What a rule of the breaking-change judge is: its id, what it says, how to mend, and how grave it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple


class Level(Enum):
    """How grave a finding is."""

    BREAKING = "breaking"
    WARNING = "warning"
    INFO = "info"


class Bump(IntEnum):
    """Which part of a version has to grow."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    def __str__(self) -> str:
        return self.name.lower()


class Direction(Enum):
    """Which way the values of a schema go: from callers, or to them."""

    INPUT = "input"
    OUTPUT = "output"


class Profile(Enum):
    """Who is judging."""

    STRICT = "strict"
    """Whatever some caller could notice."""
    DEFAULT = "default"
    """What callers that keep to the contract notice."""
    LENIENT = "lenient"
    """Callers are taken to ignore what they do not know."""


class Verdict(NamedTuple):
    """What a change is, and which version it needs."""

    level: Level
    bump: Bump


MAJOR = Verdict(Level.BREAKING, Bump.MAJOR)
RISKY = Verdict(Level.WARNING, Bump.MINOR)
NOTE = Verdict(Level.WARNING, Bump.PATCH)
MINOR = Verdict(Level.INFO, Bump.MINOR)
PATCH = Verdict(Level.INFO, Bump.PATCH)
ERROR = Verdict(Level.BREAKING, Bump.NONE)
ADVICE = Verdict(Level.WARNING, Bump.NONE)
SILENT = Verdict(Level.INFO, Bump.NONE)

Verdicts = Mapping[str, Verdict]
"""Verdicts by case: `input`, `output`, or either with a circumstance, as in `output open`; `""` is any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of change."""

    id: str
    summary: str
    """What has changed, in a few words."""
    cure: str
    """What its author can do about it."""
    default: Verdicts
    strict: Verdicts = field(default_factory=dict)
    """Where the strict profile judges otherwise."""
    lenient: Verdicts = field(default_factory=dict)
    """Where the lenient one does."""

    def verdict(self, profile: Profile, direction: Direction | None, circumstance: str) -> Verdict:
        """How grave the change is; the most particular case decides."""
        way = direction.value if direction else ""
        own = {Profile.STRICT: self.strict, Profile.LENIENT: self.lenient}.get(profile, {})
        for case in (f"{way} {circumstance}", way, ""):
            for verdicts in (own, self.default):
                if case in verdicts:
                    return verdicts[case]
        raise LookupError(f"{self.id} has no verdict for {way} {circumstance}")
