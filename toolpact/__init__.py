"""Contract-first MCP servers: the names that handlers import.

Sources are in `toolpact.sources`, doubles for tests in `toolpact.testing`.
"""

from toolpact.errors import IdempotencyConflict, SourceError, ToolError
from toolpact.handler import IdempotencyKey, Page, Progress, Provisional, Row, ignore_progress

__all__ = [
    "IdempotencyConflict",
    "IdempotencyKey",
    "Page",
    "Progress",
    "Provisional",
    "Row",
    "SourceError",
    "ToolError",
    "ignore_progress",
]
