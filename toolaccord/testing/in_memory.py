"""Servers in memory, and clients connected to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeAlias

from mcp import Client

from toolaccord.call.pipeline import Pipeline
from toolaccord.client.connection import Connection
from toolaccord.client.sdk import SdkConnection
from toolaccord.config.absent_stores import drop_absent_stores
from toolaccord.contract.settings import SettingValue
from toolaccord.declarations.tool import Server
from toolaccord.sources import Source
from toolaccord.telemetry.metrics import Metrics
from toolaccord.telemetry.tracing import CallTracer
from toolaccord.testing.clock import ManualClock
from toolaccord.testing.sources import FakeSource, UnreachableRedis
from toolaccord.testing.tasks import running_tasks
from toolaccord.timing.clock import Clock
from toolaccord.transports.mcp.sdk.server import create_mcp_server

Era: TypeAlias = Literal["handshake", "stateless"]
"""The two eras of the protocol: up to version 2025-11-25, and from 2026-07-28 on."""

_MODES: Mapping[Era, str] = {"handshake": "legacy", "stateless": "2026-07-28"}


def pipeline(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    metrics: Metrics | None = None,
    tracer: CallTracer | None = None,
) -> Pipeline:
    """Return a pipeline of *server*.

    Sources default to a FakeSource of their kind, for Redis to an UnreachableRedis. Settings default to their declared
    default, the clock to a ManualClock.
    """
    opened = {source.name: _fake(source.kind) for source in server.sources} | dict(sources or {})
    values = {setting.name: setting.default for setting in server.settings} | dict(settings or {})
    served = drop_absent_stores(server, values)
    return Pipeline(served, opened, values, clock or ManualClock(), metrics=metrics, tracer=tracer)


def _fake(kind: str) -> Source:
    return UnreachableRedis() if kind == "redis" else FakeSource(kind)


@asynccontextmanager
async def connect(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    era: Era = "stateless",
) -> AsyncIterator[Client]:
    """Yield an MCP client connected to *server* in memory; other parameters as for `pipeline`."""
    clock = clock or ManualClock()
    serving = pipeline(server, sources=sources, settings=settings, clock=clock)
    async with running_tasks(serving, clock) as tasks:
        client = Client(create_mcp_server(server, serving, tasks), mode=_MODES[era])
        ready, over = asyncio.get_running_loop().create_future(), asyncio.Event()
        hosting = asyncio.create_task(_host(client, serving, ready, over))
        await ready
        try:
            yield client
        finally:
            over.set()
            await hosting


def connection(
    server: Server[Any],
    *,
    sources: Mapping[str, Source] | None = None,
    settings: Mapping[str, SettingValue] | None = None,
    clock: Clock | None = None,
    era: Era = "stateless",
) -> Connection:
    """Return an in-memory connection to *server* for its typed client.

    The other parameters are those of `pipeline`. Calls become no tasks, which nobody would run: `connect` does.
    """
    served = create_mcp_server(server, pipeline(server, sources=sources, settings=settings, clock=clock))
    return SdkConnection(server.name, served, era=era)


async def _host(client: Client, serving: Pipeline, ready: asyncio.Future[None], over: asyncio.Event) -> None:
    """Enter and leave the state of *serving* and *client* in one task, as anyio demands.

    pytest runs the two halves of a fixture in two tasks.
    """
    try:
        async with serving.open_state(), client:
            ready.set_result(None)
            await over.wait()
    except Exception as error:
        if ready.done():
            raise
        ready.set_exception(error)
