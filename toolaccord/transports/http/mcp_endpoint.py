"""MCP over streamable HTTP, in both eras of the protocol.

Each request is a whole exchange, so that any replica can answer it, unless it belongs to a session.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import mcp_types as types
import orjson
import pydantic_core
from mcp.server.lowlevel import Server as McpServer
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from toolaccord.call.pipeline import Pipeline
from toolaccord.config.access_rules import AccessRules
from toolaccord.config.session_settings import STORE, SessionLimits
from toolaccord.resources.view_pages import has_views
from toolaccord.sources import Source
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.body import replay_body
from toolaccord.transports.http.challenges import require_scopes
from toolaccord.transports.http.mcp_fast_path import HttpFastPath
from toolaccord.transports.http.sse import REQUEST_IDS
from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.mcp.apps import SESSION_FIELD, declares_views, new_session_id
from toolaccord.transports.mcp.permissions import Permissions
from toolaccord.transports.mcp.request_meta import proven_caller
from toolaccord.transports.mcp.sdk.server import create_mcp_server

if TYPE_CHECKING:  # a server without tasks or sessions loads nothing for them
    from toolaccord.deferral.calls import TaskCalls
    from toolaccord.transports.http.sessions.open_sessions import Sessions
    from toolaccord.transports.http.sessions.store import SessionStore

_NOT_ACCEPTABLE = jsonrpc.error_response(
    None, jsonrpc.INVALID_REQUEST, "Send the header Accept: application/json, text/event-stream."
)
_OVERSIZED = jsonrpc.error_response(None, jsonrpc.INVALID_REQUEST, jsonrpc.OVERSIZED)


class McpEndpoint:
    """Answers requests to `/mcp` by the fast path or the SDK; the body arrives in one message."""

    def __init__(
        self, pipeline: Pipeline, access: AccessRules, tasks: TaskCalls | None = None, *, reference: bool = False
    ) -> None:
        self._fast_path = None if reference else HttpFastPath(pipeline, tasks)
        self._max_arguments = jsonrpc.max_argument_values(pipeline.server)
        self._rules = access.tokens
        self._permissions = Permissions(pipeline.server) if access.tokens.known_scopes else None
        # SecurityMiddleware has checked Host, Origin and token, so the SDK's checks are off. The SDK's limit of a body
        # cannot be switched off; it equals the limit that has been checked.
        mcp_server = create_mcp_server(pipeline.server, pipeline, tasks)
        self._sdk = StreamableHTTPSessionManager(
            mcp_server,
            json_response=False,
            stateless=True,
            security_settings=None,
            max_request_body_size=access.max_body_bytes,
        )
        self._sessions = _open_sessions(mcp_server, access, pipeline, self._fast_path)
        self._has_views = has_views(pipeline.server)

    @property
    def sources(self) -> Mapping[str, Source]:
        """The system that keeps sessions, if there is one, by its setting."""
        source = self._sessions.source if self._sessions else None
        return {STORE.upper(): source} if source else {}

    def count_sessions(self) -> int:
        """Return the number of open sessions."""
        return self._sessions.count() if self._sessions else 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve requests within the context; it may be entered once."""
        async with self._sdk.run(), self._sessions.open() if self._sessions else nullcontext():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises Rejection for a message that needs more scopes."""
        if self._sessions and scope["method"] != "POST":
            require_scopes(self._rules, proven_caller(scope), await self._sessions.demand(scope))
            await self._sessions.serve_stream(scope, receive, send)
            return
        body: bytes = (await receive())["body"]
        message = _read_common(body) if self._fast_path or self._sessions or self._has_views else None
        needed = frozenset[str]()
        if self._permissions:
            needed = self._permissions.demand(_read_any(body) if message is None else message)
            require_scopes(self._rules, proven_caller(scope), needed)
        ids = jsonrpc.request_ids(body) if message is None else jsonrpc.list_request_ids(message)
        scope.setdefault("state", {})[REQUEST_IDS] = ids
        send = self._known_to_host(message, send)
        sessions = self._sessions if self._sessions and self._sessions.owns(scope, message) else None
        fast_path = None if sessions or message is None else self._fast_path
        if fast_path and await fast_path.answer(scope, message, receive, send):
            return
        # A value that is too large already is not read again.
        is_oversized = jsonrpc.is_oversized(message, self._max_arguments)
        if error := _OVERSIZED if is_oversized else _message_error(body, self._max_arguments):
            await Response(error, 400, media_type="application/json")(scope, receive, send)
        elif not all(check_accept_headers(Request(scope))):  # the SDK answers a stateless request without a body
            await Response(_NOT_ACCEPTABLE, 406, media_type="application/json")(scope, receive, send)
        elif sessions:
            from toolaccord.transports.http.sessions.requests import Posted  # noqa: PLC0415 - as for the sessions

            posted = Posted(body, message)
            del body, message  # a call in a session may wait for long
            await sessions.serve(scope, receive, send, posted, needed)
        else:
            await self._sdk.handle_request(scope, replay_body(body, receive), send)

    def _known_to_host(self, message: Any, send: Send) -> Send:
        """Return *send*, which gives a host that shows views its session id.

        A server with sessions gives ids of its own.
        """
        is_start = self._has_views and self._sessions is None and declares_views(message)
        return _with_session_id(send) if is_start else send


def _open_sessions(
    mcp_server: McpServer[Any], access: AccessRules, pipeline: Pipeline, fast_path: HttpFastPath | None
) -> Sessions | None:
    """Return the sessions of a server, if it has some."""
    if access.sessions is None:
        return None
    from toolaccord.transports.http.sessions.open_sessions import Sessions  # noqa: PLC0415 - only such a server needs it

    store = _open_store(access.sessions, pipeline.server.name)
    handshake = fast_path.handshake if fast_path else None
    return Sessions(mcp_server, store, access.sessions, access.max_body_bytes, pipeline.changes, handshake)


def _open_store(limits: SessionLimits, server: str) -> SessionStore:
    """Return the store of the sessions of a *server*."""
    clock = SystemClock()
    if not limits.store_url:
        from toolaccord.transports.http.sessions.memory_store import MemoryStore  # noqa: PLC0415 - each needs one of them

        return MemoryStore(limits, clock)
    from toolaccord.contract.source_kinds.redis import RedisSource  # noqa: PLC0415 - likewise
    from toolaccord.sources.redis.client import RedisClient  # noqa: PLC0415
    from toolaccord.transports.http.sessions.redis_store import RedisSessionStore  # noqa: PLC0415

    redis = RedisClient(RedisSource(name=STORE.upper(), url=STORE, retries=1), limits.store_url, clock)
    return RedisSessionStore(redis, clock, server, limits)


def _read_common(body: bytes) -> Any:
    """Return the JSON value of *body*; None for what only the SDK can read."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _read_any(body: bytes) -> Any:
    """Return the JSON value of *body* as the SDK reads it; None for no JSON."""
    try:
        return pydantic_core.from_json(body)
    except ValueError:
        return None


def _message_error(body: bytes, max_arguments: int) -> bytes | None:
    """Return the error response to a *body* that is not a message, else None.

    The SDK would answer with the text of its exception.
    """
    try:
        value = pydantic_core.from_json(body)
    except ValueError:
        return jsonrpc.error_response(None, jsonrpc.PARSE_ERROR, "Parse error: the body is not JSON")
    if jsonrpc.is_oversized(value, max_arguments):
        return _OVERSIZED
    try:
        message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        message = None
    if message is None or (isinstance(message, types.JSONRPCNotification) and "id" in value):
        return jsonrpc.error_response(None, jsonrpc.INVALID_REQUEST, "Invalid request: not one JSON-RPC message")
    return None


def _with_session_id(send: Send) -> Send:
    """Return *send* for the response to `initialize` of a host with views, with a session id.

    In the handshake era a host declares views there alone. The session id says so from then on, to any replica, and
    none keeps a session.
    """

    async def send_with_id(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            field = SESSION_FIELD.encode(), new_session_id().encode()
            message = {**message, "headers": [*message["headers"], field]}
        await send(message)

    return send_with_id
