"""Contract-first MCP servers: the names that handlers import.

Sources are in `toolpact.sources`, doubles for tests in `toolpact.testing`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolpact.errors import IdempotencyConflict, ResourceNotFound, SourceError, ToolError
    from toolpact.handler import ClientLog, IdempotencyKey, Page, Progress, Provisional, Publisher, Row, ignore_progress

__all__ = [
    "ClientLog",
    "IdempotencyConflict",
    "IdempotencyKey",
    "Page",
    "Progress",
    "Provisional",
    "Publisher",
    "ResourceNotFound",
    "Row",
    "SourceError",
    "ToolError",
    "ignore_progress",
]

_ERRORS = ("IdempotencyConflict", "ResourceNotFound", "SourceError", "ToolError")


def __getattr__(name: str) -> Any:
    """Import a name on its first use, because the compiler loads `toolpact.semantics` alone.

    Raises AttributeError for a name that handlers do not import.
    """
    if name not in __all__:
        raise AttributeError(f"module 'toolpact' has no attribute {name!r}")
    return getattr(import_module("toolpact.errors" if name in _ERRORS else "toolpact.handler"), name)
