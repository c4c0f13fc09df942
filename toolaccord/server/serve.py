"""Serving of a configured server on each transport."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toolaccord import extras, shutdown
from toolaccord.config import process_settings
from toolaccord.server import gc_tuning
from toolaccord.server.listener import limit_connections, listen
from toolaccord.server.startup import StartError
from toolaccord.timing.clock import SystemClock

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from toolaccord.call.pipeline import Pipeline
    from toolaccord.declarations.tool import Server
    from toolaccord.deferral.calls import TaskCalls
    from toolaccord.server.options import Process
    from toolaccord.shutdown import StopSignal
    from toolaccord.sources import Source
    from toolaccord.telemetry.metrics import Metrics
    from toolaccord.telemetry.tracing import CallTracer
    from toolaccord.transports.streams.connection import StreamOptions
    from toolaccord.transports.streams.descriptors import StdioDescriptors

_LOG = logging.getLogger(__name__)
_LOADING_S = 10
"""Seconds beyond a call's deadline for loading libraries, if the input ends before that."""
_MIN_COLD_TIMEOUT_MS = 2000
"""A shorter deadline leaves a first call no time to load libraries and to connect."""


Serve: TypeAlias = "Callable[[StopSignal], Coroutine[Any, Any, None]]"
"""Serves until a stop."""


class OpenServer(NamedTuple):
    """A server that is ready to answer calls."""

    pipeline: Pipeline
    """Answers the calls."""
    sources: Mapping[str, Source]
    """Sources by name, not yet connected."""
    metrics: Metrics | None
    """Counts the calls; None if nothing reads the metrics."""
    tasks: TaskCalls | None
    """Makes tasks of calls, and runs them; None for a server without tasks."""


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """A server with its settings."""

    server: Server[Any]
    """The declared server, with overrides applied."""
    settings: Mapping[str, Any]
    """Value of each setting, by name."""
    reference: bool = False
    """True if the SDK answers everything."""

    def open(self, tracer: CallTracer | None, *, with_metrics: bool) -> OpenServer:
        """Return the server with its sources opened."""
        from toolaccord.call.pipeline import Pipeline  # noqa: PLC0415 - not needed for --help

        clock = SystemClock()
        sources = {source.name: source.open(self.settings, clock) for source in self.server.sources}
        metrics = None
        if with_metrics:
            from toolaccord.telemetry.metrics import Metrics  # noqa: PLC0415 - not needed without metrics

            metrics = Metrics(self.server, sources)
        pipeline = Pipeline(self.server, sources, self.settings, clock, metrics=metrics, tracer=tracer)
        tasks = None
        if any(tool.task for tool in self.server.tools):
            from toolaccord.server.tasks import open_tasks  # noqa: PLC0415 - only such a server needs it

            tasks = open_tasks(pipeline, clock, metrics)
        return OpenServer(pipeline, sources, metrics, tasks)


async def serve_stdio(configured: ConfiguredServer, process: Process) -> None:
    """Serve MCP on standard input and output until the input ends or a signal arrives.

    Raises StartError if a port is in use.
    """
    from toolaccord.transports.stdio import server as stdio_server  # noqa: PLC0415 - not needed over HTTP

    async def serve(
        opened: OpenServer, descriptors: StdioDescriptors, stop: StopSignal, options: StreamOptions
    ) -> None:
        await stdio_server.serve(
            opened.pipeline, descriptors, stop, options, opened.tasks, reference=configured.reference
        )

    await serve_streams(configured, process, serve)


async def serve_content_length(configured: ConfiguredServer, process: Process) -> None:
    """Serve JSON-RPC in frames until the input ends or a signal arrives.

    Raises StartError if a port is in use.
    """
    from toolaccord.transports.content_length import server as framed_server  # noqa: PLC0415 - not needed over MCP
    from toolaccord.transports.content_length.access import KeyCheck  # noqa: PLC0415

    access = KeyCheck(configured.server.access.content_length, configured.settings)

    async def serve(
        opened: OpenServer, descriptors: StdioDescriptors, stop: StopSignal, options: StreamOptions
    ) -> None:
        await framed_server.serve(opened.pipeline, descriptors, stop, options, access)

    await serve_streams(configured, process, serve)


async def serve_streams(
    configured: ConfiguredServer,
    process: Process,
    serve_connection: Callable[[OpenServer, StdioDescriptors, StopSignal, StreamOptions], Coroutine[Any, Any, None]],
) -> None:
    """Serve one connection until it ends or a signal arrives. Raises StartError."""
    from toolaccord.transports.streams.connection import StreamOptions  # noqa: PLC0415 - not needed over HTTP
    from toolaccord.transports.streams.descriptors import StdioDescriptors  # noqa: PLC0415 - likewise

    descriptors, metrics_port = process.descriptors or StdioDescriptors.claim(), process.options.metrics_port
    opened = configured.open(process.tracer, with_metrics=metrics_port is not None)
    pipeline, sources, metrics, tasks = opened
    if metrics and metrics_port is not None:
        serve_metrics(metrics.registry, metrics_port)
    warm_ups: list[asyncio.Task[None]] = []
    context = copy_context()  # the warm-up must not inherit the id and the deadline of the call that starts it

    async def serve(stop: StopSignal) -> None:
        def warm_up() -> None:
            warm_ups.append(asyncio.create_task(_warm_up(pipeline, sources), context=context))

        await _start_listeners(sources)
        is_warm = _has_short_deadline(configured.server)
        if is_warm:
            await _warm_up(pipeline, sources)
        options = StreamOptions(
            drain_s=_LOADING_S + max(configured.server.deadlines_ms, default=0) / 1000,
            warm_up=None if is_warm else warm_up,
            max_message_bytes=process_settings.read_max_message_bytes(configured.settings),
        )
        await serve_connection(opened, descriptors, stop, options)

    timeouts = process_settings.read_stop_timeouts(configured.settings)
    await shutdown.run_until_stopped(_around(pipeline, tasks, serve), sources, timeouts)


