"""Mode of an agent's process that serves A2A."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from urllib.parse import urlsplit

from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH

from toolaccord.agent.a2a.app import A2aApp
from toolaccord.agent.a2a.card import build_card
from toolaccord.agent.a2a.sdk_logs import lower_mistakes_of_callers
from toolaccord.agent.a2a.tasks import MessageTasks
from toolaccord.agent.mode import ConfiguredAgent, Mode
from toolaccord.agent.requests import Dependencies
from toolaccord.config.access_rules import AccessRules, read_access_rules
from toolaccord.server.listener import limit_connections, listen
from toolaccord.shutdown import StopSignal
from toolaccord.transports.http import server as http_server

_LOG = logging.getLogger(__name__)
_ANSWER_S = 0.3
"""Seconds at the end of the grace time, in which callers learn of requests that it ends."""


class A2aMode(Mode):
    """Answers the requests of other agents."""

    def __init__(self, configured: ConfiguredAgent) -> None:
        """Listen.

        Raises StartError if the port is in use, and UnprotectedServer without a token where one is needed.
        """
        super().__init__(configured)
        options = configured.options
        self._access = _read_access_rules(configured)
        self._connections = limit_connections(self._access)
        is_secure = self._connections.certificate is not None
        self._listening, url = listen(self._agent.name, options.host, options.port, is_secure=is_secure)
        self.url = url
        """URL of the listener."""
        self._card = build_card(self._agent, options.public_url or url, needs_token=self._access.tokens.are_needed)

    async def run(self, dependencies: Dependencies, stop: StopSignal) -> None:
        """Serve until *stop* requests a stop, and finish the requests in flight."""
        lower_mistakes_of_callers()
        if self._connections.certificate:
            self._connections.certificate.observe(dependencies.metrics.registry)
        tasks = MessageTasks(self._agent, dependencies)
        app = A2aApp(self._agent, dependencies, self._access, self._card, tasks)
        working = asyncio.create_task(tasks.work(stop.requested))
        ending = asyncio.create_task(_end_requests(tasks, working, stop))
        try:
            await http_server.serve(app, self._listening, stop, self._connections)
            if tasks.is_durable:
                await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            working.cancel()
            ending.cancel()
            await asyncio.wait({working, ending})
            if not working.cancelled() and (fault := working.exception()):
                _LOG.error("the worker of tasks has ended", exc_info=fault)
            await tasks.close()


async def _end_requests(tasks: MessageTasks, working: asyncio.Task[None], stop: StopSignal) -> None:
    """End requests that a stop leaves no more time, so that their callers learn of it."""
    await stop.requested.wait()
    await asyncio.sleep(stop.timeouts.drain_s + max(stop.timeouts.grace_s - _ANSWER_S, 0))
    if tasks.is_durable:
        working.cancel()
    await tasks.end()


def _read_access_rules(configured: ConfiguredAgent) -> AccessRules:
    """Return the access rules: everybody may read the card, and name the host of the public URL."""
    rules = read_access_rules(configured.settings, configured.options.host, scopes=configured.agent.scopes)
    url = configured.options.public_url
    hosts = rules.hosts | ({urlsplit(url).netloc.lower()} if url else set())
    return replace(rules, hosts=hosts, open_paths=rules.open_paths | {AGENT_CARD_WELL_KNOWN_PATH})
