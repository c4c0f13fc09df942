"""Test doubles and in-memory clients for tests of handlers and servers.

Throw-away servers are in its modules `postgresql`, `redis` and `nats`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolaccord.testing.clock import ManualClock
    from toolaccord.testing.in_memory import Era, connect, connection, pipeline
    from toolaccord.testing.logs import capture_logs
    from toolaccord.testing.sources import FakeEvents, FakeHttp, FakePostgresql, FakeSource, UnreachableRedis

__all__ = [
    "Era",
    "FakeEvents",
    "FakeHttp",
    "FakePostgresql",
    "FakeSource",
    "ManualClock",
    "UnreachableRedis",
    "capture_logs",
    "connect",
    "connection",
    "pipeline",
]

_MODULES = {
    "ManualClock": "clock",
    "capture_logs": "logs",
    **dict.fromkeys(("FakeEvents", "FakeHttp", "FakePostgresql", "FakeSource", "UnreachableRedis"), "sources"),
}


def __getattr__(name: str) -> Any:
    """Import a name on its first use.

    A command that starts PostgreSQL needs no MCP client. Raises AttributeError for a name that tests do not import.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'in_memory')}"), name)
