"""Options of `migrate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.cli.options.arguments import argument, project_key
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.value_types import parse_folder, parse_system_or_server

MIGRATIONS = project_key(
    "the folder of a system's SQL files, e.g. db/{system}; default: migrations beside its handlers",
    type=parse_folder,
    metavar="DIR",
)
"""Declaration of a field with the folder of migrations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateOptions:
    """Options of `migrate`."""

    server: tuple[str, str | None] | None = field(
        metadata=argument(
            "whose database: a system, or one of its servers; default: every system",
            flag=False,
            nargs="?",
            type=parse_system_or_server,
            metavar="SYSTEM[/NAME]",
        )
    )
    folders: Folders
    migrations: Path | None = field(metadata=MIGRATIONS)
    database_env: str | None = field(
        metadata=argument("the variable with the URL of the database; default: the contracts'", metavar="NAME")
    )
    dry_run: bool = field(
        metadata=argument(
            "try the files in a transaction, roll it back, and say what would be applied", action="store_true"
        )
    )
    roles: bool = field(
        metadata=argument(
            "give each server's role its rights, too, and the password of <ROLE>_PASSWORD", action="store_true"
        )
    )
