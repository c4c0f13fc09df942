"""Entry point of a server process: settings, transport and exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from toolaccord import extras, shutdown
from toolaccord.config import process_settings
from toolaccord.config.absent_stores import drop_absent_stores
from toolaccord.config.ask_settings import list_ask_settings, list_state_keys
from toolaccord.config.overrides import apply_overrides, list_overrides
from toolaccord.config.session_settings import STORE, list_session_settings
from toolaccord.declarations.settings import read_settings
from toolaccord.declarations.tool import WORK
from toolaccord.server import startup
from toolaccord.server.options import Options, Process, choose_transport
from toolaccord.server.sandbox import SandboxScope, provide_environment, scope_sandbox
from toolaccord.server.serve import ConfiguredServer
from toolaccord.server.startup import StartError, UnsuitableOption
from toolaccord.server.transports import TRANSPORTS, Transport
from toolaccord.server.workers import VARIABLE
from toolaccord.telemetry import stderr
from toolaccord.urls import is_loopback

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server
    from toolaccord.server.workers.link import Link
    from toolaccord.telemetry.tracing import CallTracer
    from toolaccord.transports.http.server import Handover
    from toolaccord.transports.streams.descriptors import StdioDescriptors

_OTLP_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's variables with the receiver of spans."""


def run(
    server: Server[Any],
    sandbox: str | None = None,
    argv: Sequence[str] | None = None,
    *,
    package: str | None = None,
    handover: Handover | None = None,
) -> int:
    """Serve *server* until its input ends or a signal stops it; return the exit code.

    0 after serving, 1 if the server or its sandbox fails, 2 for an invalid command line or invalid settings. *sandbox*
    names the module that provides settings for `--sandbox`, *package* the package of the server's generated files.
    Over HTTP, *handover* holds the sockets of a server that is replaced by this process.
    """
    stderr.reopen_closed_stderr()
    options = _read_options(server, sys.argv[1:] if argv is None else argv, has_sandbox=sandbox is not None)
    server = server.on(options.transport)
    shutdown.exit_on_signals()
    process = Process(options=options, package=package, handover=handover, link=_take_link())
    if process.link:
        sandbox = None  # the supervisor has provided its environment
    hint = "\nOr try the server with --sandbox, on sample data." if sandbox and not options.sandbox else ""
    return startup.report_errors(server.name, partial(_run, server, process, sandbox), hint)


def _read_options(server: Server[Any], argv: Sequence[str], *, has_sandbox: bool) -> Options:
    """Return the options of *server* in *argv*. Exits on invalid ones, and for `--help`."""
    if not argv:
        return Options(transport=choose_transport(server.transports))
    from toolaccord.server import cli  # noqa: PLC0415 - hosts start a server without options

    return cli.parse_arguments(server, argv, has_sandbox=has_sandbox)


def _run(server: Server[Any], process: Process, sandbox: str | None) -> int:
    """Serve *server* as the options of *process* say; return the exit code.

    Raises SettingsError, UnprotectedServer, StartError, UnsuitableOption and MissingExtra.
    """
    options = process.options
    for source in server.sources:
        extras.require_driver(source.kind)
    transport = TRANSPORTS[options.transport]
    descriptors = _claim_stdio(server) if transport.messages else None
    scope = _sandbox_scope(server, options)
    with provide_environment(server.name, scope, sandbox if options.sandbox else None) as environ:
        configured = _configure(server, environ, process)
        if options.workers and process.link is None:
            from toolaccord.server.supervision import supervise  # noqa: PLC0415 - other processes need none

            return supervise(configured, options, environ, options.workers)
        with _trace_calls(configured.server) as tracer:
            if descriptors is not None and os.isatty(descriptors.input):
                _teach(configured.server, transport)
            process = replace(process, tracer=tracer, descriptors=descriptors)
            return startup.run_loop(transport.serve(configured, process), "server")


