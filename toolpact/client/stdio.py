"""Connection to a server that runs as a child process, and ends with the connection."""

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

_HINT = (
    " Its log, on standard error, gives the reason. A client with policies starts it again with its next attempt; "
    "make any other client anew."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Command that starts the server."""

    program: str
    """Program, by name or path."""
    args: Sequence[str]
    """Arguments of the program."""
    env: Mapping[str, str]
    """Environment variables in addition to HOME, PATH and similar ones of this process."""
    cwd: Path | str | None
    """Working directory; None for that of this process."""


def connect(server: str, command: Command, log: TextIO | None, **options: Unpack[ConnectionOptions]) -> Connection:
    """Return a connection to *server*, started by *command*; it logs to *log* or standard error."""
    parameters = StdioServerParameters(
        command=command.program, args=list(command.args), env=dict(command.env), cwd=command.cwd
    )
    return SdkConnection(server, stdio_client(parameters, errlog=log or sys.stderr), hint=_HINT, **options)
