"""Define lint rules."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the linter."""

    id: str
    summary: str
    """The defect in a few words."""
    why: str
    """The harm that it does."""
    is_fixable: bool = False
    """True if `--fix` can fix it in some cases."""
