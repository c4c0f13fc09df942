"""The SDK's manager of sessions, with events that clients can resume."""

from __future__ import annotations

from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.lowlevel import Server as McpServer
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from toolaccord.transports.http.sessions.events import SessionEvents, StoredEvents

_RETRY_MS = 1000
"""Milliseconds after which a client resumes a stream that ended without its response."""


class SessionManager(StreamableHTTPSessionManager):
    """Sessions, each with events of its own."""

    def __init__(self, mcp_server: McpServer[Any], stored: StoredEvents, **options: Any) -> None:
        super().__init__(mcp_server, retry_interval=_RETRY_MS, security_settings=None, **options)
        self._stored = stored
        self.events: dict[str, SessionEvents] = {}
        """Events by the id of their session."""

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, whose body is within the limit.

        The SDK's own limit would hold two copies of the body until the response.
        """
        await self._handle_request(scope, receive, send)

    def _admit_session(self, requestor: AuthorizationContext | None) -> StreamableHTTPServerTransport | None:
        """Return a new session; None if all are taken."""
        self.event_store = events = self._stored.open_session()
        transport = super()._admit_session(requestor)
        if transport is None or transport.mcp_session_id is None:
            events.close()
            return None
        self.events[transport.mcp_session_id] = events
        return transport

    async def _discard_session(self, session_id: str, transport: StreamableHTTPServerTransport) -> None:
        """End a session."""
        if events := self.events.pop(session_id, None):
            events.close()
        await super()._discard_session(session_id, transport)
