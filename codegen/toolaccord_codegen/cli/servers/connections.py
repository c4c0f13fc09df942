"""Connections of commands: to a server that they start, or to one at a URL."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from toolaccord.client.connection import find_token_error
from toolaccord.errors import CallFailed, TransportRejection, Unauthorised
from toolaccord.json_values import JsonObject
from toolaccord_codegen.cli.servers.server_log import list_faults, list_lines, recording_output
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import CommandError

if TYPE_CHECKING:
    from mcp import StdioServerParameters

    from toolaccord.client.sdk import SdkConnection

MOST_PAGES = 1000
"""Pages of a list that are read; a server may send cursors without end."""
PATIENCE_S = 120.0
"""Seconds in which a server starts; `npx` and `uvx` may install it first."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server that listens at a URL."""

    url: str
    token: str | None


def parse_command(flag: str, text: str) -> StdioServerParameters:
    """Return the command in the value of a *flag*, split as a shell does.

    Raises CommandError for unbalanced quotes, for an empty text, and for a program that is not installed.
    """
    from mcp import StdioServerParameters

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"{flag} {text}: {str(error).lower()}") from None
    if not words:
        raise CommandError(f"{flag} is empty; write the command that starts the server")
    if shutil.which(words[0]) is None:
        raise CommandError(f"there is no program {words[0]} to start; install it, or correct {flag}")
    return StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))


def parse_address(url: str, token_env: str | None) -> Address:
    """Return an address with the token in the variable of `--token-env`.

    Raises CommandError without one.
    """
    if token_env is None:
        return Address(url, None)
    token = os.environ.get(token_env)
    if fault := find_token_error(token) if token else "is not set":
        raise CommandError(f"the environment variable {token_env} of --token-env {fault}")
    return Address(url, token)


@asynccontextmanager
async def connected(
    target: StdioServerParameters | Address,
    name: str,
    status: StatusLine,
    *,
    callbacks: Mapping[str, Any] | None = None,
    faults: list[JsonObject] | None = None,
) -> AsyncIterator[SdkConnection]:
    """Provide an open connection to a server, which messages call *name*.

    *callbacks* of the SDK's client answer its questions. *faults* receives, at the end, the warnings and errors that a
    server of toolaccord has logged.
    Raises CommandError if the server cannot be started or reached, or does not answer; its log's end is in the text.
    """
    logging.getLogger().addHandler(logging.NullHandler())  # the library would log what is raised here, too
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log, recording_output(log):
        connection = _connect(target, name, log, {"answers": callbacks} if callbacks else {})
        status.show(f"connecting to {name}" if isinstance(target, Address) else f"starting {name}")
        try:
            await connection.open()
            yield connection
        except CallFailed as error:
            raise CommandError("\n".join([f"{error}{_advise(error)}", *list_lines(log)])) from error
        finally:
            status.hide()
            await connection.close()
            if faults is not None:
                faults += list_faults(log)


def _advise(error: CallFailed) -> str:
    """Return what a person may change, after a sentence's end; empty if the error says it."""
    if isinstance(error, Unauthorised):
        return " --token-env NAME sends the token in a variable."
    is_status = isinstance(error, TransportRejection)
    return " Check the URL: MCP servers often listen at /mcp." if is_status else ""


def _connect(
    target: StdioServerParameters | Address, name: str, log: TextIO, given: Mapping[str, Any]
) -> SdkConnection:
    """Return a connection that is not open."""
    if isinstance(target, Address):
        from toolaccord.client import http

        return http.connect("the server", target.url, target.token, open_timeout_s=PATIENCE_S, **given)
    from mcp.client.stdio import stdio_client

    from toolaccord.client.sdk import SdkConnection

    transport = stdio_client(target, errlog=log)
    return SdkConnection(name, transport, ends_with_server=True, open_timeout_s=PATIENCE_S, **given)
