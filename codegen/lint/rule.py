"""What a rule of the lint is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that contracts are better without."""

    id: str
    says: str
    """What is wrong, in a few words."""
    why: str
    """Whom it hurts, and how."""
    mends: bool = False
    """Whether `--fix` can mend it, in some cases at least."""
