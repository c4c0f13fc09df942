"""Start of servers for tests: in memory, over stdio, or over HTTP."""

from __future__ import annotations

import importlib
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

from toolaccord.pytest.contract_coverage import Observations
from toolaccord.pytest.processes import HttpProcesses, build_environment
from toolaccord.pytest.server_under_test import ClientT, ServerUnderTest

if TYPE_CHECKING:  # pytest loads the plugin in every project of its environment
    from toolaccord.client.base import ServerClient
    from toolaccord.client.connection import Connection, ConnectionOptions
    from toolaccord.client.sdk import SdkConnection
    from toolaccord.contract.settings import SettingValue
    from toolaccord.declarations.tool import Server
    from toolaccord.sources import Source
    from toolaccord.timing.clock import Clock

Transport: TypeAlias = Literal["memory", "stdio", "http"]
"""The way to the server: in this process, to a process on stdio, or to one over HTTP."""
Era: TypeAlias = Literal["handshake", "stateless"]
"""The two eras of the protocol: up to version 2025-11-25, and from 2026-07-28 on."""


class Doubles(TypedDict, total=False):
    """Parts of a server in memory that a test replaces."""

    handlers: Any
    """Handlers, as attributes of any object."""
    sources: Mapping[str, Source]
    """Open sources, by their names in the contract."""
    clock: Clock
    """Clock of the server and its sources."""


class Serve:
    """Starts servers for tests; the fixture `serve`."""

    def __init__(self, observations: Observations, processes: HttpProcesses) -> None:
        self._observations = observations
        self._processes = processes

    def __call__(
        self,
        client: type[ClientT],
        *,
        over: Transport = "memory",
        era: Era = "stateless",
        settings: Mapping[str, SettingValue] | None = None,
        answers: Mapping[str, Any] | None = None,
        **doubles: Unpack[Doubles],
    ) -> AbstractAsyncContextManager[ServerUnderTest[ClientT]]:
        """Run the server of the typed *client* for the length of a block.

        *settings* are values by their names in the contract; the others have their defaults. *answers* are what the
        clients answer to the server's asks, by name: values, or coroutine functions of the message. In memory, a test
        may replace *handlers*, *sources* and the *clock*. A process over HTTP goes on after the block: it serves the
        tests of a module as long as they give it the same settings. Raises SettingsError, ValueError and StartFailed.
        """
        if doubles and over != "memory":
            raise ValueError(f"A server over {over} is a process of its own: it takes no {', '.join(doubles)}.")
        server = load_server(client, doubles.get("handlers"))
        environ, options = name_variables(server, settings or {}), _options(server, era, answers)
        if over == "memory":
            return self._serve_in_memory(client, server, environ, options, doubles)
        run = self._serve_over_stdio if over == "stdio" else self._serve_over_http
        return run(client, server, environ, options)

    @asynccontextmanager
    async def _serve_in_memory(
        self,
        client: type[ClientT],
        server: Server[Any],
        environ: Mapping[str, str],
        options: ConnectionOptions,
        doubles: Doubles,
    ) -> AsyncIterator[ServerUnderTest[ClientT]]:
        from toolaccord.client.sdk import SdkConnection  # noqa: PLC0415 - see above
        from toolaccord.pytest.memory import open_pipeline  # noqa: PLC0415
        from toolaccord.transports.mcp.sdk.server import create_mcp_server  # noqa: PLC0415

        server = server.on("stdio" if "stdio" in server.transports else "http")
        observations = Observations() if "handlers" in doubles else self._observations
        async with open_pipeline(server, environ, observations, doubles.get("sources", {}), doubles.get("clock")) as (
            pipeline,
            tasks,
        ):
            connection = SdkConnection(server.name, create_mcp_server(server, pipeline, tasks), **options)
            async with _enter(client, server, connection, connection) as served:
                yield served

    @asynccontextmanager
    async def _serve_over_stdio(
        self, client: type[ClientT], server: Server[Any], environ: Mapping[str, str], options: ConnectionOptions
    ) -> AsyncIterator[ServerUnderTest[ClientT]]:
        from toolaccord.client import stdio  # noqa: PLC0415 - see above

        env = build_environment(server, environ)
        command = stdio.Command(program=sys.executable, args=("-m", _name_module(client)), env=env, cwd=None)
        connection = stdio.connect(server.name, command, None, is_repeatable=False, **options)
        async with _enter(client, server, connection, self._observe(connection, server)) as served:
            yield served

    @asynccontextmanager
    async def _serve_over_http(
        self, client: type[ClientT], server: Server[Any], environ: Mapping[str, str], options: ConnectionOptions
    ) -> AsyncIterator[ServerUnderTest[ClientT]]:
        from toolaccord.client import http  # noqa: PLC0415 - see above

        key = server.access.http and next(
            each.env for each in server.settings if each.name == server.access.http.setting
        )
        with self._processes.use(_name_module(client), server, environ) as url:
            connection = http.connect(server.name, url, environ.get(key or ""), **options)
            async with _enter(client, server, connection, self._observe(connection, server)) as served:
                yield served

    def _observe(self, connection: Connection, server: Server[Any]) -> Connection:
        """Return *connection*, with its answers observed."""
        from toolaccord.pytest.observed_connection import ObservedConnection  # noqa: PLC0415 - see above

        return ObservedConnection(connection, server, self._observations)


def _options(server: Server[Any], era: Era, answers: Mapping[str, Any] | None) -> ConnectionOptions:
    """Return the options of a client's connection. Raises ValueError for an unknown ask."""
    if answers is None:
        return {"era": era}
    from toolaccord.pytest.answers import build_answers  # noqa: PLC0415 - see above

    return {"era": era, "answers": build_answers(server, answers)}


def load_server(client: type[ServerClient], handlers: Any) -> Server[Any]:
    """Return the server of the typed *client*, with *handlers* or else those of its project."""
    module = _name_module(client)
    if handlers is None:
        server: Server[Any] = importlib.import_module(f"{module}.__main__").create_server()
    else:
        server = importlib.import_module(f"{module}.server").server(handlers)
    return server


def _name_module(client: type[ServerClient]) -> str:
    """Return the module that runs the server of the typed *client*."""
    return client._server.module  # noqa: SLF001 - a public name could be that of a tool


def name_variables(server: Server[Any], settings: Mapping[str, SettingValue]) -> dict[str, str]:
    """Return *settings* as environment variables. Raises ValueError for an unknown one."""
    variables = {each.name: each.env for each in server.settings}
    if unknown := sorted(settings.keys() - variables.keys()):
        raise ValueError(f"{server.name} has no setting {unknown[0]!r}; it has {', '.join(variables) or 'none'}.")
    return {variables[name]: _to_text(value) for name, value in settings.items() if value is not None}


def _to_text(value: SettingValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@asynccontextmanager
async def _enter(
    client: type[ClientT], server: Server[Any], connection: SdkConnection, observed: Connection
) -> AsyncIterator[ServerUnderTest[ClientT]]:
    """Open the connection, and give the server with both clients."""
    async with client(observed) as typed:
        yield ServerUnderTest(client=typed, mcp=connection.client, server=server, connection=observed)
