"""Calls on their way from a client's method to its connection, where policies take part."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias

from toolaccord.client.connection import ToolResponse
from toolaccord.client.declarations import RemoteTool, Result
from toolaccord.json_values import JsonObject

if TYPE_CHECKING:
    from toolaccord.timing.clock import Clock

Send: TypeAlias = Callable[[float], Awaitable[ToolResponse]]
"""Sends one request, with its time limit in seconds. Raises TransportError or BrokenAnswer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult(Generic[Result]):
    """Result of a call with its metadata; None for metadata that the dialect does not send."""

    result: Result
    """Result of the tool."""
    corr_id: str | None
    """Correlation id in the server's log; None if the client's cache supplied the result."""
    latency_ms: float | None = None
    """Milliseconds that the server needed."""
    cached: bool | None = None
    """True if the result came from a cache, the server's or the client's."""
    cache_ttl_remaining: float | None = None
    """Seconds for which the cache keeps the result; None also if it was fetched for this call."""
    source: str | None = None
    """Kind of the system that supplied the data."""
    age_s: float | None = None
    """Seconds since the client's cache received the result; None if the server was called."""
    replayed: bool = False
    """True if the result is that of an earlier call with the same idempotency key."""
    is_stale: bool = False
    """True if the result is older than its `ttl_s`, and replaces the failed call's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall(Generic[Result]):
    """A call that a client with policies makes."""

    server: str
    """Name of the server."""
    tool: RemoteTool[Any, Result]
    """The tool."""
    arguments: JsonObject
    """Arguments as they are sent."""
    timeout_s: float | None
    """Time limit that the caller gave, in seconds."""
    has_key: bool
    """True if the call carries an idempotency key."""
    send: Send
    """Sends one request."""
    parse: Callable[[ToolResponse], CallResult[Result]]
    """Parses a response. Raises a declared error of the tool, or CallFailed."""


class CallExecutor(Protocol):
    """Executes the calls of one client under its policies."""

    async def execute(self, call: PendingCall[Result]) -> CallResult[Result]:
        """Return the result of *call*. Raises a declared error of the tool, or CallFailed."""

    async def close(self) -> None:
        """Release the executor's resources."""


class Policies(Protocol):
    """Policies of a client; `toolaccord.client.policies.ClientPolicies` implements them.

    A client without policies loads nothing of that package.
    """

    @property
    def clock(self) -> Clock:
        """Return the clock of pauses."""

    @property
    def random(self) -> Callable[[], float]:
        """Return what returns random numbers from 0 to 1."""

    def start(self) -> CallExecutor:
        """Return the executor of one client."""