def serve_http(configured: ConfiguredServer, process: Process) -> Coroutine[Any, Any, None]:
    """Listen, or take over the sockets of a handover; return the coroutine that serves.

    Raises UnprotectedServer without a token on a public address, SettingsError for a key that is no token,
    StartError if the port is in use, and MissingExtra.
    """
    from toolaccord.config.access_rules import read_access_rules  # noqa: PLC0415 - not needed over stdio

    options, link = process.options, process.link
    handover = link.handover if link else process.handover
    access = read_access_rules(configured.settings, options.host, configured.server)
    with extras.needed("http"):
        from toolaccord.transports.http import server as http_server  # noqa: PLC0415 - not needed over stdio
        from toolaccord.transports.http.app import HttpApp, Pages  # noqa: PLC0415

    connections = limit_connections(access)
    if link:
        connections.on_change = link.count_connections
    name, is_secure = configured.server.name, connections.certificate is not None
    listening = handover.sockets if handover else listen(name, options.host, options.port, is_secure=is_secure)[0]

    async def run() -> None:
        pipeline, sources, metrics, tasks = configured.open(process.tracer, with_metrics=True)
        assert metrics
        if connections.certificate:
            connections.certificate.observe(metrics.registry)
        app = HttpApp(
            pipeline,
            sources,
            access,
            Pages(process.package, metrics, link, tasks),
            reference=configured.reference,
        )

        async def serve(stop: StopSignal) -> None:
            linked = link.open(stop, app.readiness, metrics) if link else nullcontext()
            async with linked:
                await _start_listeners(sources)
                warm_up = asyncio.create_task(_warm_up(pipeline, sources))
                if _has_short_deadline(configured.server):
                    await warm_up
                await http_server.serve(app, listening, stop, connections, handover)
                warm_up.cancel()

        timeouts = process_settings.read_stop_timeouts(configured.settings)
        await shutdown.run_until_stopped(_around(pipeline, tasks, serve), sources, timeouts)

    return run()


async def serve_tasks(configured: ConfiguredServer, process: Process) -> None:
    """Take tasks of the server's calls until a signal arrives, and serve nothing else.

    Raises StartError if a port is in use.
    """
    metrics_port = process.options.metrics_port
    pipeline, sources, metrics, tasks = configured.open(process.tracer, with_metrics=metrics_port is not None)
    if metrics and metrics_port is not None:
        serve_metrics(metrics.registry, metrics_port)

    async def serve(stop: StopSignal) -> None:
        await _start_listeners(sources)
        await _warm_up(pipeline, sources)
        _LOG.info("takes tasks of %s", ", ".join(tasks.policies) if tasks else "no tool")
        await stop.requested.wait()

    timeouts = process_settings.read_stop_timeouts(configured.settings)
    await shutdown.run_until_stopped(_around(pipeline, tasks, serve), sources, timeouts)


def _around(pipeline: Pipeline, tasks: TaskCalls | None, serve: Serve) -> Serve:
    """Return *serve* with state around it and tasks beside it, if the server has them."""
    if tasks is not None:
        from toolaccord.server.tasks import serve_with_tasks  # noqa: PLC0415 - only such a server needs it

        serve = partial(serve_with_tasks, tasks, serve)
    if pipeline.server.lifespan is None:
        return serve
    from toolaccord.server.lifespan import serve_with_state  # noqa: PLC0415 - only such a server needs it

    return partial(serve_with_state, pipeline, serve)


def _has_short_deadline(server: Server[Any]) -> bool:
    """Return whether *server* must be warm before it answers."""
    return any(timeout_ms < _MIN_COLD_TIMEOUT_MS for timeout_ms in server.deadlines_ms)


async def _start_listeners(sources: Mapping[str, Source]) -> None:
    """Start the sources that would miss messages, before a call can cause one."""
    from toolaccord.sources import Listener  # noqa: PLC0415 - not needed for --help

    await shutdown.connect_sources({name: each for name, each in sources.items() if isinstance(each, Listener)})


async def _warm_up(pipeline: Pipeline, sources: Mapping[str, Source]) -> None:
    """Prepare validators and connections, so that the first call does not wait for them."""
    await pipeline.warm_up()
    await shutdown.connect_sources(sources)
    gc_tuning.freeze_objects()


def serve_metrics(registry: CollectorRegistry, port: int) -> None:
    """Serve the metrics of *registry* on loopback.

    Raises StartError if the port is in use.
    """
    from prometheus_client import start_http_server  # noqa: PLC0415 - not needed without metrics

    try:
        server, _ = start_http_server(port, addr="127.0.0.1", registry=registry)
    except OSError as error:
        raise StartError(f"cannot listen on 127.0.0.1 port {port}: {error.strerror}") from error
    _LOG.info("metrics are at http://127.0.0.1:%d/metrics", server.server_port)
