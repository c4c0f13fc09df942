"""Contract-first MCP servers: the names that handlers import.

Sources are in `toolaccord.sources`, doubles for tests in `toolaccord.testing`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolaccord.asks.answers import Accepted, Cancelled, Declined, Root, Sampled
    from toolaccord.errors import IdempotencyConflict, ResourceNotFound, SourceError, ToolError
    from toolaccord.handler import (
        Caller,
        ClientLog,
        IdempotencyKey,
        Page,
        Progress,
        Provisional,
        Publisher,
        Row,
        ignore_progress,
    )

__all__ = [
    "Accepted",
    "Caller",
    "Cancelled",
    "ClientLog",
    "Declined",
    "IdempotencyConflict",
    "IdempotencyKey",
    "Page",
    "Progress",
    "Provisional",
    "Publisher",
    "ResourceNotFound",
    "Root",
    "Row",
    "Sampled",
    "SourceError",
    "ToolError",
    "ignore_progress",
]

_MODULES = {
    **dict.fromkeys(("Accepted", "Cancelled", "Declined", "Root", "Sampled"), "toolaccord.asks.answers"),
    **dict.fromkeys(("IdempotencyConflict", "ResourceNotFound", "SourceError", "ToolError"), "toolaccord.errors"),
}


def __getattr__(name: str) -> Any:
    """Import a name on its first use, because the compiler loads `toolaccord.semantics` alone.

    Raises AttributeError for a name that handlers do not import.
    """
    if name not in __all__:
        raise AttributeError(f"module 'toolaccord' has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "toolaccord.handler")), name)
