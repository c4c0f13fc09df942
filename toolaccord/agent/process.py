"""Process of an agent: opens clients and sources, and runs its mode with them.

The mode, or a signal, ends it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from toolaccord import extras, shutdown
from toolaccord.agent.cli import Options
from toolaccord.agent.clients import ClientOptions, create_client, open_clients, run_unless_rejected
from toolaccord.agent.command_line import CommandLine
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.mode import ConfiguredAgent, Mode
from toolaccord.agent.model.opening import open_model
from toolaccord.agent.observer import AgentObserver
from toolaccord.agent.requests import Dependencies
from toolaccord.call.events import bind_events
from toolaccord.config import process_settings
from toolaccord.errors import TransportError
from toolaccord.server.serve import serve_metrics
from toolaccord.server.startup import StartError
from toolaccord.shutdown import StopSignal
from toolaccord.sources import Source
from toolaccord.timing.clock import SystemClock


class AgentProcess:
    """Runs an agent in the mode of its options."""

    def __init__(self, configured: ConfiguredAgent) -> None:
        self._configured = configured
        self._agent = configured.agent
        self._clock = SystemClock()
        self._metrics = AgentMetrics(configured.agent)
        self._mode = _create_mode(configured)

    @property
    def has_failed(self) -> bool:
        """True once a request failed, or more of a batch's than the contract admits."""
        return self._mode.has_failed

    async def run(self) -> None:
        """Run until the mode ends or a signal arrives. Raises StartError."""
        if self._configured.options.metrics_port is not None:
            serve_metrics(self._metrics.registry, self._configured.options.metrics_port)
        settings = self._configured.settings
        sources = {source.name: source.open(settings, self._clock) for source in self._agent.sources}
        stop_timeouts = process_settings.read_stop_timeouts(settings)
        await shutdown.run_until_stopped(partial(self._serve, sources), sources, stop_timeouts)

    async def _serve(self, sources: Mapping[str, Source], stop: StopSignal) -> None:
        """Run the mode; a stop before that ends the start. Raises StartError."""
        opened = asyncio.Event()

        async def run_mode() -> None:
            async with self._open(sources) as (dependencies, opening):
                opened.set()
                await run_unless_rejected(self._mode.run(dependencies, stop), opening)

        running = asyncio.create_task(run_mode())
        events = {asyncio.create_task(each.wait()) for each in (opened, stop.requested)}
        try:
            await asyncio.wait({running, *events}, return_when=asyncio.FIRST_COMPLETED)
            if opened.is_set() or running.done():
                await running
        finally:
            for task in (running, *events):
                task.cancel()
            await asyncio.gather(running, return_exceptions=True)

    @asynccontextmanager
    async def _open(self, sources: Mapping[str, Source]) -> AsyncIterator[tuple[Dependencies, asyncio.Future[Any]]]:
        """Provide the dependencies of requests, and the opening of their clients. Raises StartError."""
        configured = self._configured
        options = ClientOptions(
            settings=configured.settings,
            environ=configured.environ,
            arguments=_log_arguments(configured.options),
            observer=AgentObserver(self._metrics),
            clock=self._clock,
        )
        clients = {use.name: create_client(self._agent, use, options) for use in self._agent.uses}
        await shutdown.connect_sources(sources)
        try:
            async with (
                open_model(self._agent, configured.settings, clients, self._metrics, self._clock) as model,
                open_clients(clients) as opening,
            ):
                dependencies = Dependencies(
                    clients=clients,
                    sources=sources,
                    events={each.event.name: each for each in bind_events(self._agent.events, sources)},
                    settings=configured.settings,
                    metrics=self._metrics,
                    redactor=configured.redactor,
                    clock=self._clock,
                    model=model,
                )
                yield dependencies, opening
        except TransportError as error:
            raise StartError(str(error)) from error


def _create_mode(configured: ConfiguredAgent) -> Mode:
    """Return the mode that the options select. Raises StartError and MissingExtra."""
    if configured.options.queue or configured.options.enqueue:
        from toolaccord.agent.queue.mode import QueueMode  # noqa: PLC0415 - other modes do not need it

        return QueueMode(configured)
    if not configured.options.a2a:
        return CommandLine(configured)
    with extras.needed("a2a"):
        from toolaccord.agent.a2a.mode import A2aMode  # noqa: PLC0415 - the SDK takes a second to load
    return A2aMode(configured)


def _log_arguments(options: Options) -> tuple[str, ...]:
    """Return the arguments that give a started server the agent's log."""
    path = () if options.log_file is None else ("--log-file", str(options.log_file))
    return ("--log-level", options.log_level, *path)
