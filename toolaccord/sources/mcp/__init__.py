"""MCP source. Importing this package does not load the SDK."""

from __future__ import annotations

from toolaccord.sources.mcp.api import Mcp, McpLimits, McpRejected, McpResult, McpTimeout, McpUnavailable
from toolaccord.sources.mcp.declaration import McpSource

__all__ = ["Mcp", "McpLimits", "McpRejected", "McpResult", "McpSource", "McpTimeout", "McpUnavailable"]
