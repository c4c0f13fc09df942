"""Connection to a server that runs as a child process, and ends with the connection."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, Unpack

from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

from toolaccord.client.connection import ConnectionOptions
from toolaccord.client.sdk import SdkConnection

_HINT = " Its log, on standard error, gives the reason."
_ONE_PROCESS = " Make the client anew, or give it policies, which start the server again."
"""Advice to a client whose connection is for one process."""


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


def connect(
    server: str, command: Command, log: TextIO | None, *, is_repeatable: bool, **options: Unpack[ConnectionOptions]
) -> SdkConnection:
    """Return a connection to *server*, started by *command*; it logs to *log* or standard error.

    If the connection *is_repeatable*, the client makes another one after the end of the process.
    """
    parameters = StdioServerParameters(
        command=command.program, args=list(command.args), env=dict(command.env), cwd=command.cwd
    )
    hint = _HINT if is_repeatable else _HINT + _ONE_PROCESS
    transport = stdio_client(parameters, errlog=log or sys.stderr)
    return SdkConnection(server, transport, hint=hint, ends_with_server=not is_repeatable, **options)
