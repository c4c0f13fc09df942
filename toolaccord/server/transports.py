"""Transports of servers; a new one needs its package and an entry here."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolaccord.declarations.tool import WORK
from toolaccord.server.options import Process
from toolaccord.server.serve import ConfiguredServer, serve_content_length, serve_http, serve_stdio, serve_tasks

Serve: TypeAlias = Callable[[ConfiguredServer, Process], Coroutine[Any, Any, None]]
"""Opens what a transport needs, and returns the coroutine that serves on it.

Raises UnprotectedServer, SettingsError, StartError and MissingExtra.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """A transport of servers."""

    protocol: str
    """The protocol and its carrier, for `--help`."""
    messages: str | None = None
    """The messages that it waits for on standard input; None if it does not use that."""
    rejected_options: Mapping[str, str] = field(default_factory=dict)
    """The reasons to reject options that it cannot use, by their names in `Options`."""
    serve: Serve
    """Serves a configured server."""


_WORKERS = "--workers is for HTTP; over standard input and output, one process serves its one client"
TRANSPORTS: dict[str, Transport] = {
    "stdio": Transport(
        protocol="MCP on standard input and output",
        messages="MCP messages, one a line",
        rejected_options={"workers": _WORKERS},
        serve=serve_stdio,
    ),
    "http": Transport(
        protocol="MCP over HTTP",
        rejected_options={"metrics_port": "--metrics-port is for stdio; over HTTP the metrics are at /metrics"},
        serve=serve_http,
    ),
    "content_length": Transport(
        protocol="JSON-RPC with Content-Length headers on standard input and output",
        messages="JSON-RPC with Content-Length headers",
        rejected_options={
            "reference": "--reference is for MCP; over content-length there is no other implementation",
            "workers": _WORKERS,
        },
        serve=serve_content_length,
    ),
    WORK: Transport(
        protocol="nothing, and takes tasks",
        rejected_options={
            "reference": "--reference is for MCP; a process that takes tasks serves none",
            "workers": "--workers is for HTTP; start as many processes that take tasks as you want",
        },
        serve=serve_tasks,
    ),
}
"""All transports, by the name that contracts use, and what stands for one."""
