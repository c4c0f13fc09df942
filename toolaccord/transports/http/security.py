"""Checks that every request passes before any route: Host, Origin, token and shutdown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolaccord.callers.proof import TokenProof
from toolaccord.callers.rules import KeysUnavailable
from toolaccord.config.access_rules import AccessRules
from toolaccord.telemetry import correlation
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.challenges import no_valid_token
from toolaccord.transports.http.connection.limited_connection import LimitedConnection
from toolaccord.transports.http.cors import CorsPolicy
from toolaccord.transports.http.errors import (
    TASKS_PATH,
    ErrorBuilder,
    Rejection,
    internal_error,
    keys_unavailable,
    stopping,
    too_many_connections,
)
from toolaccord.transports.http.header_fields import Fields, read_fields
from toolaccord.transports.http.traffic import Traffic
from toolaccord.transports.mcp import request_meta

_LOG = logging.getLogger(__name__)
_MAX_LOGGED_PATH_CHARACTERS = 200
_NOSNIFF = (b"x-content-type-options", b"nosniff")
_NO_STORE = (b"cache-control", b"no-store")
_PROBE_PATHS = ("/health", "/ready")
_PATHS_BEYOND_THE_LIMIT = (*_PROBE_PATHS, "/metrics")
_FOREIGN_HOST = "This server does not answer to that Host; its operator allows it in MCP_ALLOWED_HOSTS."


class SecurityMiddleware:
    """Middleware that passes allowed requests to *app*, and answers exceptions with errors."""

    def __init__(
        self,
        app: ASGIApp,
        access: AccessRules,
        build_error: ErrorBuilder,
        traffic: Traffic,
        *,
        is_open: Callable[[str, Fields], bool] = lambda _path, _fields: False,
    ) -> None:
        """*is_open* returns whether a request for a path needs no token.

        The rules in *access* may open further paths.
        """
        self._app = app
        self._access = access
        self._cors = CorsPolicy(access.origins)
        self._tokens = TokenProof(access.tokens, SystemClock())
        self._build_error = build_error
        self._traffic = traffic
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        fields = read_fields(scope)
        response = _Response(scope, send, self._cors, self._traffic)
        with self._traffic:
            try:
                app = await self._check(scope, fields)
                await app(scope, receive, response.send)
            except Rejection as rejection:
                await self._reject(scope, receive, response, rejection)
            except asyncio.CancelledError:
                if not self._traffic.is_closed:
                    raise
                if not response.has_started:  # an event stream that has started has been ended with an error
                    await self._reject(scope, receive, response, stopping())
            except Exception:
                _LOG.exception("a request failed")
                if not response.has_started:
                    await self._reject(scope, receive, response, internal_error())

    async def close(self) -> None:
        """Close the connections to an authorization server."""
        await self._tokens.close()

    async def _check(self, scope: Scope, fields: Fields) -> ASGIApp:
        """Return the application that answers a request. Raises Rejection."""
        _check_single_host(scope["http_version"], fields)
        if scope["path"] not in _PROBE_PATHS:  # proxies probe by names of their own, or by none
            self._check_host(fields, scope.get("server"))
        self._cors.check(fields, scope["scheme"])
        if preflight := self._cors.preflight_response(scope["method"], fields):
            return preflight
        if (connection := _connection(scope)) and connection.is_probe and scope["path"] not in _PATHS_BEYOND_THE_LIMIT:
            raise too_many_connections()
        await self._check_token(scope, fields)
        if self._traffic.is_closed:
            raise stopping()
        return self._app

    def _check_host(self, fields: Fields, server: tuple[str, int | None] | None) -> None:
        """Raise Rejection if the Host does not name this server.

        This prevents DNS rebinding: a page that reaches the server by a name of its own. The local address of the
        connection is allowed, since a page cannot own it; probes use it.
        """
        host, allowed = fields.get("host", "").lower(), self._access.hosts
        name = _without_port(host)
        address = server[0] if server else None
        if host not in allowed and name not in allowed and name.strip("[]") != address:
            raise Rejection(421, _FOREIGN_HOST, occasion="access")

    async def _check_token(self, scope: Scope, fields: Fields) -> None:
        """Note the caller of a request. Raises Rejection without a valid token where one is needed."""
        path, rules = scope["path"], self._access.tokens
        if not rules.are_needed or self._is_open(path, fields):
            return
        if any(path == each or path.startswith(f"{each}/") for each in self._access.open_paths):
            return
        scheme, _, token = (fields.get_single("authorization") or "").partition(" ")
        token = token.strip()
        try:
            caller = await self._tokens.prove(token) if scheme.lower() == "bearer" else None
        except KeysUnavailable:
            raise keys_unavailable() from None
        if caller is None:
            raise no_valid_token(rules, is_sent="authorization" in fields)
        request_meta.set_caller(scope, caller, partial(self._tokens.still_proves, token, caller))

    async def _reject(self, scope: Scope, receive: Receive, response: _Response, rejection: Rejection) -> None:
        corr_id = correlation.resolve_corr_id(request_meta.complete_meta(read_fields(scope)))
        log_fields = {"http": rejection.status, "path": _loggable_path(scope["path"])}
        with correlation.CorrelationScope(corr_id):
            _LOG.info("request rejected: %s", rejection.message, extra={"fields": log_fields})
        error_response = self._build_error(scope["path"], rejection, corr_id)
        error_response.headers["X-Correlation-ID"] = corr_id
        await error_response(scope, receive, response.send)


class _Response:
    """A response in progress, with the headers that every response has."""

    def __init__(self, scope: Scope, send: Send, cors: CorsPolicy, traffic: Traffic) -> None:
        self._scope = scope
        self._send = send
        self._cors = cors
        self._traffic = traffic
        self.has_started = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_started = True
            headers = [*message.get("headers", ()), _NOSNIFF]
            if not any(name.lower() == b"cache-control" for name, _ in headers):
                headers.append(_NO_STORE)
            message = {**message, "headers": headers}
            self._cors.add_headers(read_fields(self._scope), message)
            if self._is_last():
                MutableHeaders(scope=message)["Connection"] = "close"
        await self._send(message)

    def _is_last(self) -> bool:
        """Return whether the connection closes after this response."""
        connection = _connection(self._scope)
        return self._traffic.is_draining or (connection is not None and connection.must_close_after(self._scope))


def _connection(scope: Scope) -> LimitedConnection | None:
    """Return the connection of a request; None if it was made in process."""
    connection: LimitedConnection | None = scope.get("state", {}).get("connection")
    return connection


def _check_single_host(http_version: str, fields: Fields) -> None:
    """Raise Rejection for repeated Host headers, and for none in HTTP/1.1 (RFC 9112, 3.2)."""
    if "host" in fields.repeated or (http_version == "1.1" and "host" not in fields):
        raise Rejection(400, "Send exactly one Host header.", headers={"Connection": "close"})


def _loggable_path(path: str) -> str:
    """Return *path* for the log, without the id of a task: whoever knows it may see the task."""
    return TASKS_PATH if path.startswith(TASKS_PATH) else path[:_MAX_LOGGED_PATH_CHARACTERS]


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host
