"""MCP bundles (MCPB): one file with a server, its manifest and its requirements."""
