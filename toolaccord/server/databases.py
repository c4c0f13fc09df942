"""PostgreSQL databases of an application, as its generated servers declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from toolaccord.declarations.tool import Server
from toolaccord.sources.postgresql.migrations import Schema

SYSTEM = "{system}"
"""The place of a system's name in the path of its migrations."""


@dataclass(frozen=True, slots=True)
class Application:
    """Servers that were generated into one package."""

    package: str
    """Import name of the generated package."""
    handlers: str
    """Import name of the handlers; migrations are beside them unless *migrations* is set."""
    migrations: Path | None = None
    """The folder of a system's migrations, with `{system}` for its name."""

    def find_migrations(self, system: str) -> Traversable:
        """Return the folder of the migrations of *system*, which need not exist."""
        if self.migrations is None:
            return files(self.handlers) / system / "migrations"
        return Path(str(self.migrations).replace(SYSTEM, system))

    def list_systems(self) -> list[str]:
        """Return the names of the systems, sorted. Raises ModuleNotFoundError without a package."""
        folders = (entry for entry in files(self.package).iterdir() if entry.is_dir())
        return sorted(entry.name for entry in folders if any(map(_has_server, entry.iterdir())))

    def list_servers(self, system: str) -> list[str]:
        """Return the names of the servers of *system*, sorted; none for an unknown system."""
        folder = files(self.package) / system
        return sorted(entry.name for entry in folder.iterdir() if _has_server(entry)) if folder.is_dir() else []

    def find_databases(self, system: str, name: str | None = None) -> list[Database]:
        """Return the databases of *system*, or of its server *name* alone; sorted by variable.

        Raises LookupError for an unknown system or server.
        """
        found: dict[str, list[_Use]] = {}
        for use in self._list_uses(system, name):
            found.setdefault(use.env, []).append(use)
        return [self._describe(system, env, uses) for env, uses in sorted(found.items())]

    def describe_server(self, system: str, name: str) -> Server[Any]:
        """Return what a server's contract declares; its handlers are not loaded."""
        server: Server[Any] = import_module(f"{self.package}.{system}.{name}.server").server(_Unbound())
        return server

    def list_databases(self) -> list[Database]:
        """Return the databases of all systems with migrations, or raise ModuleNotFoundError."""
        found = (database for system in self.list_systems() for database in self.find_databases(system))
        return [database for database in found if database.schema.has_migrations]

    def _describe(self, system: str, env: str, uses: list[_Use]) -> Database:
        schema = Schema(system, self.find_migrations(system), any(use.keeps_idempotency_keys for use in uses))
        return Database(system, env, schema, tuple(use.role_file for use in uses if use.role_file.is_file()))

    def _list_uses(self, system: str, name: str | None) -> Iterator[_Use]:
        """Yield each PostgreSQL source of the servers. Raises LookupError."""
        folder, names = files(self.package) / system, self.list_servers(system)
        if not names or name not in (None, *names):
            missing = f"server {system}/{name}" if names else f"system {system}"
            known = ", ".join(f"{system}/{each}" for each in names) or ", ".join(self.list_systems()) or "none"
            raise LookupError(f"there is no {missing}; {self.package} has {known}")
        for each in names if name is None else [name]:
            server = self.describe_server(system, each)
            envs = {setting.name: setting.env for setting in server.settings}
            yield from _list_uses(server, envs, folder / each)


@dataclass(frozen=True, slots=True)
class Database:
    """A PostgreSQL database of a system."""

    system: str
    env: str
    """The environment variable with its URL."""
    schema: Schema
    role_files: tuple[Traversable, ...]
    """The generated SQL of the role of each server."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A PostgreSQL source of one server."""

    env: str
    keeps_idempotency_keys: bool
    role_file: Traversable


class _Unbound:
    """Stands for handlers, where a server is only described."""

    def __getattr__(self, _name: str) -> _Unbound:
        return self


def _has_server(folder: Traversable) -> bool:
    return (folder / "server.py").is_file()


def _list_uses(server: Server[Any], envs: Mapping[str, str], folder: Traversable) -> Iterator[_Use]:
    """Yield each PostgreSQL source of *server*, which was generated into *folder*."""
    keyed = {name for tool in server.tools if tool.idempotency and not tool.idempotency.store for name in tool.writes}
    for source in server.sources:
        if source.kind == "postgresql":
            env = envs[source.url]  # type: ignore[attr-defined] # the kind says that it is a PostgresqlSource
            yield _Use(env, source.name in keyed, folder / f"{source.name}_role.sql")
