"""Compare two states of a tool."""
