"""MCP server as handlers use it: the protocol, its errors and the limits of its client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from toolaccord.errors import SourceError
from toolaccord.source_faults import LOOK_AT_LOG, LOST, NO_ANSWER
from toolaccord.sources import MAX_RESPONSE_BYTES, Source


class McpTimeout(SourceError):
    """The server did not answer in time."""

    service = "mcp"
    summary = NO_ANSWER


class McpUnavailable(SourceError):
    """The server could not be started or reached, or the connection broke."""

    service = "mcp"
    summary = LOST


class McpRejected(SourceError):
    """The server answered a call with an error, whose text only the log has, or too much."""

    service = "mcp"
    summary = f"it answered with an error; {LOOK_AT_LOG}"

    @property
    def is_outage(self) -> bool:
        """Return False: the server answers other calls."""
        return False

    @property
    def is_retryable(self) -> bool:
        """Return False: MCP does not report which errors pass."""
        return False


@dataclass(frozen=True, slots=True)
class McpResult:
    """A result of a tool of another server."""

    structured: Any
    """Its `structuredContent`; None without any."""
    content: Sequence[Mapping[str, Any]]
    """Its content blocks, as JSON of MCP."""


class Mcp(Source, Protocol):
    """Another MCP server."""

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> McpResult:
        """Return the result of a tool. Raises McpTimeout, McpUnavailable or McpRejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpLimits:
    """Limits of a client of an MCP server."""

    name: str
    """Name of the source, which tools, handlers and the log use."""
    max_in_flight: int = 10
    """Largest number of concurrent calls; further ones wait."""
    connection_timeout_s: float = 60
    """Seconds in which the server starts or is reached, and a call waits for its turn."""
    timeout_s: float = 20
    """Seconds after which a call without an answer is abandoned."""
    max_response_bytes: int = MAX_RESPONSE_BYTES
    """Largest size of a result as JSON."""
