"""MCP messages, independent of the transport."""
