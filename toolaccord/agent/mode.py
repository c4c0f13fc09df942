"""Modes of an agent's process, each a source of requests."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.agent.cli import Options
from toolaccord.agent.declarations import Agent
from toolaccord.agent.requests import Dependencies
from toolaccord.shutdown import StopSignal
from toolaccord.telemetry.redaction import Redactor

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


class Mode(ABC):
    """A source of requests, such as the command line, and the place of their results."""

    def __init__(self, configured: ConfiguredAgent) -> None:
        self._agent = configured.agent
        self._options = configured.options
        self._settings = configured.settings
        self.has_failed = False
        """True once the exit code must tell of failed requests."""

    @abstractmethod
    async def run(self, dependencies: Dependencies, stop: StopSignal) -> None:
        """Run requests until they end or *stop* requests a stop. Raises StartError."""


async def finish_in_time(work: asyncio.Task[None], stop: StopSignal) -> None:
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
