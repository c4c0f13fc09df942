"""Options of `generate`, and the command line that repeats it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from codegen.cli.options.arguments import argument, program_name
from codegen.cli.options.folders import CONTRACTS, HANDLERS, OWN_PACKAGE, Folders
from codegen.cli.value_types import parse_reverse_dns_name
from codegen.ir.layout import NAMESPACE, Layout
from codegen.loading.documents import OWN_CONTRACTS

OWN_SANDBOX = "sandbox"
OWN_COMMAND = "nox -s generate"
OWN_IMAGES = "localhost"
"""The prefix of images that are built from this repository and published nowhere."""


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
