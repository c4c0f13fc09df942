"""The demo: servers started as by an MCP host, each tool called, each kind of answer shown."""
