"""Older versions of a tool: what a contract says of them, and whether it can be kept."""
