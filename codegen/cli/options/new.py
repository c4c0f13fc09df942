"""Options of commands that start a server or a tool."""

from __future__ import annotations

from dataclasses import dataclass, field

from codegen.cli.options.arguments import argument
from codegen.cli.options.folders import Folders
from codegen.cli.value_types import parse_server_path


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
