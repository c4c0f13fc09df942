"""Tasks: what they cost beside FastMCP's, and what becomes of them when processes are killed."""
