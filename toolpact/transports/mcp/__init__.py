"""MCP messages, whatever carries them."""
