"""Folders and import names of a project, which most commands share."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Self

from toolaccord_codegen.cli.options.arguments import Project, argument, project_key
from toolaccord_codegen.cli.value_types import parse_day, parse_folder, parse_import_name
from toolaccord_codegen.ir.layout import NAMESPACE
from toolaccord_codegen.loading.source_kinds import SourceKinds

CONTRACTS = "contracts"
HANDLERS = "handlers"
PACKAGE = "generated"
SYSTEM = "{system}"
"""The place of a system's name in the path of its migrations."""
NO_SOURCES: Mapping[str, str] = MappingProxyType({})
NO_NAMES: Mapping[str, str | bool | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contracts:
    """The contracts folder of a project."""

    project: Project = field(default_factory=Project)
    contracts: Path = field(
        metadata=project_key(f"default: {CONTRACTS}", type=parse_folder, default=Path(CONTRACTS), metavar="DIR")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractsOnDay(Contracts):
    """The contracts folder, and the day on which rules about dates look at it."""

    today: date = field(
        metadata=argument(
            "the day for rules about dates; default: today in UTC",
            type=parse_day,
            default=lambda: datetime.now(UTC).date(),
            metavar="YYYY-MM-DD",
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders(Contracts):
    """Folders and import names of a project."""

    out: Path | None = field(
        metadata=project_key("the folder of the generated package; default: its name", type=parse_folder, metavar="DIR")
    )
    package: str = field(
        metadata=project_key(
            f"the import name of the generated package; default: {PACKAGE}",
            type=parse_import_name,
            default=PACKAGE,
            metavar="NAME",
        )
    )
    handlers: str = field(
        metadata=project_key(
            f"the import name of the handlers, beside the output; default: {HANDLERS}",
            type=parse_import_name,
            default=HANDLERS,
            metavar="PACKAGE",
        )
    )

    regenerate: str | None = field(
        default=None, metadata=project_key("the command that generated files name for their update", flag=False)
    )
    scripts: Path | None = field(
        default=None,
        metadata=project_key(
            "the pyproject.toml whose [project.scripts] names the servers", type=parse_folder, flag=False
        ),
    )

    sources: Mapping[str, str] = field(
        default_factory=dict,
        metadata=project_key(
            "kinds of sources of your own, as module:Class by name", flag=False, table=True, default=NO_SOURCES
        ),
    )

    @classmethod
    def of_project(cls, project: Project, *, package: str = PACKAGE, handlers: str = HANDLERS) -> Self:
        """Return the folders of a project; *package* and *handlers* stand in for missing keys."""
        settings = project.settings
        return cls(
            project=project,
            contracts=settings.get("contracts", project.folder / CONTRACTS),
            out=settings.get("out"),
            package=settings.get("package", package),
            handlers=settings.get("handlers", handlers),
            regenerate=settings.get("regenerate"),
            scripts=settings.get("scripts"),
            sources=settings.get("sources", NO_SOURCES),
        )

    @property
    def default_output(self) -> Path:
        """Return the folder of the generated package without `--out`."""
        return self.project.folder.joinpath(*self.package.split("."))

    @property
    def output(self) -> Path:
        """Return the folder of the generated package."""
        return self.out or self.default_output

    @property
    def import_root(self) -> Path:
        """Return the folder that the generated package is imported from."""
        return self.output.absolute().parents[self.package.count(".")]

    @property
    def handler_roots(self) -> list[Path]:
        """Return the folders that may hold the handlers' package, beside Python's own path."""
        return [self.import_root, self.project.folder.absolute()]

    @property
    def source_kinds(self) -> SourceKinds:
        """Return the kinds of sources that the contracts may use."""
        return SourceKinds(self.sources, self.handler_roots)

    @property
    def handlers_folder(self) -> Path:
        """Return the folder for new handlers, beside the output."""
        return self.import_root.joinpath(*self.handlers.split("."))

    def locate_migrations(self, system: str, migrations: Path | None) -> Path:
        """Return a system's folder in *migrations*, or the one beside its handlers."""
        if migrations is None:
            return self.handlers_folder / system / "migrations"
        return Path(str(migrations).replace(SYSTEM, system))

    def find_migrations(self, system: str) -> Path:
        """Return a system's folder of migrations, as the project's settings have it."""
        return self.locate_migrations(system, self.project.settings.get("migrations"))

    def locate_queries(self, system: str, server: str) -> Path:
        """Return the SQL file of a server, beside its handlers; there need be none."""
        return self.handlers_folder / system / f"{server}.sql"

    def generate_command(
        self, program: str, names: Mapping[str, str | bool | None] = NO_NAMES, show: Callable[[Path], str] = str
    ) -> str:
        """Return the command that writes the files, with every option that is not its default.

        *names* are the options of `generate` beside the folders; *show* makes texts of paths.
        """
        settings = self.project.settings
        paths = {
            "contracts": (self.contracts, settings.get("contracts", self.project.folder / CONTRACTS)),
            "out": (self.output, settings.get("out", self.default_output)),
        }
        given: list[tuple[str, str | bool]] = [
            (flag, show(path)) for flag, (path, other) in paths.items() if resolve(path) != resolve(other)
        ]
        defaults = {"package": PACKAGE, "handlers": HANDLERS, "namespace": NAMESPACE, **settings}
        names = {"package": self.package, "handlers": self.handlers, **names}
        given += [(flag, value) for flag, value in names.items() if value and value != defaults.get(flag)]
        if self.regenerate and not given:
            return self.regenerate
        flags = [f"--{flag}" if value is True else shlex.join((f"--{flag}", str(value))) for flag, value in given]
        return " ".join([program, "generate", *flags])

    def portable_path(self, path: Path) -> str:
        """Return a path relative to the project's folder, or its last part where it is outside.

        Generated files name it, and must be equal on every machine.
        """
        absolute, root = resolve(path), resolve(self.project.folder)
        return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else absolute.name


def resolve(path: Path) -> Path:
    """Return a path without symbolic links; Path.resolve() fails where they form a loop."""
    return Path(os.path.realpath(path))
