"""Process of an agent, which runs the requests of its command line.

The requests, or a signal, end it.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import orjson

from toolpact import shutdown
from toolpact.agent.batches import BatchRunner
from toolpact.agent.cli import Options
from toolpact.agent.clients import ClientOptions, create_client, open_clients
from toolpact.agent.declarations import Agent, Batch
from toolpact.agent.metrics import AgentMetrics
from toolpact.agent.observer import AgentObserver
from toolpact.agent.outcomes import Answered
from toolpact.agent.requests import Means, RequestRunner
from toolpact.agent.schedule import run_every
from toolpact.call.events import bind_events
from toolpact.config import process_settings
from toolpact.errors import TransportError
from toolpact.server.serve import serve_metrics
from toolpact.server.startup import StartError
from toolpact.shutdown import StopSignal
from toolpact.sources import Source
from toolpact.telemetry.redaction import Redactor
from toolpact.timing.clock import SystemClock

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredAgent:
    """An agent with its settings."""

    agent: Agent[Any, Any, Any]
    """The declared agent, with overrides applied."""
    settings: Mapping[str, Any]
    """Value of each setting, by name."""
    environ: Mapping[str, str]
    """Environment variables, also those of servers that it starts."""
    redactor: Redactor
    """Removes secrets from texts for callers."""
    options: Options
    """Options of the command line."""


class AgentProcess:
    """Runs the requests of the command line."""

    def __init__(self, configured: ConfiguredAgent) -> None:
        self._configured = configured
        self._agent = configured.agent
        self._clock = SystemClock()
        self._metrics = AgentMetrics(configured.agent)
        self.has_failed = False
        """True once a request failed, or more of a batch's than the contract admits."""

    async def run(self) -> None:
        """Run until the requests are done or a signal arrives. Raises StartError."""
        if self._configured.options.metrics_port is not None:
            serve_metrics(self._metrics.registry, self._configured.options.metrics_port)
        settings = self._configured.settings
        sources = {source.name: source.open(settings, self._clock) for source in self._agent.sources}

        async def serve(stop: StopSignal) -> None:
            async with self._open(sources) as means:
                await _finish(asyncio.create_task(self._work(means, stop.requested)), stop)

        await shutdown.run_until_stopped(serve, sources, process_settings.read_agent_stop_timeouts(settings))

    @asynccontextmanager
    async def _open(self, sources: Mapping[str, Source]) -> AsyncIterator[Means]:
        """Provide the means of requests, clients included. Raises StartError."""
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
            async with open_clients(clients):
                yield Means(
                    clients=clients,
                    sources=sources,
                    events={each.event.name: each for each in bind_events(self._agent.events, sources)},
                    settings=configured.settings,
                    metrics=self._metrics,
                    redactor=configured.redactor,
                    clock=self._clock,
                )
        except TransportError as error:
            raise StartError(str(error)) from error

    async def _work(self, means: Means, stop: asyncio.Event) -> None:
        """Run every round, until *stop* is set."""
        requests = RequestRunner(self._agent, means)
        if self._agent.batch is None:
            (request,) = self._configured.options.requests
            await self._run_request(requests, request)
            return
        batches = BatchRunner(self._agent, self._agent.batch, requests, means)
        values = self._list_values(self._agent.batch)

        async def run_round() -> None:
            async for outcome in batches.run(values, stop):
                self.has_failed = self.has_failed or outcome.is_error
                _write_line(outcome.text)

        if self._configured.options.every is None:
            await run_round()
        else:
            await run_every(self._clock, self._configured.options.every, run_round, stop)

    async def _run_request(self, requests: RequestRunner, request: str) -> None:
        """Run the only request of the command line, and write its result."""
        outcome = await requests.run(orjson.loads(request))
        if isinstance(outcome, Answered):
            _write_line(orjson.dumps(outcome.result))
        else:
            self.has_failed = True
            sys.stderr.write(f"{self._agent.name}: {outcome.error}\n")

    def _list_values(self, batch: Batch) -> tuple[str, ...]:
        """Return the values of the batch's argument."""
        if batch.all is None or not self._configured.options.all:
            return self._configured.options.requests
        listed = str(self._configured.settings[batch.all]).split(",")
        return tuple(dict.fromkeys(value.strip() for value in listed if value.strip()))


async def _finish(work: asyncio.Task[None], stop: StopSignal) -> None:
    """Wait for *work*; after a stop, no longer than the time for it.

    Raises what *work* raises.
    """
    requested = asyncio.create_task(stop.requested.wait())
    try:
        await asyncio.wait({work, requested}, return_when=asyncio.FIRST_COMPLETED)
        _, late = await asyncio.wait({work}, timeout=stop.timeouts.grace_s if stop.requested.is_set() else None)
        if late:
            _LOG.warning("requests are abandoned: they took longer than %s s after the stop", stop.timeouts.grace_s)
        else:
            work.result()
    finally:
        requested.cancel()
        work.cancel()


def _log_arguments(options: Options) -> tuple[str, ...]:
    """Return the arguments that give a started server the agent's log."""
    path = () if options.log_file is None else ("--log-file", str(options.log_file))
    return ("--log-level", options.log_level, *path)


def _write_line(text: bytes) -> None:
    """Write a line to standard output; `print` in handlers and in the sandbox goes elsewhere."""
    assert sys.__stdout__ is not None
    sys.__stdout__.write(f"{text.decode()}\n")
    sys.__stdout__.flush()
