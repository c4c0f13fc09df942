"""MCP server as handlers use it: the protocol and its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from toolaccord.errors import SourceError
from toolaccord.source_faults import LOOK_AT_LOG, LOST, NO_ANSWER
from toolaccord.sources import Source


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
