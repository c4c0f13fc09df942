"""A configured server on its transport: what answers is opened, served, and closed again."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Coroutine, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolpact import shutdown
from toolpact.config import process_settings
from toolpact.server import gc_tuning
from toolpact.timing.clock import SystemClock

if TYPE_CHECKING:
    from toolpact.call.pipeline import Pipeline
    from toolpact.declarations.tool import Server
    from toolpact.shutdown import StopSignal
    from toolpact.sources import Source
    from toolpact.telemetry.metrics import Metrics
    from toolpact.telemetry.tracing import CallTracer
    from toolpact.transports.stdio.line_io import Wire

_LOG = logging.getLogger(__name__)
_LOADING_S = 10
"""Seconds beyond a call's deadline that the SDK may take to be loaded, where all of a host's input is there at once."""


class CannotStart(Exception):
    """Something that the server starts with could not be had; the text says why."""


@dataclass(frozen=True, slots=True)
class Configured:
    """A server with all that its environment says."""

    server: Server[Any]
    """Its tools and what they stand on."""
    values: Mapping[str, Any]
    """The value of each setting, by name."""
    tracer: CallTracer | None
    """What makes a span of each call, where somebody takes them."""
    reference: bool = False
    """Whether the SDK answers everything."""

    def opened(self, *, counted: bool) -> tuple[Pipeline, Mapping[str, Source], Metrics | None]:
        """Return what answers calls, its sources, which are not yet connected, and what counts the calls if they are *counted*."""
        from toolpact.call.pipeline import Pipeline  # noqa: PLC0415 - asked for help, a server need not be ready to serve

        clock = SystemClock()
        sources = {source.name: source.open(self.values, clock) for source in self.server.sources}
        metrics = None
        if counted:
            from toolpact.telemetry.metrics import Metrics  # noqa: PLC0415 - who counts nothing does not load the library

            metrics = Metrics(self.server, sources)
        pipeline = Pipeline(self.server, sources, self.values, clock, metrics=metrics, tracer=self.tracer)
        return pipeline, sources, metrics


async def stdio(made: Configured, wire: Wire, metrics_port: int | None) -> None:
    """Serve on *wire* until the end of input or a signal, and leave nothing open. Raises CannotStart where a port is taken."""
    from toolpact.transports.stdio import server as stdio_transport  # noqa: PLC0415 - loaded by who serves on it

    pipeline, sources, metrics = made.opened(counted=metrics_port is not None)
    if metrics and metrics_port is not None:
        _listen_for_metrics(metrics, metrics_port)
    warming: list[asyncio.Task[None]] = []
    outside = copy_context()
    """Where nothing is known of a call: the first may set the warm-up going, which has neither its id nor its deadline."""

    async def serve(stop: StopSignal) -> None:
        def warm_up() -> None:
            warming.append(asyncio.create_task(_warmed_up(pipeline, sources), context=outside))

        drain_s = _LOADING_S + max((tool.timeout_ms / 1000 for tool in made.server.tools), default=0)
        await stdio_transport.serve(pipeline, wire, stop, drain_s=drain_s, warm_up=warm_up, reference=made.reference)

    await shutdown.run_until_stopped(serve, sources, process_settings.patience(made.values))


async def _warmed_up(pipeline: Pipeline, sources: Mapping[str, Source]) -> None:
    """Do ahead of the first call what it would wait for."""
    await pipeline.warm_up()
    await shutdown.connect_sources(sources)
    gc_tuning.settled()


def _listen_for_metrics(metrics: Metrics, port: int) -> None:
    """Let Prometheus read *metrics*. Raises CannotStart where the port is taken."""
    from toolpact.telemetry import metrics_server  # noqa: PLC0415 - only for a server that is asked to

    try:
        where = metrics_server.listen(metrics, port)
    except OSError as error:
        raise CannotStart(f"cannot listen on 127.0.0.1 port {port}: {error.strerror}") from error
    _LOG.info("metrics are at %s", where)


def http(made: Configured, host: str, port: int, package: str | None) -> Coroutine[Any, Any, None]:
    """Listen, and return what serves. Raises Unprotected where anybody could call, CannotStart where the port is taken."""
    access = process_settings.access(made.values, host)
    from toolpact.transports.http import server as http_server  # noqa: PLC0415 - what stdio does not need
    from toolpact.transports.http.app import HttpApp, Pages  # noqa: PLC0415

    try:
        listening = http_server.listen(host, port)
    except OSError as error:
        raise CannotStart(f"cannot listen on {host} port {port}: {error.strerror}") from error
    where = http_server.server_url(listening)
    _LOG.info("listening on %s", where)
    sys.stderr.write(f"{made.server.name}: listening on {where}\n")

    async def serving() -> None:
        pipeline, sources, metrics = made.opened(counted=True)
        app = HttpApp(pipeline, sources, access, Pages(package, metrics), reference=made.reference)

        async def serve(stop: StopSignal) -> None:
            warming = asyncio.create_task(_warmed_up(pipeline, sources))
            await http_server.serve(app, listening, stop)
            warming.cancel()

        await shutdown.run_until_stopped(serve, sources, process_settings.patience(made.values))

    return serving()