def _claim_stdio(server: Server[Any]) -> StdioDescriptors:
    """Take over standard input and output.

    Raises StartError if one of them was closed when the process started.
    """
    for name, stream in (("input", sys.__stdin__), ("output", sys.__stdout__)):
        if stream is None:
            alternative = ", or serve HTTP with --transport http" if "http" in server.transports else ""
            raise StartError(f"standard {name} is closed: open it{alternative}")
    from toolaccord.transports.streams.descriptors import StdioDescriptors  # noqa: PLC0415 - not needed for --help

    return StdioDescriptors.claim()


def _teach(server: Server[Any], transport: Transport) -> None:
    """Tell a person at a terminal what the server waits for, how to try it, and how to end it."""
    tool = server.tools[0].name if server.tools else "TOOL"
    http = "serve HTTP with --transport http" if "http" in server.transports else "let a host start it"
    sys.stderr.write(
        f"{server.name} waits on standard input for {transport.messages}.\n"
        f"Ctrl-D ends it. Try `toolaccord call {server.name}.{tool}`,\nor {http}.\n"
    )


def _take_link() -> Link | None:
    """Return the link to the supervisor of this process; None for a process that is no worker."""
    if VARIABLE not in os.environ:
        return None
    from toolaccord.server.workers.link import Link  # noqa: PLC0415 - only workers need it

    return Link.take()


def _sandbox_scope(server: Server[Any], options: Options) -> SandboxScope:
    """Return the variables that the sandbox may set, and those of sources.

    Everybody knows its keys, so it sets none for a server that listens beyond this machine.
    """
    bearer = server.access.http if options.transport == "http" and not is_loopback(options.host) else None
    names = [setting.env for setting in server.settings if bearer is None or setting.name != bearer.setting]
    return scope_sandbox(names, server.settings, server.sources)


def _configure(server: Server[Any], environ: Mapping[str, str], process: Process) -> ConfiguredServer:
    """Read the settings of *server*, and configure the log.

    Raises SettingsError, StartError and UnsuitableOption.
    """
    options = process.options
    declared = [*server.settings, *list_overrides(server), *process_settings.list_settings()]
    declared += [*list_session_settings(server), *list_ask_settings(server)]
    kinds = {**startup.list_source_kinds(server.sources), STORE: "redis"}
    values = read_settings(declared, environ, kinds)
    if values.get(STORE):
        extras.require_driver("redis")
    server = drop_absent_stores(apply_overrides(server, values), values)
    if options.transport == WORK and server.task_store is None:
        raise UnsuitableOption(
            "--work: the address of the store of tasks is empty, so each process that serves keeps and runs its own; "
            "set the address here and there, or serve with this process too."
        )
    server = replace(server, publishes_open_schemas=process_settings.read_publishes_open_schemas(values))
    settings: Mapping[str, Any] = values
    if options.workers:
        from toolaccord.server.workers.division import divide  # noqa: PLC0415 - other servers divide nothing

        server, settings = divide(server, values, options.workers)
    secrets = [values[setting.name] for setting in server.settings if setting.secret]
    secrets += [*process_settings.list_secrets(values), *list_state_keys(values), values.get(STORE)]
    constants = {"worker": os.getpid()} if process.link else {}
    startup.configure_log(options.log_level, options.log_file, secrets, constants)
    if process.link is None:  # a worker would repeat its supervisor
        startup.warn_of_plain_sources(kinds, [*server.settings, *list_session_settings(server)], values)
    return ConfiguredServer(server, settings, options.reference)


def _trace_calls(server: Server[Any]) -> AbstractContextManager[CallTracer | None]:
    """Provide the tracer of *server* if the environment names a receiver of spans."""
    if not any(map(os.environ.get, _OTLP_ENDPOINTS)):
        return nullcontext()
    from toolaccord.telemetry import tracing  # noqa: PLC0415 - not needed without spans

    return tracing.trace_calls(server)
