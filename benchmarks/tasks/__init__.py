"""Tasks: their costs beside FastMCP's, and their fate when processes are killed."""
