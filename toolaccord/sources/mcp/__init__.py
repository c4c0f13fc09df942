"""MCP source. Importing this package does not load the SDK."""

from __future__ import annotations

from toolaccord.sources.mcp.api import Mcp, McpRejected, McpResult, McpTimeout, McpUnavailable
from toolaccord.sources.mcp.declaration import McpSource

__all__ = ["Mcp", "McpRejected", "McpResult", "McpSource", "McpTimeout", "McpUnavailable"]
