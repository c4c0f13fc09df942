"""Depth of an answer, by the user's role."""

from __future__ import annotations

from enum import IntEnum

_BRIEF = (
    "ceo",
    "chief executive",
    "executive",
    "manager",
    "beginner",
    "novice",
    "retail",
    "руковод",
    "директор",
    "нович",
    "частн",
)
_DETAILED = (
    "analyst",
    "trader",
    "quant",
    "risk",
    "cfo",
    "portfolio",
    "аналитик",
    "трейдер",
    "риск",
    "финанс",
    "управля",
)


class Depth(IntEnum):
    """Depths of an answer; a deeper one has all of a shallower one."""

    BRIEF = 1
    """The result in a sentence or two, with short tables."""
    STANDARD = 2
    DETAILED = 3
    """Volatility, volumes and whole tables too."""


def depth_for(role: str | None) -> Depth:
    """Return the depth for a *role*, in Russian or English; STANDARD for one that is unknown."""
    lowered = (role or "").lower()
    if any(word in lowered for word in _DETAILED):
        return Depth.DETAILED
    return Depth.BRIEF if any(word in lowered for word in _BRIEF) else Depth.STANDARD
