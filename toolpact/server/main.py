"""A server as a process: its settings, what it serves on, and its exit code."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from toolpact import shutdown
from toolpact.config import process_settings
from toolpact.config.overrides import overridden, overrides
from toolpact.declarations.settings import SettingsError, read_settings
from toolpact.server import cli, serve
from toolpact.server.serve import CannotStart, Configured
from toolpact.telemetry import json_logs, stderr_handler
from toolpact.telemetry.redaction import Redactor

if TYPE_CHECKING:
    from toolpact.declarations.tool import Server
    from toolpact.telemetry.tracing import CallTracer
    from toolpact.transports.stdio.line_io import Wire

_LOG = logging.getLogger(__name__)
_RECEIVERS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's variables, which say where spans are sent."""


def run(
    server: Server[Any], sandbox: str | None = None, argv: Sequence[str] | None = None, *, package: str | None = None
) -> int:
    """Serve *server* until its input ends or a signal says so; return the exit code.

    0 after serving, 1 when the server or its sandbox broke down, 2 when the command line or the settings are wrong. *sandbox* names
    the module that `--sandbox` takes settings from, *package* the one that holds the server's generated files.
    """
    stderr_handler.reopen_closed_stderr()
    options = cli.read(server, sandbox, argv)
    shutdown.exit_on_signals()
    try:
        wire = _wire() if options.transport == "stdio" else None
        with _environment(server, options.sandbox and sandbox) as environ:
            declared = [*server.settings, *overrides(server), *process_settings.settings()]
            values = read_settings(declared, environ, _addresses(server))
            server = overridden(server, values)
            secrets = [values[setting.name] for setting in server.settings if setting.secret]
            redactor = Redactor([*secrets, *process_settings.secrets(values)])
            json_logs.configure(options.log_level.upper(), redactor)
            with _spans(server) as spans:
                made = Configured(server, values, spans, options.reference)
                if wire is not None:
                    return _served(serve.stdio(made, wire, options.metrics_port))
                return _served(serve.http(made, options.host, options.port, package))
    except SettingsError as problem:
        hint = "\nOr try the server with --sandbox, on sample data." if sandbox and not options.sandbox else ""
        sys.stderr.write(f"{server.name}: {problem}{hint}\n")
        return 2
    except process_settings.Unprotected as problem:
        sys.stderr.write(f"{server.name}: {problem}\n")
        return 2
    except CannotStart as problem:
        sys.stderr.write(f"{server.name}: {problem}\n")
        return 1


def _wire() -> Wire:
    """Take standard input and output. Raises CannotStart where one of them was closed when the process began."""
    for name, stream in (("input", sys.__stdin__), ("output", sys.__stdout__)):
        if stream is None:
            raise CannotStart(f"standard {name} is closed: give it one, or serve HTTP with --transport http")
    from toolpact.transports.stdio.line_io import Wire  # noqa: PLC0415 - asked for help, a server need not be ready to serve

    return Wire.claim()


def _addresses(server: Server[Any]) -> dict[str, str]:
    """Return the settings that hold the URL of a source, by name, and the kind of the source."""
    return {source.url: source.kind for source in server.sources if hasattr(source, "url")}


@contextmanager
def _environment(server: Server[Any], sandbox: str | None) -> Iterator[Mapping[str, str]]:
    """Give the environment; where *sandbox* names a module, with what that module gives in its place."""
    if not sandbox:
        yield os.environ
        return
    sys.stderr.write(f"{server.name}: starting the sandbox\n")
    names = [setting.env for setting in server.settings]
    with ExitStack() as stack:
        try:
            given = stack.enter_context(importlib.import_module(sandbox).environment(names))
        except Exception as error:
            raise CannotStart(f"the sandbox did not start: {error}") from error
        sys.stderr.write(f"{server.name}: the sandbox gives {', '.join(sorted(given)) or 'nothing'}\n")
        yield {**os.environ, **given}


def _spans(server: Server[Any]) -> AbstractContextManager[CallTracer | None]:
    """Give what makes the spans of *server*, where the environment says who takes them."""
    if not any(map(os.environ.get, _RECEIVERS)):
        return nullcontext()
    from toolpact.telemetry import tracing  # noqa: PLC0415 - who sends no spans does not load the library

    return tracing.trace_calls(server)


def _served(work: Coroutine[Any, Any, None]) -> int:
    """Run *work* to its end; return the exit code. Raises CannotStart."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(work)
    except CannotStart:
        raise
    except Exception:
        _LOG.exception("the server broke down")
        return 1
    finally:
        loop.close()
    return 0
