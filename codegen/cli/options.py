"""Options of each command as frozen records; a field declares its command-line argument."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from codegen.cli.value_types import (
    parse_day,
    parse_folder,
    parse_import_name,
    parse_reverse_dns_name,
    parse_server_path,
)
from codegen.ir.layout import NAMESPACE, Layout
from codegen.loading.documents import OWN_CONTRACTS
from codegen.reporting.formats import FORMATTERS

CONTRACTS = "contracts"
HANDLERS = "handlers"
OWN_PACKAGE = "generated"
OWN_SANDBOX = "sandbox"
OWN_COMMAND = "nox -s generate"
OWN_IMAGES = "localhost"
"""The prefix of images that are built from this repository and published nowhere."""
PROFILES = ("strict", "default", "lenient")
"""The values of `breaking.rule.Profile`, which takes a while to load."""


def argument(description: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of `add_argument` for a field of an options record, as its metadata.

    Its flag is `--` and its name, unless the setting `flag` is false. A default that is a function returns the default.
    """
    return {"help": description, **settings}


def program_name() -> str:
    """Return the name by which the program was called, `toolpact` or `python -m codegen`."""
    return "toolpact" if Path(sys.argv[0]).stem == "toolpact" else "python -m codegen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contracts:
    """The contracts folder of a project."""

    contracts: Path = field(
        metadata=argument(f"default: {CONTRACTS}", type=parse_folder, default=Path(CONTRACTS), metavar="DIR")
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
        metadata=argument("the folder of the generated package; default: its name", type=parse_folder, metavar="DIR")
    )
    package: str = field(
        metadata=argument(
            f"the import name of the generated package; default: {OWN_PACKAGE}",
            type=parse_import_name,
            default=OWN_PACKAGE,
            metavar="NAME",
        )
    )
    handlers: str = field(
        metadata=argument(
            f"the import name of the handlers, beside the output; default: {HANDLERS}",
            type=parse_import_name,
            default=HANDLERS,
            metavar="PACKAGE",
        )
    )

    @property
    def default_output(self) -> Path:
        """Return the folder of the generated package without `--out`."""
        return Path(*self.package.split("."))

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
        return [self.import_root, Path.cwd()]

    @property
    def handlers_folder(self) -> Path:
        """Return the folder for new handlers, beside the output."""
        return self.import_root.joinpath(*self.handlers.split("."))


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """Options of `generate`: folders, and settings of start-up files."""

    folders: Folders
    sandbox: str | None = field(
        metadata=argument("the module that provides data for --sandbox of a server", metavar="MODULE")
    )
    namespace: str = field(
        metadata=argument(
            f"your reverse-DNS name in the MCP registry, e.g. io.github.acme; default: {NAMESPACE}, which is nobody's",
            type=parse_reverse_dns_name,
            default=NAMESPACE,
            metavar="NAME",
        )
    )
    images: str | None = field(
        metadata=argument("the prefix of container image names, e.g. images.example/acme", metavar="PREFIX")
    )

    @property
    def layout(self) -> Layout:
        """Return the names around the generated files."""
        folders = self.folders
        return Layout(
            package=folders.package,
            handlers=folders.handlers,
            sandbox=self.sandbox or (OWN_SANDBOX if folders.package == OWN_PACKAGE else None),
            contracts=_resolve(folders.contracts).name,
            command=self._command(_portable_path, "python -m codegen"),
            namespace=self.namespace,
            images=self.images or (OWN_IMAGES if self._is_own else None),
        )

    @property
    def command(self) -> str:
        """Return the command that writes the files, with every path as it was given."""
        return self._command(str, program_name())

    def _command(self, show: Callable[[Path], str], program: str) -> str:
        """Return the command that writes the files, with every option that is not its default."""
        if self._is_own:
            return OWN_COMMAND
        folders = self.folders
        flags = {
            "contracts": show(folders.contracts) if not _is_same(folders.contracts, Path(CONTRACTS)) else None,
            "out": show(folders.output) if not _is_same(folders.output, folders.default_output) else None,
            "package": folders.package if folders.package != OWN_PACKAGE else None,
            "handlers": folders.handlers if folders.handlers != HANDLERS else None,
            "sandbox": self.sandbox,
            "namespace": self.namespace if self.namespace != NAMESPACE else None,
            "images": self.images,
        }
        given = [part for flag, value in flags.items() if value is not None for part in (f"--{flag}", value)]
        return f"{program} generate {shlex.join(given)}".rstrip()

    @property
    def _is_own(self) -> bool:
        """Return True for toolpact's own servers, for which the repository has a command."""
        folders = self.folders
        names = (folders.package, folders.handlers, self.sandbox or OWN_SANDBOX)
        published = (self.namespace, self.images or OWN_IMAGES)
        return (
            names == (OWN_PACKAGE, HANDLERS, OWN_SANDBOX)
            and published == (NAMESPACE, OWN_IMAGES)
            and _is_same(folders.contracts, OWN_CONTRACTS)
            and _is_same(folders.output, OWN_CONTRACTS.parent / OWN_PACKAGE)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions(ContractsOnDay):
    """Options for the comparison of contracts with an earlier state."""

    against: str = field(
        metadata=argument(
            "the earlier contracts: a git ref, a folder, or `upstream` for the commit at which this branch began",
            default="",
            metavar="REF_OR_DIR",
        )
    )
    profile: str = field(metadata=argument("the strictness; default: default", choices=PROFILES, default="default"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Options of `check`, which compares contracts only with `--against`."""

    generate: GenerateOptions
    comparison: ComparisonOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions(ContractsOnDay):
    """Options of `lint`."""

    format: str = field(metadata=argument("default: text", choices=FORMATTERS, default="text"))
    fix: bool = field(
        metadata=argument("fix findings that need no decision; every other byte stays as it is", action="store_true")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingOptions:
    """Options of `breaking`."""

    comparison: ComparisonOptions
    format: str = field(metadata=argument("default: text", choices=FORMATTERS, default="text"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogOptions:
    """Options of `changelog`."""

    comparison: ComparisonOptions
    into: Path | None = field(
        metadata=argument("the CHANGELOG.md to write to; default: print", type=Path, metavar="FILE")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewServerOptions:
    """Options of `new server`."""

    server: tuple[str, str] = field(
        metadata=argument("e.g. tradestream/strategy", flag=False, type=parse_server_path, metavar="SYSTEM/NAME")
    )
    folders: Folders


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToolOptions(NewServerOptions):
    """Options of `new tool`."""

    tool: str = field(metadata=argument("the name that models call, e.g. get_alerts", flag=False, metavar="TOOL"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesOptions:
    """Options of `rules`."""

    rule: str | None = field(
        metadata=argument("the rule to explain, e.g. BOUND_TIGHTENED", flag=False, nargs="?", metavar="RULE")
    )


def _is_same(path: Path, other: Path) -> bool:
    """Return True where two paths lead to one place."""
    return _resolve(path) == _resolve(other)


def _resolve(path: Path) -> Path:
    """Return a path without symbolic links; Path.resolve() fails where they form a loop."""
    return Path(os.path.realpath(path))


def _portable_path(path: Path) -> str:
    """Return a path relative to the current folder, or its last part where it is outside.

    Generated files name it, and must be equal on every machine.
    """
    absolute, here = _resolve(path), _resolve(Path())
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else absolute.name
