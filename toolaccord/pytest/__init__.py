"""Pytest plugin: fixtures for servers, databases and a clock, and coverage of contracts.

`pytest --fixtures` describes the fixtures. The names here are their types, for annotations.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolaccord.pytest.brokers import NatsServer, RedisServer
    from toolaccord.pytest.databases import Database, Migrate, NewDatabase
    from toolaccord.pytest.serve import Serve
    from toolaccord.pytest.server_under_test import Answer, ServerUnderTest

__all__ = ["Answer", "Database", "Migrate", "NatsServer", "NewDatabase", "RedisServer", "Serve", "ServerUnderTest"]

_MODULES = {
    "Answer": "server_under_test",
    "NatsServer": "brokers",
    "RedisServer": "brokers",
    "Serve": "serve",
    "ServerUnderTest": "server_under_test",
}


def __getattr__(name: str) -> Any:
    """Import a name on its first use.

    pytest loads this package in every project of its environment. Raises AttributeError for a name that tests do not
    import.
    """
    if name not in __all__:
        raise AttributeError(f"module 'toolaccord.pytest' has no attribute {name!r}")
    return getattr(import_module(f"toolaccord.pytest.{_MODULES.get(name, 'databases')}"), name)
