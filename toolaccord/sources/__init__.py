"""Data sources of a server: protocols of their declarations and of open sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from toolaccord.timing.clock import Clock

if TYPE_CHECKING:
    from toolaccord.handler import Caller

MAX_RESPONSE_BYTES = 16 * 1024 * 1024
"""Limit of an answer for which no contract declares one."""


class Source(Protocol):
    """An open source. Handlers use the protocol of its kind, which adds the ways to fetch data."""

    @property
    def kind(self) -> str:
        """Kind of the system that answers: `postgresql`, `http`, ..."""

    async def start(self) -> None:
        """Connect before the first call, if that saves time. Raises SourceError.

        After a failure, the first call connects.
        """

    async def check(self) -> None:
        """Check at little cost that the source answers. Raises SourceError.

        The caller sets the timeout.
        """

    async def close(self) -> None:
        """Close every connection, in bounded time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """Connections of a pool at one moment."""

    idle: int | None
    """Open connections that nothing uses; None if the library does not report them."""
    in_use: int
    """Connections in use."""
    limit: int
    """Largest number of connections."""


@runtime_checkable
class Pooled(Protocol):
    """A source with a connection pool."""

    def pool_state(self) -> PoolState:
        """Return the state of the pool, without I/O."""


@runtime_checkable
class Listener(Protocol):
    """A source that receives messages unasked, and misses those from before its start."""

    def messages(self) -> Sequence[bytes]:
        """Return the messages in memory, the newest first."""


@runtime_checkable
class PerCaller(Protocol):
    """A source that shows each caller what it may see."""

    def as_seen_by(self, caller: Caller | None, /) -> Source:
        """Return the source as a *caller* sees it; None for one that nobody proves."""


class SourceDeclaration(Protocol):
    """A source as the contract declares it."""

    @property
    def name(self) -> str:
        """Name that tools and handlers use."""

    @property
    def kind(self) -> str:
        """Kind of the system that answers: `postgresql`, `http`, ..."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Source:
        """Return the source, not yet connected; *settings* are the server's, by name."""
