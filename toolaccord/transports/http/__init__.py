"""MCP and plain REST over HTTP."""
