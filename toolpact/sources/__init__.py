"""Sources: where a server's data comes from, as declared and as opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from toolpact.timing.clock import Clock


class Source(Protocol):
    """An open source; handlers know it by the protocol of its kind."""

    @property
    def kind(self) -> str:
        """What answers: `postgresql`, `http`, ..."""

    async def start(self) -> None:
        """Connect ahead of the first call, where that helps. Raises SourceError; a later call tries again."""

    async def check(self) -> None:
        """Ask whether it answers, at little cost. Raises SourceError if it does not; takes as long as it takes."""

    async def close(self) -> None:
        """Give back every connection, in bounded time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """The connections of a pool at one moment."""

    idle: int | None
    """Those that are open and wait for work; None where the library does not show them."""
    in_use: int
    """Those that work."""
    limit: int
    """How many there may be."""


@runtime_checkable
class Pooled(Protocol):
    """A source with a pool."""

    def pool_state(self) -> PoolState:
        """Return how its connections stand; at once, without asking anybody."""


class SourceDeclaration(Protocol):
    """A source as the contract declares it."""

    @property
    def name(self) -> str:
        """How tools and handlers call it."""

    @property
    def kind(self) -> str:
        """What answers: `postgresql`, `http`, ..."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Source:
        """Return the source, not yet connected; *settings* are the server's, by name."""
