"""Every route of a server over HTTP."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from importlib import resources

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from toolpact.call.pipeline import Pipeline
from toolpact.config.process_settings import AccessRules
from toolpact.sources import Source
from toolpact.telemetry.metrics import Metrics
from toolpact.timing.clock import SystemClock
from toolpact.transports.http import body as http_body
from toolpact.transports.http import docs, headers
from toolpact.transports.http.body import BodyLimits, ClientGone
from toolpact.transports.http.connection import RequestReporter
from toolpact.transports.http.errors import MCP_PATH, Refusals, Refused
from toolpact.transports.http.mcp_endpoint import McpEndpoint
from toolpact.transports.http.readiness import Readiness
from toolpact.transports.http.rest import TOOLS_PATH, RestTools, unknown_tool
from toolpact.transports.http.security import Guard, Traffic
from toolpact.transports.http.sse import EndedStreams

_LOG = logging.getLogger(__name__)
_JSON = "application/json"
_POST = ("POST",)


@dataclass(frozen=True, slots=True)
class Route:
    """What is found at a path."""

    serve: ASGIApp
    """Answers a request."""
    methods: tuple[str, ...] = ("GET", "HEAD")
    """How it may be asked."""


@dataclass(frozen=True, slots=True)
class Pages:
    """What can be read beside the tools."""

    package: str | None
    """The package that holds the server's generated files."""
    metrics: Metrics | None
    """What counts its calls."""


class HttpApp:
    """The ASGI application of one server."""

    def __init__(
        self,
        pipeline: Pipeline,
        sources: Mapping[str, Source],
        access: AccessRules,
        pages: Pages,
        slowest_s: float = 30.0,
        *,
        reference: bool = False,
    ) -> None:
        self.traffic = Traffic()
        """What is in flight."""
        self._pages = pages
        self.slowest_s = slowest_s
        """Seconds within which the body of a request must have come."""
        self._limits = BodyLimits(access.max_body_bytes, slowest_s)
        self._readiness = Readiness(sources, self.traffic, SystemClock())
        self._mcp = McpEndpoint(pipeline, access.max_body_bytes, reference=reference)
        self._routes = self._all_routes(RestTools(pipeline), pipeline)
        guarded = Guard(self._route, access, Refusals(pipeline.server), self.traffic)
        self._reported = RequestReporter(guarded, slowest_s)

    def open(self) -> AbstractAsyncContextManager[None]:
        """Serve within; may be entered once."""
        return self._mcp.open()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._reported(scope, receive, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find what is at the path, and let it answer."""
        path: str = scope["path"]
        route = self._routes.get(path)
        if route is None:
            raise unknown_tool() if path.startswith(TOOLS_PATH) else _no_page()
        if scope["method"] not in route.methods:
            raise Refused(405, f"Use {' or '.join(route.methods)}.", headers={"Allow": ", ".join(route.methods)})
        try:
            if scope["method"] == "POST":
                body = await self._body(scope, receive)
                receive = http_body.replayed(body, receive)
            await route.serve(scope, receive, send)
        except ClientGone:
            _LOG.debug("the client left")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        media_type = headers.of(scope).get("content-type", "").partition(";")[0].strip().lower()
        if media_type != _JSON and not (scope["path"] == f"{TOOLS_PATH}list" and not media_type):
            raise Refused(415, "The body must be application/json.")
        return await http_body.read(scope, receive, self._limits)

    def _all_routes(self, tools: RestTools, pipeline: Pipeline) -> dict[str, Route]:
        routes = {
            f"{TOOLS_PATH}{tool.name}": Route(partial(tools.tool, tool.name), _POST) for tool in pipeline.server.tools
        }
        routes |= {f"{docs.PATH}/{name}": Route(_page(partial(docs.asset, name))) for name in docs.ASSETS}
        title = pipeline.server.title or pipeline.server.name
        return routes | {
            docs.PATH: Route(_page(partial(docs.page, title))),
            MCP_PATH: Route(EndedStreams(self._mcp), _POST),
            f"{TOOLS_PATH}list": Route(tools.list, _POST),
            f"{TOOLS_PATH}call": Route(tools.call, _POST),
            "/health": Route(_page(_healthy)),
            "/ready": Route(self._readiness),
            "/metrics": Route(_page(self._metrics)),
            "/openapi.json": Route(_page(self._openapi)),
        }

    def _openapi(self) -> Response:
        """Return the description of the REST routes, as it was generated."""
        return Response(_generated(self._pages.package, "openapi.json"), media_type=_JSON)

    def _metrics(self) -> Response:
        """Return the numbers, as Prometheus reads them."""
        if self._pages.metrics is None:
            raise _no_page()
        text, media_type = self._pages.metrics.exposition()
        return Response(text, media_type=media_type)


def _no_page() -> Refused:
    return Refused(404, "This server has no such page.", occasion="unknown_tool")


def _generated(package: str | None, name: str) -> bytes:
    """Return a generated file of a server. Raises Refused where there is none."""
    file = resources.files(package) / name if package else None
    if file is None or not file.is_file():
        raise _no_page()
    return file.read_bytes()


def _page(make: Callable[[], Response]) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await make()(scope, receive, send)

    return serve


def _healthy() -> Response:
    return Response(b'{"status":"ok"}', media_type=_JSON)
