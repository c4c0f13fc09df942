"""MCP source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.sources.mcp.api import Mcp, McpLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSource(McpLimits):
    """Another MCP server, as the contract declares it."""

    kind: ClassVar = "mcp"
    """Kind of the system that answers."""
    server: str
    """Name of the setting that holds its URL, or the command that starts it on stdio."""
    bearer: str | None = None
    """Name of the setting that holds a bearer token for a URL; None without one."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Mcp:
        """Return the server, not yet connected."""
        from toolaccord.sources.mcp.client import McpClient  # noqa: PLC0415 - only servers that open one need it

        token = str(settings[self.bearer]) if self.bearer else ""
        return McpClient(self, str(settings[self.server]), token, clock)
