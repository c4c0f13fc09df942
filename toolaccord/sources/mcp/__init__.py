"""MCP source. Importing this package does not load the SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import mcp
from toolaccord.sources.mcp.api import Mcp, McpRejected, McpResult, McpTimeout, McpUnavailable
from toolaccord.timing.clock import Clock

__all__ = ["Mcp", "McpRejected", "McpResult", "McpSource", "McpTimeout", "McpUnavailable"]


class McpSource(mcp.McpSource):
    """Another MCP server, as the contract declares it."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Mcp:
        """Return the server, not yet connected."""
        from toolaccord.sources.mcp.client import McpClient  # noqa: PLC0415 - only servers that open one need it

        token = str(settings[self.bearer]) if self.bearer else ""
        return McpClient(self, str(settings[self.server]), token, clock)
