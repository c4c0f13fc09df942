"""Options of `dev`, which serves a server while it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.cli.options.migrate import MIGRATIONS
from toolaccord_codegen.cli.value_types import parse_port, parse_server_path


@dataclass(frozen=True, slots=True, kw_only=True)
class DevOptions:
    """Options of `dev`."""

    server: tuple[str, str] | None = field(
        metadata=argument(
            "default: the only server of the project",
            flag=False,
            nargs="?",
            type=parse_server_path,
            metavar="SYSTEM/NAME",
        )
    )
    port: int | None = field(
        metadata=argument("port on loopback; default: 8000, or a free one if that is in use", type=parse_port)
    )
    json: bool = field(metadata=argument("print the server's log as JSON, as in a pipe", action="store_true"))
    no_browser: bool = field(metadata=argument("do not open the server's console", action="store_true"))
    generate: GenerateOptions
    migrations: Path | None = field(metadata=MIGRATIONS)
