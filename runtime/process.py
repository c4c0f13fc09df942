"""A server as a process: its settings, what it serves on, and its exit code."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import logging
import os
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from runtime import command_line, deployment, lifecycle, observability, settings
from runtime.clock import SystemClock
from runtime.overrides import overridden, overrides
from runtime.settings import SettingsError

if TYPE_CHECKING:
    from runtime.lifecycle import Stop
    from runtime.metrics import Metrics
    from runtime.pipeline import Pipeline
    from runtime.sources import Source
    from runtime.tool import Server
    from runtime.tracing import Spans
    from runtime.transports.frames import Wire

_LOG = logging.getLogger(__name__)
_RECEIVERS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's variables, which say where spans are sent."""


class CannotStart(Exception):
    """Something that the server starts with could not be had; the text says why."""


def run(
    server: Server[Any], sandbox: str | None = None, argv: Sequence[str] | None = None, *, package: str | None = None
) -> int:
    """Serve *server* until its input ends or a signal says so; return the exit code.

    0 after serving, 1 when the server or its sandbox broke down, 2 when the command line or the settings are wrong. *sandbox* names
    the module that `--sandbox` takes settings from, *package* the one that holds the server's generated files.
    """
    options = command_line.read(server, sandbox, argv)
    lifecycle.leave_on_signals()
    wire = _wire() if options.transport == "stdio" else None
    try:
        with _environment(server, options.sandbox and sandbox) as environ:
            declared = [*server.settings, *overrides(server), *deployment.settings()]
            values = settings.read(declared, environ, _addresses(server))
            server = overridden(server, values)
            secrets = [values[setting.name] for setting in server.settings if setting.secret]
            redactor = observability.Redactor([*secrets, *deployment.secrets(values)])
            observability.configure(options.log_level.upper(), redactor)
            with _spans(server) as spans:
                if wire:
                    return _served(_stdio(server, values, wire, options.metrics_port, spans))
                return _served(_http(server, values, options, package, spans))
    except SettingsError as problem:
        hint = "\nOr try the server with --sandbox, on sample data." if sandbox and not options.sandbox else ""
        sys.stderr.write(f"{server.name}: {problem}{hint}\n")
        return 2
    except deployment.Unprotected as problem:
        sys.stderr.write(f"{server.name}: {problem}\n")
        return 2
    except CannotStart as problem:
        sys.stderr.write(f"{server.name}: {problem}\n")
        return 1


def _wire() -> Wire:
    from runtime.transports.frames import Wire  # noqa: PLC0415 - asked for help, a server need not be ready to serve

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


def _spans(server: Server[Any]) -> AbstractContextManager[Spans | None]:
    """Give what makes the spans of *server*, where the environment says who takes them."""
    if not any(map(os.environ.get, _RECEIVERS)):
        return nullcontext()
    from runtime import tracing  # noqa: PLC0415 - who sends no spans does not load the library

    return tracing.exported(server)


# --- serving -------------------------------------------------------------------------------------------------------


def _served(serving: Coroutine[Any, Any, None]) -> int:
    """Run *serving* to its end; return the exit code. Raises CannotStart."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(serving)
    except CannotStart:
        raise
    except Exception:
        _LOG.exception("the server broke down")
        return 1
    finally:
        loop.close()
    return 0


async def _stdio(
    server: Server[Any], values: Mapping[str, Any], wire: Wire, metrics_port: int | None, spans: Spans | None
) -> None:
    """Serve on *wire* until the end of input or a signal, and leave nothing open. Raises CannotStart where a port is taken."""
    from runtime.transports import stdio  # noqa: PLC0415 - see _wire
    from runtime.transports.mcp import mcp_server  # noqa: PLC0415

    pipeline, sources, metrics = _opened(server, values, spans, counted=metrics_port is not None)
    if metrics and metrics_port is not None:
        _listen_for_metrics(metrics, metrics_port)
    warming: list[asyncio.Task[None]] = []

    async def serve(stop: Stop) -> None:
        def warm_up() -> None:
            warming.append(asyncio.create_task(lifecycle.warm_up(sources)))

        drain_s = 1 + max((tool.timeout_ms / 1000 for tool in server.tools), default=0)
        await stdio.serve(mcp_server(server, pipeline), wire, stop, drain_s=drain_s, warm_up=warm_up)

    await lifecycle.live(serve, sources, deployment.patience(values))


def _listen_for_metrics(metrics: Metrics, port: int) -> None:
    """Let Prometheus read *metrics*. Raises CannotStart where the port is taken."""
    from runtime.transports import metrics_port  # noqa: PLC0415 - only for a server that is asked to

    try:
        where = metrics_port.listen(metrics, port)
    except OSError as error:
        raise CannotStart(f"cannot listen on 127.0.0.1 port {port}: {error.strerror}") from error
    _LOG.info("metrics are at %s", where)


def _http(
    server: Server[Any],
    values: Mapping[str, Any],
    options: argparse.Namespace,
    package: str | None,
    spans: Spans | None,
) -> Coroutine[Any, Any, None]:
    """Listen, and return what serves. Raises Unprotected where anybody could call, CannotStart where the port is taken."""
    access = deployment.access(values, options.host)
    from runtime.transports import http_serving  # noqa: PLC0415 - what stdio does not need
    from runtime.transports.http_app import HttpApp, Pages  # noqa: PLC0415

    try:
        listening = http_serving.listen(options.host, options.port)
    except OSError as error:
        raise CannotStart(f"cannot listen on {options.host} port {options.port}: {error.strerror}") from error
    where = http_serving.address(listening)
    _LOG.info("listening on %s", where)
    sys.stderr.write(f"{server.name}: listening on {where}\n")

    async def serving() -> None:
        pipeline, sources, metrics = _opened(server, values, spans, counted=True)
        app = HttpApp(pipeline, sources, access, Pages(package, metrics))

        async def serve(stop: Stop) -> None:
            warming = asyncio.create_task(lifecycle.warm_up(sources))
            await http_serving.serve(app, listening, stop)
            warming.cancel()

        await lifecycle.live(serve, sources, deployment.patience(values))

    return serving()


def _opened(
    server: Server[Any], values: Mapping[str, Any], spans: Spans | None, *, counted: bool
) -> tuple[Pipeline, Mapping[str, Source], Metrics | None]:
    """Return what answers calls, its sources, which are not yet connected, and what counts the calls if they are *counted*."""
    from runtime.pipeline import Pipeline  # noqa: PLC0415 - see _wire

    clock = SystemClock()
    sources = {source.name: source.open(values, clock) for source in server.sources}
    metrics = None
    if counted:
        from runtime.metrics import Metrics  # noqa: PLC0415 - who counts nothing does not load the library

        metrics = Metrics(server, sources)
    return Pipeline(server, sources, values, clock, metrics=metrics, spans=spans), sources, metrics
