"""Arguments that several commands share, and the types of their values."""

from __future__ import annotations

import argparse
import keyword
import re
from datetime import UTC, date, datetime
from pathlib import Path

from codegen.cli.options import CONTRACTS, HANDLERS, OWN_PACKAGE
from codegen.ir.layout import NAMESPACE
from codegen.reporting.formats import FORMATS

PROFILES = ("strict", "default", "lenient")
"""The values of `breaking.rule.Profile`, which takes a while to load."""


def add_contracts(command: argparse.ArgumentParser) -> None:
    """Add `--contracts`."""
    folder = Path(CONTRACTS)
    command.add_argument("--contracts", type=Path, default=folder, metavar="DIR", help=f"default: {folder}")


def add_folders(command: argparse.ArgumentParser) -> None:
    """Add the options for the folders and import names of a project."""
    add_contracts(command)
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="the folder of the generated package; default: its name"
    )
    command.add_argument(
        "--package",
        type=_import_name,
        default=OWN_PACKAGE,
        metavar="NAME",
        help=f"the import name of the generated package; default: {OWN_PACKAGE}",
    )
    command.add_argument(
        "--handlers",
        type=_import_name,
        default=HANDLERS,
        metavar="PACKAGE",
        help=f"the import name of the handlers, beside the output; default: {HANDLERS}",
    )


def add_publication(command: argparse.ArgumentParser) -> None:
    """Add the options for generated start-up files: sandbox, registry and images."""
    command.add_argument("--sandbox", metavar="MODULE", help="the module that provides data for --sandbox of a server")
    command.add_argument(
        "--namespace",
        type=_reverse_dns_name,
        default=NAMESPACE,
        metavar="NAME",
        help=f"your reverse-DNS name in the MCP registry, e.g. io.github.acme; default: {NAMESPACE}, which is nobody's",
    )
    command.add_argument(
        "--images", metavar="PREFIX", help="the prefix of container image names, e.g. images.example/acme"
    )


def add_comparison(command: argparse.ArgumentParser, *, required: bool) -> None:
    """Add the options for the comparison with earlier contracts."""
    command.add_argument(
        "--against",
        required=required,
        metavar="REF_OR_DIR",
        help="the earlier contracts: a git ref, a folder, or `upstream` for the commit at which this branch began",
    )
    command.add_argument("--profile", choices=PROFILES, default="default", help="the strictness; default: default")
    add_today(command)


def add_format(command: argparse.ArgumentParser) -> None:
    """Add `--format`."""
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")


def add_today(command: argparse.ArgumentParser) -> None:
    """Add `--today`."""
    command.add_argument(
        "--today",
        type=_day,
        default=datetime.now(UTC).date(),
        metavar="YYYY-MM-DD",
        help="the day for rules about dates; default: today in UTC",
    )


def server_path(text: str) -> tuple[str, str]:
    """Return the system and the name of a server given as SYSTEM/NAME."""
    system, slash, name = text.partition("/")
    if not (system and slash and name) or "/" in name:
        raise argparse.ArgumentTypeError(f'"{text}" is not SYSTEM/NAME, e.g. tradestream/strategy')
    return system, name


def _import_name(text: str) -> str:
    """Return the import name of a package."""
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in text.split(".")):
        raise argparse.ArgumentTypeError(f'"{text}" is no name that Python can import')
    return text


def _reverse_dns_name(text: str) -> str:
    """Return a reverse-DNS name."""
    if not re.fullmatch(r"[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+", text):
        raise argparse.ArgumentTypeError(f'"{text}" is no reverse-DNS name, e.g. io.github.acme')
    return text


def _day(text: str) -> date:
    """Return a date given as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is no day, e.g. 2027-01-31') from None
