"""How a folder is generated again: the command that a reader of a generated file, or of a finding, needs."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from codegen.ir.layout import NAMESPACE
from codegen.loading.documents import OWN_CONTRACTS

CONTRACTS = "contracts"
HANDLERS = "handlers"
OWN_PACKAGE = "generated"
OWN_SANDBOX = "sandbox"
OWN_COMMAND = "nox -s generate"
OWN_IMAGES = "localhost"
"""Images that are built from this repository and published nowhere."""
FORMATS = ("text", "json", "github", "sarif", "markdown")
"""What a judge's report can be printed as."""


class Commands(Protocol):
    """The commands of a program: what argparse's `add_subparsers` returns, whose class is private."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser:
        """Add a command."""


def add_contracts(command: argparse.ArgumentParser) -> None:
    """Where the contracts lie."""
    command.add_argument("--contracts", type=Path, default=Path(CONTRACTS), metavar="DIR", help="default: contracts")


def add_format(command: argparse.ArgumentParser) -> None:
    """How a judge's report is printed."""
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")


def regenerate(options: argparse.Namespace) -> str:
    """The command that writes the files, from the folder that was current; the same on every machine."""
    return OWN_COMMAND if is_own(options) else generate_with(options, portable)


def command(options: argparse.Namespace) -> str:
    """The command that writes the files, with every path as it was given here."""
    return OWN_COMMAND if is_own(options) else generate_with(options, str)


def is_own(options: argparse.Namespace) -> bool:
    """Whether these are toolpact's own rooms, for which the repository has a command."""
    given = (options.package, options.handlers, options.sandbox or OWN_SANDBOX)
    published = (options.namespace, options.images or OWN_IMAGES)
    places = (options.contracts.resolve(), output(options).resolve())
    return (given, published, places) == (
        (OWN_PACKAGE, HANDLERS, OWN_SANDBOX),
        (NAMESPACE, OWN_IMAGES),
        (OWN_CONTRACTS, OWN_CONTRACTS.parent / OWN_PACKAGE),
    )


def generate_with(options: argparse.Namespace, shown: Callable[[Path], str]) -> str:
    """The command with every flag that is not as it would be without."""
    flags = {
        "contracts": shown(options.contracts) if options.contracts.resolve() != Path(CONTRACTS).resolve() else None,
        "out": shown(output(options)) if output(options).resolve() != default_output(options).resolve() else None,
        "package": options.package if options.package != OWN_PACKAGE else None,
        "handlers": options.handlers if options.handlers != HANDLERS else None,
        "sandbox": options.sandbox,
        "namespace": options.namespace if options.namespace != NAMESPACE else None,
        "images": options.images,
    }
    given = [part for flag, value in flags.items() if value is not None for part in (f"--{flag}", value)]
    return shlex.join(["python", "-m", "codegen", "generate", *given])


def portable(path: Path) -> str:
    """A path below the current folder as it is seen from there; of any other its own name, which is all that travels."""
    absolute, here = path.resolve(), Path.cwd().resolve()
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else absolute.name


def output(options: argparse.Namespace) -> Path:
    """Where the package is written."""
    return options.out or default_output(options)


def default_output(options: argparse.Namespace) -> Path:
    """Where the package is written if nobody says where."""
    return Path(*options.package.split("."))


def surroundings(options: argparse.Namespace) -> Path:
    """The folder that the package is imported from."""
    levels: int = options.package.count(".")
    return output(options).absolute().parents[levels]
