"""Answers of the MCP SDK's server, which the fast path does not give."""
