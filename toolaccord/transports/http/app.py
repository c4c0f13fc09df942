"""The routes of a server over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolaccord.call.pipeline import Pipeline
from toolaccord.config.access_rules import AccessRules
from toolaccord.sources import Source
from toolaccord.telemetry.metrics import Metrics
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.body import BodyLimits
from toolaccord.transports.http.errors import (
    MCP_PATH,
    TOOLS_PATH,
    ErrorResponses,
    unknown_path,
)
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.http.mcp_endpoint import McpEndpoint
from toolaccord.transports.http.pages.console import StartPage, find_file, holds_no_data
from toolaccord.transports.http.pages.docs import DOCS_ASSETS, DOCS_PATH, read_asset, render_page
from toolaccord.transports.http.readiness import Readiness
from toolaccord.transports.http.rest import RestTools
from toolaccord.transports.http.routing import (
    JSON,
    POST,
    Route,
    Router,
    find_no_route,
    health_page,
    list_metadata_routes,
    page,
)
from toolaccord.transports.http.security import SecurityMiddleware
from toolaccord.transports.http.sse import StreamEnder, is_standalone
from toolaccord.transports.http.traffic import Traffic

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls
    from toolaccord.transports.http.rest_tasks import RestTasks

_SESSION_METHODS = (*POST, "GET", "DELETE")


class Workers(Protocol):
    """All processes of a server, of which one answers a request."""

    async def ask_readiness(self) -> Mapping[str, Any]:
        """Return the number of `wanted` workers, and the `states` of those that accept connections.

        Raises Rejection without an answer of their supervisor.
        """

    async def exposition(self) -> tuple[bytes, str]:
        """Return the metrics of all in Prometheus's text format, and its content type.

        Raises Rejection as `ask_readiness`.
        """


@dataclass(frozen=True, slots=True)
class Pages:
    """Sources of the pages beside the tools, and of tasks."""

    package: str | None
    """The package of the server's generated files; None without them."""
    metrics: Metrics | None
    """The metrics of the server's calls; None without them."""
    workers: Workers | None = None
    """The workers, for which the pages speak; None for a process that serves alone."""
    tasks: TaskCalls | None = None
    """Makes tasks of calls; None for a server without tasks."""


class HttpApp:
    """The ASGI application of one server."""

    def __init__(
        self,
        pipeline: Pipeline,
        sources: Mapping[str, Source],
        access: AccessRules,
        pages: Pages,
        body_timeout_s: float = 30.0,
        *,
        reference: bool = False,
    ) -> None:
        self.traffic = Traffic()
        """The requests in flight."""
        self.traffic.on_end_of_streams(pipeline.changes.end)
        self._pages = pages
        self._mcp = McpEndpoint(pipeline, access, pages.tasks, reference=reference)
        asked = {**sources, **self._mcp.sources}
        dispensable = pipeline.server.dispensable_sources | self._mcp.sources.keys()
        ask_all = pages.workers.ask_readiness if pages.workers else None
        self.readiness = Readiness(asked, self.traffic, SystemClock(), dispensable=dispensable, ask_all=ask_all)
        """The readiness of this process, and of all workers."""
        if pages.metrics and access.sessions:
            pages.metrics.observe_sessions(self._mcp.count_sessions)
        self._stream_ender = StreamEnder(self._mcp)
        self._mcp_methods = POST if access.sessions is None else _SESSION_METHODS
        limits = BodyLimits(access.max_body_bytes, body_timeout_s)
        tasks = None if pages.tasks is None else _open_tasks(pages.tasks)
        routes = self._all_routes(RestTools(pipeline, access.tokens, tasks), pipeline) | list_metadata_routes(
            access.tokens, pipeline.server.title or pipeline.server.name
        )
        find_other = tasks.find_route if tasks else find_no_route
        router = Router(routes, limits, lambda path: find_file(path) or find_other(path))
        build_error = ErrorResponses(pipeline.server).build
        self._app = SecurityMiddleware(router, access, build_error, self.traffic, is_open=holds_no_data)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve requests within this context manager, which may be entered once."""
        async with self._mcp.open():
            try:
                yield
            finally:
                await self._app.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; `/mcp/`, which some clients make of the URL, is `/mcp`."""
        if scope["path"] == f"{MCP_PATH}/":
            scope = {**scope, "path": MCP_PATH}
        await self._app(scope, receive, send)

    async def _serve_mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request to the MCP endpoint; only its client ends a standalone stream."""
        if scope["method"] == "GET" and is_standalone(read_fields(scope)):
            self.traffic.note_stream()
        await self._stream_ender(scope, receive, send)

    def _all_routes(self, tools: RestTools, pipeline: Pipeline) -> dict[str, Route]:
        server = pipeline.server
        routes = {
            f"{TOOLS_PATH}{tool.name}": Route(partial(tools.call_by_path, tool.name), POST) for tool in server.tools
        }
        routes |= {f"{DOCS_PATH}/{name}": page(partial(read_asset, name)) for name in DOCS_ASSETS}
        return routes | {
            "/": Route(StartPage(server.name, server.version)),
            DOCS_PATH: page(partial(render_page, server.title or server.name)),
            MCP_PATH: Route(self._serve_mcp, self._mcp_methods),
            f"{TOOLS_PATH}list": Route(tools.list, POST, (JSON, "")),
            f"{TOOLS_PATH}call": Route(tools.call, POST),
            "/health": health_page(),
            "/ready": Route(self.readiness),
            "/metrics": Route(self._metrics),
            "/openapi.json": page(self._openapi),
        }

    def _openapi(self) -> Response:
        """Return the generated OpenAPI document of the REST routes."""
        return Response(_read_generated(self._pages.package, "openapi.json"), media_type=JSON)

    async def _metrics(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the metrics in Prometheus's format, of all workers if there are some."""
        metrics, workers = self._pages.metrics, self._pages.workers
        if metrics is None:
            raise unknown_path()
        text, media_type = await workers.exposition() if workers else metrics.exposition()
        await Response(text, media_type=media_type)(scope, receive, send)


def _read_generated(package: str | None, name: str) -> bytes:
    """Return a generated file of a server. Raises Rejection if there is none."""
    file = resources.files(package) / name if package else None
    if file is None or not file.is_file():
        raise unknown_path()
    return file.read_bytes()


def _open_tasks(calls: TaskCalls) -> RestTasks:
    from toolaccord.transports.http.rest_tasks import RestTasks  # noqa: PLC0415 - only such a server needs it

    return RestTasks(calls)
