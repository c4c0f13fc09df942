"""Options of `init`."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolaccord_codegen.cli.options.arguments import Project, argument
from toolaccord_codegen.cli.value_types import parse_server_path


@dataclass(frozen=True, slots=True, kw_only=True)
class InitOptions:
    """Options of `init`."""

    project: Project = field(default_factory=Project)
    server: tuple[str, str] | None = field(
        metadata=argument(
            "the first server, e.g. acme/books; a project that exists needs none for --ci",
            flag=False,
            nargs="?",
            type=parse_server_path,
            metavar="SYSTEM/NAME",
        )
    )
    postgresql: bool = field(
        metadata=argument(
            "a server with two tools on PostgreSQL, a migration, and tests on a throw-away database",
            action="store_true",
        )
    )
    ci: str | None = field(
        metadata=argument(
            "a recipe that checks, tests and builds the project, with a Dockerfile",
            choices=("github", "gitlab", "pre-commit"),
        )
    )
