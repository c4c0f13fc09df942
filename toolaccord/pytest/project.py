"""The project whose tests run: its servers, and the migrations of its databases."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolaccord.server.databases import Application

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server

_HINT = """[tool.toolaccord] in pyproject.toml names the package of generated code.
Override the fixture postgresql_migrate if another tool migrates the database."""


def find_application(folder: Path) -> Application:
    """Return the servers of the nearest [tool.toolaccord], from *folder* upwards.

    Without the table, they are those of the packages `generated` and `handlers`.
    """
    for each in (folder, *folder.parents):
        if (table := _read_table(each / "pyproject.toml")) is not None:
            migrations = each / table["migrations"] if "migrations" in table else None
            return Application(table.get("package", "generated"), table.get("handlers", "handlers"), migrations)
    return Application("generated", "handlers")


def _read_table(file: Path) -> Mapping[str, Any] | None:
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    table: Mapping[str, Any] | None = tomllib.loads(text).get("tool", {}).get("toolaccord")
    return table


def load_servers(application: Application) -> Iterator[Server[Any]]:
    """Yield the servers of *application*, without their handlers."""
    for system in application.list_systems():
        for name in application.list_servers(system):
            yield application.describe_server(system, name)


async def migrate(application: Application, url: str) -> None:
    """Apply the migrations of all systems to the database at *url*. Raises MigrationError."""
    try:
        databases = application.list_databases()
    except ModuleNotFoundError as error:
        error.add_note(_HINT)
        raise
    for database in databases:
        await database.schema.migrate(url)
