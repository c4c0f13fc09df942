"""A connection to a server that is started as a process, and ends with the connection."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, Unpack

from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

from toolpact.client.connection import Connection, ConnectionOptions
from toolpact.client.sdk import SdkConnection

_HINT = " Its log, on standard error, says why; a new client starts it anew."


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How a process is started."""

    program: str
    """The program, by name or path."""
    args: Sequence[str]
    """What follows it."""
    env: Mapping[str, str]
    """What its environment has beside HOME, PATH and the like of this process."""
    cwd: Path | str | None
    """Its working directory; None for that of this process."""


def connection(server: str, command: Command, log: TextIO | None, **options: Unpack[ConnectionOptions]) -> Connection:
    """Return the way to a *server* that *command* starts; it logs to *log*, else to standard error."""
    how = StdioServerParameters(
        command=command.program, args=list(command.args), env=dict(command.env), cwd=command.cwd
    )
    return SdkConnection(server, stdio_client(how, errlog=log or sys.stderr), hint=_HINT, **options)
