"""Entry point of a server process: settings, transport and exit code."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolpact import shutdown
from toolpact.config import process_settings
from toolpact.config.overrides import apply_overrides, list_overrides
from toolpact.declarations.settings import SettingsError, read_settings
from toolpact.server import cli, serve
from toolpact.server.serve import ConfiguredServer, StartError
from toolpact.sources.addresses import is_loopback
from toolpact.telemetry import json_logs, stderr
from toolpact.telemetry.log_file import LogFile
from toolpact.telemetry.redaction import Redactor

if TYPE_CHECKING:
    from toolpact.declarations.tool import Server
    from toolpact.telemetry.tracing import CallTracer
    from toolpact.transports.streams.descriptors import StdioDescriptors

_LOG = logging.getLogger(__name__)
_OTLP_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's variables with the receiver of spans."""


def run(
    server: Server[Any], sandbox: str | None = None, argv: Sequence[str] | None = None, *, package: str | None = None
) -> int:
    """Serve *server* until its input ends or a signal stops it; return the exit code.

    0 after serving, 1 if the server or its sandbox fails, 2 for an invalid command line or invalid settings. *sandbox*
    names the module that provides settings for `--sandbox`, *package* the package of the server's generated files.
    """
    stderr.reopen_closed_stderr()
    options = cli.parse_arguments(server, argv, has_sandbox=sandbox is not None)
    server = server.on(options.transport)
    shutdown.exit_on_signals()
    try:
        descriptors = None if options.transport == "http" else _claim_stdio(server)
        with _provide_environment(server, options, sandbox if options.sandbox else None) as environ:
            configured = _configure(server, environ, options)
            with _trace_calls(configured.server) as tracer:
                if descriptors is None:
                    return _run(serve.serve_http(configured, tracer, options.host, options.port, package))
                is_mcp = options.transport == "stdio"
                serve_streams = serve.serve_stdio if is_mcp else serve.serve_content_length
                return _run(serve_streams(configured, descriptors, tracer, options.metrics_port))
    except SettingsError as error:
        hint = "\nOr try the server with --sandbox, on sample data." if sandbox and not options.sandbox else ""
        sys.stderr.write(f"{server.name}: {error}{hint}\n")
        return 2
    except process_settings.UnprotectedServer as error:
        sys.stderr.write(f"{server.name}: {error}\n")
        return 2
    except StartError as error:
        sys.stderr.write(f"{server.name}: {error}\n")
        return 1


def _claim_stdio(server: Server[Any]) -> StdioDescriptors:
    """Take over standard input and output.

    Raises StartError if one of them was closed when the process started.
    """
    for name, stream in (("input", sys.__stdin__), ("output", sys.__stdout__)):
        if stream is None:
            alternative = ", or serve HTTP with --transport http" if "http" in server.transports else ""
            raise StartError(f"standard {name} is closed: open it{alternative}")
    from toolpact.transports.streams.descriptors import StdioDescriptors  # noqa: PLC0415 - not needed for --help

    return StdioDescriptors.claim()


@contextmanager
def _provide_environment(server: Server[Any], options: cli.Options, sandbox: str | None) -> Iterator[Mapping[str, str]]:
    """Provide the environment; with *sandbox*, the variables of that module take precedence.

    Raises StartError.
    """
    if not sandbox:
        yield os.environ
        return
    sys.stderr.write(f"{server.name}: starting the sandbox\n")
    names = _sandbox_names(server, options)
    with ExitStack() as stack:
        try:
            provided = stack.enter_context(importlib.import_module(sandbox).environment(names))
        except Exception as error:
            raise StartError(f"the sandbox did not start: {error}") from error
        sys.stderr.write(f"{server.name}: the sandbox sets {', '.join(sorted(provided)) or 'nothing'}\n")
        yield {**os.environ, **provided}


def _sandbox_names(server: Server[Any], options: cli.Options) -> list[str]:
    """Return the variables that the sandbox may set.

    Everybody knows its keys, so it sets none for a server that listens beyond this machine.
    """
    bearer = server.access.http if options.transport == "http" and not is_loopback(options.host) else None
    return [setting.env for setting in server.settings if bearer is None or setting.name != bearer.setting]


def _configure(server: Server[Any], environ: Mapping[str, str], options: cli.Options) -> ConfiguredServer:
    """Read the settings of *server*, and configure the log. Raises SettingsError and StartError."""
    declared = [*server.settings, *list_overrides(server), *process_settings.list_settings()]
    values = read_settings(declared, environ, _source_kinds(server))
    server = apply_overrides(server, values)
    secrets = [values[setting.name] for setting in server.settings if setting.secret]
    redactor = Redactor([*secrets, *process_settings.list_secrets(values)])
    json_logs.configure(options.log_level.upper(), redactor, log_file=_open_log_file(options.log_file))
    return ConfiguredServer(server, values, options.reference)


def _open_log_file(path: Path | None) -> LogFile | None:
    """Return the log file, if the command line names one. Raises StartError."""
    try:
        return LogFile(path) if path else None
    except OSError as error:
        raise StartError(f"cannot open the log file {path}: {error.strerror}") from error


def _source_kinds(server: Server[Any]) -> dict[str, str]:
    """Return the kind of the source for each setting that holds the URL or the endpoint of one."""
    addresses = ("url", "endpoint")
    return {getattr(each, key): each.kind for each in server.sources for key in addresses if hasattr(each, key)}


def _trace_calls(server: Server[Any]) -> AbstractContextManager[CallTracer | None]:
    """Provide the tracer of *server* if the environment names a receiver of spans."""
    if not any(map(os.environ.get, _OTLP_ENDPOINTS)):
        return nullcontext()
    from toolpact.telemetry import tracing  # noqa: PLC0415 - not needed without spans

    return tracing.trace_calls(server)


def _run(work: Coroutine[Any, Any, None]) -> int:
    """Run *work* to its end; return the exit code. Raises StartError."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(work)
    except StartError:
        raise
    except Exception:
        _LOG.exception("the server failed")
        return 1
    finally:
        loop.close()
    return 0
