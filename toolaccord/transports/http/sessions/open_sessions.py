"""Sessions of the handshake era over HTTP, for servers whose contract needs them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.types import Message, Receive, Scope, Send

from toolaccord.config.session_settings import SessionLimits
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.headers import Fields, read_fields
from toolaccord.transports.http.sessions.events import StoredEvents
from toolaccord.transports.http.sessions.manager import SessionManager
from toolaccord.transports.mcp import request_meta
from toolaccord.transports.mcp.fast_path import HANDSHAKE_VERSIONS

SESSION_HEADER = "Mcp-Session-Id"
_SESSION_FIELD = SESSION_HEADER.lower()
_BODY_BYTES = "toolaccord.body_bytes"
"""The member of an ASGI scope that holds the size of the request's body."""
_MAX_REQUESTS = 100
"""Requests of one session that run at once; each runs on if its client disconnects."""
_REQUEST_BYTES = 64 * 1024
"""Bytes of a running request beside its body."""
_Owner: TypeAlias = Literal["session", "caller", "server"]
_MAX_BODIES: dict[_Owner, int] = {"session": 2, "caller": 8, "server": 16}
"""Bodies of the largest size that may belong to running requests."""


@dataclass(slots=True)
class _Session:
    """An open session, as far as it decides which one ends to make room, and who may read it."""

    caller: str
    exchanges: int = 0
    """Number of its requests and streams over HTTP that are open."""
    scopes: frozenset[str] = frozenset()
    """Scopes that its requests needed: a client that resumes a stream reads their responses."""


