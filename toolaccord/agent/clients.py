"""Clients of the servers that an agent uses, under the policies of its contract."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from toolaccord.agent.declarations import Agent, Use
from toolaccord.agent.settings import read_credentials
from toolaccord.client.base import ServerClient
from toolaccord.client.connection import ConnectionOptions
from toolaccord.client.policies import CallObserver, ClientCache, ClientPolicies, Deadline, Retry
from toolaccord.contract import agents
from toolaccord.timing.clock import Clock

TOOLS_SHARE = 0.8
"""Share of a request's time in which its calls must end; the handler answers in the rest."""
_OPEN_TIMEOUT_S = 10.0
"""Seconds for opening a connection, far more than the start of a server takes.

So a server that hangs does not keep the agent from starting.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """Options of all clients of a process."""

    settings: Mapping[str, Any]
    """Value of each setting, by name."""
    environ: Mapping[str, str]
    """Environment variables, of which a started server receives those of its settings."""
    arguments: Sequence[str]
    """Arguments of a server that Python runs as a module, for its log."""
    observer: CallObserver
    """Learns of calls."""
    clock: Clock
    """Clock of pauses, budgets and ages."""


def create_client(agent: Agent[Any, Any, Any], use: Use, options: ClientOptions) -> ServerClient:
    """Return the client of *use*, which is not open."""
    policies = _build_policies(agent, use, options)
    connection: ConnectionOptions = {"name": agent.name, "open_timeout_s": _OPEN_TIMEOUT_S}
    url, token, command = (options.settings[name] if name else "" for name in (use.url, use.token, use.command))
    if url:
        credentials = read_credentials(use, options.settings)
        return use.client.http(url, token=token or None, credentials=credentials, policies=policies, **connection)
    env = {name: options.environ[name] for name in use.environment if options.environ.get(name)}
    if command:
        program, *arguments = shlex.split(command)
        return use.client.stdio(*arguments, command=program, env=env, policies=policies, **connection)
    return use.client.stdio(*options.arguments, env=env, policies=policies, **connection)


@asynccontextmanager
async def open_clients(clients: Mapping[str, ServerClient]) -> AsyncIterator[asyncio.Future[Any]]:
    """Open *clients* while the body runs, and close them at the end.

    Their calls wait for them within their own time, so a server that hangs delays nothing else. The given future ends
    when all were opened or are away. It raises TransportError if a server rejects a client.
    """
    async with AsyncExitStack() as stack:
        for client in clients.values():
            stack.push_async_exit(client)
        opening = asyncio.gather(*(client.__aenter__() for client in clients.values()))
        try:
            yield opening
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)


async def run_unless_rejected(work: Coroutine[Any, Any, None], opening: asyncio.Future[Any]) -> None:
    """Run *work*, but only until *opening* fails. Raises what either raises."""
    running = asyncio.ensure_future(work)
    try:
        await asyncio.wait({running, opening}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            opening.result()
        await running
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def _build_policies(agent: Agent[Any, Any, Any], use: Use, options: ClientOptions) -> ClientPolicies:
    timeout_s = agent.limits.timeout_ms / 1000 * TOOLS_SHARE
    retry = read_retry(agent.retry)
    attempt_timeout_s = _share_of_attempt_s(retry, timeout_s) if retry else None
    return ClientPolicies(
        retry=retry,
        deadline=Deadline(timeout_s=timeout_s, attempt_timeout_s=attempt_timeout_s),
        cache=_build_cache(agent, use, options.settings),
        max_concurrent=use.max_concurrent,
        observer=options.observer,
        clock=options.clock,
    )


def read_retry(declared: agents.Retry | None) -> Retry | None:
    """Return the repetitions of a contract with their pauses in seconds; None without them."""
    if declared is None:
        return None
    return Retry(
        max_attempts=declared.max_attempts,
        initial_delay_s=declared.initial_delay_ms / 1000,
        max_delay_s=declared.max_delay_ms / 1000,
        multiplier=declared.multiplier,
        jitter=declared.jitter,
    )


def _share_of_attempt_s(retry: Retry, timeout_s: float) -> float:
    """Return the seconds of an attempt, of which all fit into *timeout_s* with their pauses.

    At least half of an equal share, if the pauses alone are too long.
    """
    paused_s = sum(retry.pause_s(number, 0, random=1) for number in range(1, retry.max_attempts))
    return max(timeout_s - paused_s, timeout_s / 2) / retry.max_attempts


def _build_cache(agent: Agent[Any, Any, Any], use: Use, settings: Mapping[str, Any]) -> ClientCache | None:
    tools = {each.tool: each.cache for each in use.tools if each.cache}
    if not tools:
        return None
    if agent.cache is None:
        return ClientCache(tools=tools, prefix=f"{agent.name}:")
    sources: dict[str, Any] = {source.name: source for source in agent.sources}
    return ClientCache(tools=tools, prefix=agent.cache.prefix, url=settings[sources[agent.cache.store].url])
