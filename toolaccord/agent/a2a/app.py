"""The routes of an agent over HTTP: A2A, plain requests, and pages for operators."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.types import AgentCard
from a2a.utils.constants import A2A_JSON_MEDIA_TYPE, AGENT_CARD_WELL_KNOWN_PATH
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Mount
from starlette.routing import Router as PatternRouter
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolaccord.agent.a2a.bodies import CheckedBody, CheckedJsonRpc
from toolaccord.agent.a2a.card import ENDPOINT
from toolaccord.agent.a2a.errors import JSONRPC_PATHS, build_error
from toolaccord.agent.a2a.messages import MessageFormat
from toolaccord.agent.a2a.plain_requests import PlainRequests
from toolaccord.agent.a2a.task_handler import CallerContextBuilder, TaskHandler
from toolaccord.agent.a2a.tasks import MessageTasks
from toolaccord.agent.declarations import Agent
from toolaccord.agent.requests import Dependencies
from toolaccord.config.access_rules import AccessRules
from toolaccord.telemetry import correlation
from toolaccord.transports.http.body import BodyLimits
from toolaccord.transports.http.challenges import require_scopes
from toolaccord.transports.http.errors import Rejection, unknown_path
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.http.readiness import Readiness
from toolaccord.transports.http.routing import JSON, POST, Route, Router, health_page, list_metadata_routes, page
from toolaccord.transports.http.security import SecurityMiddleware
from toolaccord.transports.http.traffic import Traffic
from toolaccord.transports.mcp import request_meta

PLAIN_PATH = "/a2a"
"""Path of requests that are bodies."""
_A2A_JSON = (JSON, A2A_JSON_MEDIA_TYPE)
_BODY_TIMEOUT_S = 30.0
_CARD_CACHE = "max-age=60"


class A2aApp:
    """The ASGI application of one agent."""

    def __init__(
        self,
        agent: Agent[Any, Any, Any],
        dependencies: Dependencies,
        access: AccessRules,
        card: AgentCard,
        tasks: MessageTasks,
    ) -> None:
        self.traffic = Traffic()
        """The requests in flight."""
        self._dependencies = dependencies
        self._handler = TaskHandler(tasks, MessageFormat(agent))
        dispensable = {agent.cache.store} if agent.cache else set()
        routes = {
            PLAIN_PATH: Route(_Correlated(PlainRequests(tasks.requests, tasks.slots)), POST),
            "/health": health_page(),
            "/ready": Route(Readiness(dependencies.sources, self.traffic, dependencies.clock, dispensable=dispensable)),
            "/metrics": page(self._metrics),
            AGENT_CARD_WELL_KNOWN_PATH: Route(PatternRouter(create_agent_card_routes(card, cache_control=_CARD_CACHE))),
        } | dict.fromkeys(JSONRPC_PATHS, self._jsonrpc_route())
        routes |= list_metadata_routes(access.tokens, agent.title)
        self._http_json = self._http_json_route()
        self._tokens = access.tokens
        self._router = Router(routes, BodyLimits(access.max_body_bytes, _BODY_TIMEOUT_S), self._find_other)
        self._app = SecurityMiddleware(self._serve, access, build_error, self.traffic)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve requests within this context manager, which may be entered once."""
        try:
            yield
        finally:
            await self._app.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request whose caller is known. Raises Rejection."""
        if f"{scope['path']}/".startswith(f"{PLAIN_PATH}/"):
            require_scopes(self._tokens, request_meta.proven_caller(scope), self._tokens.known_scopes)
        await self._router(scope, receive, send)

    def _jsonrpc_route(self) -> Route:
        """Return the route of JSON-RPC, in the protocol's versions 1.0 and 0.3."""
        (endpoint,) = create_jsonrpc_routes(self._handler, ENDPOINT, CallerContextBuilder(), enable_v0_3_compat=True)
        return Route(_Correlated(CheckedJsonRpc(endpoint.app)), POST, _A2A_JSON)

    def _http_json_route(self) -> Route:
        """Return the route of HTTP+JSON, without tenants."""
        routes = create_rest_routes(self._handler, CallerContextBuilder(), path_prefix=ENDPOINT)
        router = PatternRouter([route for route in routes if not isinstance(route, Mount)])
        app = _Correlated(CheckedBody(_Rejecting(router)))
        return Route(app, ("GET", "HEAD", "POST", "DELETE"), (*_A2A_JSON, ""))

    def _find_other(self, path: str) -> Route:
        if path.startswith(f"{ENDPOINT}/"):
            return self._http_json
        raise unknown_path()

    def _metrics(self) -> Response:
        """Return the metrics in Prometheus's format."""
        return Response(generate_latest(self._dependencies.metrics.registry), media_type=CONTENT_TYPE_LATEST)


class _Correlated:
    """Serves each request within its correlation id, which the response names."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        corr_id = correlation.resolve_corr_id(request_meta.complete_meta(read_fields(scope)))

        async def send_correlated(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Correlation-ID"] = corr_id
            await send(message)

        with correlation.CorrelationScope(corr_id):
            await self._app(scope, receive, send_correlated)


class _Rejecting:
    """Raises Rejection for paths and methods that *app* does not have."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app({**scope, "app": self}, receive, send)  # with an app, Starlette raises its errors
        except HTTPException as error:
            if error.status_code == 404:
                raise unknown_path() from None
            raise Rejection(error.status_code, f"{error.detail}.", headers=error.headers) from None
