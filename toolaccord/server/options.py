"""Options of a server's command line, and the process that serves by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolaccord.server.workers.link import Link
    from toolaccord.telemetry.tracing import CallTracer
    from toolaccord.transports.http.server import Handover
    from toolaccord.transports.streams.descriptors import StdioDescriptors


def choose_transport(transports: Sequence[str]) -> str:
    """Return the one of a server's *transports* on which it serves without options."""
    return "stdio" if "stdio" in transports else transports[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the command line."""

    transport: str
    """Transport to serve on."""
    host: str = "localhost"
    """Address to listen on over HTTP."""
    port: int = 8000
    """Port to listen on over HTTP; 0 for any free one."""
    metrics_port: int | None = None
    """Port of `/metrics` on other transports than HTTP, 0 for any free one; None for no metrics."""
    reference: bool = False
    """True if the MCP SDK answers everything."""
    log_level: str = "info"
    """Lowest level of the log: debug, info, warning or error."""
    log_file: Path | None = None
    """File that the log is appended to; None for standard error."""
    sandbox: bool = False
    """True if the sandbox provides settings."""
    workers: int | None = None
    """Number of processes that serve over HTTP; None for this one alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The process that serves."""

    options: Options
    """Options of its command line."""
    tracer: CallTracer | None = None
    """Makes the spans of calls; None without tracing."""
    descriptors: StdioDescriptors | None = None
    """Standard input and output; None for a transport that does not use them."""
    package: str | None = None
    """Package of the server's generated files."""
    handover: Handover | None = None
    """Sockets of the process that this one replaces over HTTP."""
    link: Link | None = None
    """Link of a worker to its supervisor; None for a process without one."""
