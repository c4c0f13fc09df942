"""Sessions of the handshake era over HTTP, for servers whose contract needs them."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server as McpServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from toolpact.config.session_settings import SessionLimits
from toolpact.transports.http.errors import Rejection
from toolpact.transports.http.headers import read_fields
from toolpact.transports.mcp import request_meta
from toolpact.transports.mcp.fast_path import HANDSHAKE_VERSIONS

SESSION_HEADER = "Mcp-Session-Id"
_SESSION_FIELD = SESSION_HEADER.lower()


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

    def open(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager within which sessions exist; it may be entered once."""
        return self._sdk.run()

    def owns(self, scope: Scope, message: Any) -> bool:
        """Return whether the posted *message*, a JSON value, opens a session or belongs to one."""
        fields = read_fields(scope)
        version = fields.get("mcp-protocol-version")
        if version is not None and version not in HANDSHAKE_VERSIONS:
            return False
        return _SESSION_FIELD in fields or (type(message) is dict and message.get("method") == "initialize")

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises Rejection for a stream or an end of no session."""
        if scope["method"] != "POST" and _SESSION_FIELD not in read_fields(scope):
            raise Rejection(400, f"{scope['method']} needs the header {SESSION_HEADER} that initialize returned.")
        if identity := request_meta.caller_identity(scope):
            scope["user"] = AuthenticatedUser(AccessToken(token=identity, client_id=identity, scopes=[]))
        await self._sdk.handle_request(scope, receive, send)
