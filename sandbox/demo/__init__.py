"""The demo: the servers as an MCP host would start them, every tool called, every kind of answer shown."""
