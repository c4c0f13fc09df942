"""Options of commands that start a server or a tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.value_types import parse_day, parse_server_path


@dataclass(frozen=True, slots=True, kw_only=True)
class NewServerOptions:
    """Options of `new server`."""

    server: tuple[str, str] = field(
        metadata=argument("e.g. acme/books", flag=False, type=parse_server_path, metavar="SYSTEM/NAME")
    )
    folders: Folders


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToolOptions(NewServerOptions):
    """Options of `new tool`."""

    tool: str = field(metadata=argument("the name that models call, e.g. get_alerts", flag=False, metavar="TOOL"))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersionOptions(NewToolOptions):
    """Options of `new version`."""

    against: str = field(
        metadata=argument(
            "the state with the old promise, a git ref or a folder, if the contract is edited already; default: now",
            default="",
            metavar="REF_OR_DIR",
        )
    )
    to: str | None = field(
        metadata=argument(
            "the tool's new version; default: the next major one, below 1.0.0 the next minor", metavar="VERSION"
        )
    )
    today: date = field(
        metadata=argument(
            "the day of release, where the tool states one; default: today in UTC",
            type=parse_day,
            default=lambda: datetime.now(UTC).date(),
            metavar="YYYY-MM-DD",
        )
    )
