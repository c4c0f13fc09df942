"""Folders and import names of a project, which most commands share."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from codegen.cli.options.arguments import argument
from codegen.cli.value_types import parse_day, parse_folder, parse_import_name

CONTRACTS = "contracts"
HANDLERS = "handlers"
OWN_PACKAGE = "generated"


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
