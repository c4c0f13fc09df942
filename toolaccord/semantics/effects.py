"""Effects of a tool: what it may change, and the hints that hosts see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

Elsewhere: TypeAlias = Literal["nothing", "reads", "adds", "writes", "unknown"]
"""The effects of a call beyond the sources that its contract names."""

CHANGING_ELSEWHERE = frozenset({"adds", "writes", "unknown"})
"""Effects beyond named sources that may change something."""
NAMED = ("reads", "adds", "writes", "publishes")
"""Keys of effects that name sources or events."""


class Effects(Protocol):
    """The effects of a tool, with the sources of its events."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the sources that it reads."""

    @property
    def writes(self) -> tuple[str, ...]:
        """Names of the sources that it changes, also by adding and by its events."""

    @property
    def adds(self) -> tuple[str, ...]:
        """Names of the sources among them to which it only adds."""

    @property
    def elsewhere(self) -> Elsewhere:
        """The effects beyond these sources."""


def find_elsewhere(effects: Mapping[str, Any]) -> Elsewhere:
    """Return the effects beyond named sources; unknown if *effects* state none at all."""
    stated: Elsewhere = effects.get("elsewhere") or ("nothing" if any(map(effects.get, NAMED)) else "unknown")
    return stated


def may_change(effects: Effects) -> bool:
    """Return whether a call may change something."""
    return bool(effects.writes) or effects.elsewhere in CHANGING_ELSEWHERE


def derive_hints(effects: Effects, kinds: Mapping[str, str]) -> dict[str, bool]:
    """Return MCP's annotations of a tool; *kinds* are those of the sources, by name.

    Unknown effects give the cautious hints.
    """
    is_read_only = not may_change(effects)
    is_destructive = not set(effects.writes) <= set(effects.adds) or effects.elsewhere in ("writes", "unknown")
    return {
        "readOnlyHint": is_read_only,
        "destructiveHint": is_destructive,
        "idempotentHint": is_read_only,
        "openWorldHint": is_open_world((*effects.reads, *effects.writes), effects.elsewhere, kinds),
    }


def is_open_world(names: Iterable[str], elsewhere: Elsewhere, kinds: Mapping[str, str]) -> bool:
    """Return whether a tool reaches services of others: by the sources *names*, or *elsewhere*."""
    return elsewhere != "nothing" or any(kinds.get(name) in {"http", "mcp"} for name in names)
