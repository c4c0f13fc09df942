"""Options of each command as frozen records, and the folders and commands derived from them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from codegen.ir.layout import NAMESPACE, Layout
from codegen.loading.documents import OWN_CONTRACTS

CONTRACTS = "contracts"
HANDLERS = "handlers"
OWN_PACKAGE = "generated"
OWN_SANDBOX = "sandbox"
OWN_COMMAND = "nox -s generate"
OWN_IMAGES = "localhost"
"""The prefix of images that are built from this repository and published nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Folders and import names of a project."""

    contracts: Path
    out: Path | None
    """The folder of the generated package; None for its default."""
    package: str
    """The import name of the generated package."""
    handlers: str
    """The import name of the handlers' package."""

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
    """Options of `generate`."""

    folders: Folders
    sandbox: str | None
    """The module that provides data for `--sandbox` of a server."""
    namespace: str
    """The reverse-DNS name in the MCP registry."""
    images: str | None
    """The prefix of container image names."""

    @property
    def layout(self) -> Layout:
        """Return the names around the generated files."""
        folders = self.folders
        return Layout(
            package=folders.package,
            handlers=folders.handlers,
            sandbox=self.sandbox or (OWN_SANDBOX if folders.package == OWN_PACKAGE else None),
            contracts=_resolve(folders.contracts).name,
            command=self._command(_portable_path),
            namespace=self.namespace,
            images=self.images or (OWN_IMAGES if self._is_own else None),
        )

    @property
    def command(self) -> str:
        """Return the command that writes the files, with every path as it was given."""
        return self._command(str)

    def _command(self, show: Callable[[Path], str]) -> str:
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
        return shlex.join(["python", "-m", "codegen", "generate", *given])

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
class ComparisonOptions:
    """Options for the comparison of contracts with an earlier state."""

    contracts: Path
    against: str
    """A git ref, a folder, or `upstream`."""
    profile: str
    """The name of a profile, one of `strict`, `default` and `lenient`."""
    today: date


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Options of `check`."""

    generate: GenerateOptions
    comparison: ComparisonOptions | None
    """None without `--against`."""
    today: date


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions:
    """Options of `lint`."""

    contracts: Path
    format: str
    fix: bool
    today: date


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingOptions:
    """Options of `breaking`."""

    comparison: ComparisonOptions
    format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogOptions:
    """Options of `changelog`."""

    comparison: ComparisonOptions
    into: Path | None
    """The page to write to; None to print."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOptions:
    """Options of `new server` and `new tool`."""

    folders: Folders
    system: str
    server: str
    tool: str | None
    """The name of the new tool; None for a new server."""


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
