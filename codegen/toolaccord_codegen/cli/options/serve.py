"""Options of `serve`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.value_types import parse_server_path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Options of `serve`."""

    folders: Folders
    server: tuple[str, str] = field(
        metadata=argument("e.g. acme/books", flag=False, type=parse_server_path, metavar="SYSTEM/NAME")
    )
    arguments: Sequence[str] = field(
        metadata=argument(
            "options of the server itself; --help lists them", flag=False, nargs=argparse.REMAINDER, metavar="OPTION"
        )
    )