class Sessions:
    """The sessions of one process.

    `initialize` opens a session; each request that names it belongs to it. A session ends with `DELETE`, or after its
    idle time. Only the caller who opened it may use it: to others it does not exist. If all are taken, a caller with
    few sessions takes the place of an idle one of the caller with the most.
    """

    def __init__(self, mcp_server: McpServer[Any], limits: SessionLimits, max_body_bytes: int) -> None:
        self._max_stream_s = limits.max_stream_s
        self._sdk = SessionManager(
            mcp_server,
            StoredEvents(SystemClock(), limits.max_stream_s),
            session_idle_timeout=limits.idle_s,
            max_request_body_size=max_body_bytes,
            max_sessions=limits.max_sessions,
        )
        self._max_sessions = limits.max_sessions
        self._opened: dict[str, _Session] = {}
        """Sessions by id, the least recently used first."""
        self._running = Counter[str]()
        """Number of running requests of each session."""
        self._bytes = Counter[tuple[_Owner, str]]()
        """Bytes of running requests."""
        self._max_body_bytes = max_body_bytes
        mcp_server.middleware.append(self._limit_requests)

    def count(self) -> int:
        """Return the number of open sessions."""
        return len(self._transports)

    @property
    def _transports(self) -> Mapping[str, Any]:
        return self._sdk._server_instances  # noqa: SLF001 - the SDK has no public list of them

    def open(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager within which sessions exist; it may be entered once."""
        return self._sdk.run()

    def owns(self, scope: Scope, message: Any) -> bool:
        """Return whether the posted *message*, a JSON value, opens a session or belongs to one."""
        fields = read_fields(scope)
        if not _is_handshake(fields):
            return False
        return _SESSION_FIELD in fields or _is_initialize(message)

    def demand(self, scope: Scope) -> frozenset[str]:
        """Return the scopes that a stream of a session needs: those of its requests so far."""
        opened = self._find_own(scope)
        return opened.scopes if opened and scope["method"] == "GET" else frozenset()

    def note_scopes(self, scope: Scope, needed: frozenset[str]) -> None:
        """Note the scopes that a request of a session needs."""
        if opened := self._find_own(scope):
            opened.scopes |= needed

    def _find_own(self, scope: Scope) -> _Session | None:
        """Return the session of a request; None if it has none, or that of another caller."""
        opened = self._opened.get(read_fields(scope).get(_SESSION_FIELD, ""))
        return opened if opened and opened.caller == _caller_of(scope) else None

    async def serve(self, scope: Scope, receive: Receive, send: Send, body_bytes: int = 0) -> None:
        """Serve one request. Raises Rejection for a stream or an end of no session."""
        if scope["method"] != "POST":
            self._check_session_request(scope)
        if identity := request_meta.caller_identity(scope):
            scope["user"] = AuthenticatedUser(AccessToken(token=identity, client_id=identity, scopes=[]))
        scope[_BODY_BYTES] = body_bytes
        session = read_fields(scope).get(_SESSION_FIELD)
        if session is None:
            await self._make_room(_caller_of(scope))
            await self._sdk.handle_request(scope, receive, self._note_session(scope, send))
            return
        with self._exchange(session):
            await self._sdk.handle_request(scope, receive, send)

    def _note_session(self, scope: Scope, send: Send) -> Send:
        """Return *send*, which remembers the session that a response opens."""

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                opened = dict(message["headers"]).get(_SESSION_FIELD.encode())
                if opened is not None and message["status"] < 400:
                    if len(self._opened) >= self._max_sessions:
                        self._forget_ended()
                    self._opened[opened.decode()] = _Session(_caller_of(scope))
            await send(message)

        return send_noted

    @contextmanager
    def _exchange(self, session: str) -> Iterator[None]:
        """Count a request or a stream of *session*, which is now the most recently used."""
        found = self._opened.pop(session, None)
        if found is None:
            yield
            return
        self._opened[session] = found
        found.exchanges += 1
        try:
            yield
        finally:
            found.exchanges -= 1

    async def _make_room(self, caller: str) -> None:
        """End an idle session of the caller with the most, if all are taken and *caller* has fewer."""
        if self.count() < self._max_sessions:
            return
        self._forget_ended()
        counts = Counter(found.caller for found in self._opened.values())
        greediest, most = counts.most_common(1)[0] if counts else ("", 0)
        if most <= counts[caller] + 1:
            return
        for session, found in self._opened.items():
            if found.caller == greediest and not found.exchanges and session not in self._running:
                await self._sdk._discard_session(session, self._transports[session])  # noqa: SLF001 - the SDK ends none
                return

    def _check_session_request(self, scope: Scope) -> None:
        """Raise Rejection for a stream or an end of no session, and for an unknown stream."""
        method, fields = scope["method"], read_fields(scope)
        if not _is_handshake(fields):
            versions = f"versions up to {HANDSHAKE_VERSIONS[-1]}"
            message = f"Use POST: a {method} belongs to a session, which only {versions} have."
            raise Rejection(405, message, headers={"Allow": "POST"})
        session, last_event_id = fields.get(_SESSION_FIELD), fields.get("last-event-id")
        if session is None:
            raise Rejection(400, f"{method} needs the header {SESSION_HEADER} that initialize returned.")
        events = self._sdk.events.get(session) if self._find_own(scope) else None  # for others it does not exist
        if last_event_id and events and not events.can_resume(last_event_id):
            raise Rejection(400, "The stream of that Last-Event-ID has ended long ago: send the request again.")

    def _forget_ended(self) -> None:
        self._opened = {session: found for session, found in self._opened.items() if session in self._transports}

    async def _limit_requests(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request unless others take too much. Raises MCPError."""
        if ctx.request is None or ctx.request_id is None or ctx.protocol_version not in HANDSHAKE_VERSIONS:
            return await call_next(ctx)
        ctx.request._body = b""  # noqa: SLF001 - the SDK has read the body, and holds the request until its response
        session = ctx.request.headers.get(SESSION_HEADER)
        with self._run(session, ctx.request.scope) if session else nullcontext(), self._limit_stream(session, ctx):
            return await call_next(ctx)

    @contextmanager
    def _limit_stream(self, session: str | None, ctx: ServerRequestContext[Any, Any]) -> Iterator[None]:
        """End the stream of a request after its time, if the client can resume it."""
        if session is None or not self._max_stream_s or ctx.close_sse_stream is None:
            yield
            return
        transport = self._transports[session]
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._max_stream_s, transport.close_sse_stream, str(ctx.request_id))
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def _run(self, session: str, scope: Scope) -> Iterator[None]:
        """Count a running request of *session*. Raises MCPError beyond a limit."""
        if self._running[session] >= _MAX_REQUESTS:
            message = f"A session has at most {_MAX_REQUESTS} requests at once: wait for a response, or cancel one."
            raise MCPError(types.INVALID_REQUEST, message)
        size = scope[_BODY_BYTES] + _REQUEST_BYTES
        owners: tuple[tuple[_Owner, str], ...] = (
            ("session", session),
            ("caller", _caller_of(scope)),
            ("server", ""),
        )
        for owner in owners:
            limit = _MAX_BODIES[owner[0]] * (self._max_body_bytes + _REQUEST_BYTES)
            if self._bytes[owner] + size > limit:
                message = (
                    f"The running requests of this {owner[0]} would take more than {limit} bytes: wait for a response."
                )
                raise MCPError(types.INVALID_REQUEST, message)
        self._running[session] += 1
        self._bytes.update(dict.fromkeys(owners, size))
        try:
            yield
        finally:
            self._running -= Counter([session])
            self._bytes -= Counter(dict.fromkeys(owners, size))


def _caller_of(scope: Scope) -> str:
    """Return the proven identity of the caller, or else its address."""
    return request_meta.caller_identity(scope) or (scope["client"] or [""])[0]


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


def _is_handshake(fields: Fields) -> bool:
    """Return whether a request is of the handshake era; its first clients sent no version."""
    version = fields.get("mcp-protocol-version")
    return version is None or version in HANDSHAKE_VERSIONS
