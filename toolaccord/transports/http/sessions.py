"""Sessions of the handshake era over HTTP, for servers whose contract needs them."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractAsyncContextManager
from typing import Any

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server as McpServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from toolaccord.config.session_settings import SessionLimits
from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.headers import Fields, read_fields
from toolaccord.transports.mcp import request_meta
from toolaccord.transports.mcp.fast_path import HANDSHAKE_VERSIONS

SESSION_HEADER = "Mcp-Session-Id"
_SESSION_FIELD = SESSION_HEADER.lower()
_MAX_REQUESTS = 100
"""Requests of one session that run at once; each runs on if its client disconnects."""


class Sessions:
    """The sessions of one process.

    `initialize` opens a session; each request that names it belongs to it. A session ends with `DELETE`, or after its
    idle time. Only callers with the token that opened it may use it: to others it does not exist.
    """

    def __init__(self, mcp_server: McpServer[Any], limits: SessionLimits, max_body_bytes: int) -> None:
        self._sdk = StreamableHTTPSessionManager(
            mcp_server,
            security_settings=None,
            session_idle_timeout=limits.idle_s,
            max_request_body_size=max_body_bytes,
            max_sessions=limits.max_sessions,
        )
        self._running = Counter[str]()
        """Number of running requests of each session."""
        mcp_server.middleware.append(self._limit_requests)

    def count(self) -> int:
        """Return the number of open sessions."""
        return len(self._sdk._server_instances)  # noqa: SLF001 - the SDK has no public number of them

    def open(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager within which sessions exist; it may be entered once."""
        return self._sdk.run()

    def owns(self, scope: Scope, message: Any) -> bool:
        """Return whether the posted *message*, a JSON value, opens a session or belongs to one."""
        fields = read_fields(scope)
        if not _is_handshake(fields):
            return False
        return _SESSION_FIELD in fields or _is_initialize(message)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises Rejection for a stream or an end of no session."""
        if scope["method"] != "POST":
            scope = _check_session_request(scope)
        if identity := request_meta.caller_identity(scope):
            scope["user"] = AuthenticatedUser(AccessToken(token=identity, client_id=identity, scopes=[]))
        await self._sdk.handle_request(scope, receive, send)

    async def _limit_requests(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request unless its session has too many others. Raises MCPError."""
        session = None if ctx.request is None else ctx.request.headers.get(SESSION_HEADER)
        if session is None or ctx.request_id is None or ctx.protocol_version not in HANDSHAKE_VERSIONS:
            return await call_next(ctx)
        if self._running[session] >= _MAX_REQUESTS:
            message = f"A session has at most {_MAX_REQUESTS} requests at once: wait for a response, or cancel one."
            raise MCPError(types.INVALID_REQUEST, message)
        self._running[session] += 1
        try:
            return await call_next(ctx)
        finally:
            self._running[session] -= 1
            if not self._running[session]:
                del self._running[session]


def _is_initialize(message: Any) -> bool:
    """Return whether *message* is a valid request for a session.

    The SDK would keep a session for an invalid one, too.
    """
    if type(message) is not dict or message.get("method") != "initialize" or "id" not in message:
        return False
    try:
        types.InitializeRequestParams.model_validate(message.get("params"), by_name=False)
    except ValidationError:
        return False
    return True


def _check_session_request(scope: Scope) -> Scope:
    """Return the request of a stream, or of an end, of a session. Raises Rejection."""
    method, fields = scope["method"], read_fields(scope)
    if not _is_handshake(fields):
        message = f"Use POST: a {method} belongs to a session, which only versions up to {HANDSHAKE_VERSIONS[-1]} have."
        raise Rejection(405, message, headers={"Allow": "POST"})
    if _SESSION_FIELD not in fields:
        raise Rejection(400, f"{method} needs the header {SESSION_HEADER} that initialize returned.")
    # Without stored events there is nothing to resume, and the SDK would not respond.
    kept = [(name, value) for name, value in scope["headers"] if name != b"last-event-id"]
    return {**scope, "headers": kept}


def _is_handshake(fields: Fields) -> bool:
    """Return whether a request is of the handshake era; its first clients sent no version."""
    version = fields.get("mcp-protocol-version")
    return version is None or version in HANDSHAKE_VERSIONS
