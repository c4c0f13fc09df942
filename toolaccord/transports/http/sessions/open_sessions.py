"""Sessions of the handshake era over HTTP, for servers whose contract needs them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server as McpServer
from mcp.server.streamable_http import check_accept_headers
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from toolaccord.config.session_settings import SessionLimits
from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject, encode_json
from toolaccord.resources.changes import Changes
from toolaccord.sources.availability import report_failure
from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.header_fields import Fields, read_fields
from toolaccord.transports.http.sessions.asks import Asks, process_of
from toolaccord.transports.http.sessions.exchange import Exchange
from toolaccord.transports.http.sessions.live import NO_REQUESTS, LiveSession
from toolaccord.transports.http.sessions.requests import Posted, SessionRequests
from toolaccord.transports.http.sessions.responses import (
    Outbox,
    ResponseStream,
    acknowledge,
    deliver,
    encode,
    replay,
    send_whole,
)
from toolaccord.transports.http.sessions.running_requests import RunningRequests
from toolaccord.transports.http.sessions.store import Change, Message, Session, SessionStore
from toolaccord.transports.http.sse import is_standalone
from toolaccord.transports.mcp import jsonrpc, request_meta
from toolaccord.transports.mcp.fast_path import HANDSHAKE_VERSIONS, HandshakeFastPath

SESSION_HEADER = "Mcp-Session-Id"
_SESSION_FIELD = SESSION_HEADER.lower()
_MAX_PARAMS_BYTES = 64 * 1024
"""Bytes of `initialize` that a session keeps."""
_PARAMS = ("protocolVersion", "capabilities", "clientInfo")


class Sessions:
    """The sessions that one process serves.

    `initialize` opens a session; each request that names it belongs to it. A session ends with `DELETE`, or after its
    idle time. Only the caller who opened it may use it: to others it does not exist.
    """

    def __init__(
        self,
        mcp_server: McpServer[Any],
        store: SessionStore,
        limits: SessionLimits,
        max_body_bytes: int,
        changes: Changes,
        fast_path: HandshakeFastPath | None = None,
    ) -> None:
        """Without a *fast_path*, the SDK answers every request."""
        self.source = store.source
        """The system that keeps the sessions; None for the memory of this process."""
        self._store = store
        self._limits = limits
        self._changes = changes
        self._requests = SessionRequests(mcp_server, fast_path, store, RunningRequests(max_body_bytes), self._leave)
        self._live: dict[str, LiveSession] = {}
        self._unreported: dict[str, None] = {}
        """URIs of changed resources of which the other processes do not know yet."""
        self._reporting: asyncio.Task[None] | None = None

    def count(self) -> int:
        """Return the number of open sessions; of those in use here if other processes serve them."""
        return self._store.count()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve sessions within the context; it may be entered once."""
        await self._store.open(self)
        if self._store.is_shared:
            self._changes.relay = self._relay
        try:
            yield
        finally:
            for live in [*self._live.values()]:
                live.end(lambda exchange: jsonrpc.stopping_response(exchange.request_id))
            await self._requests.wait()
            await self._store.close()

    def owns(self, scope: Scope, message: Any) -> bool:
        """Return whether the posted *message*, a JSON value, opens a session or belongs to one."""
        fields = read_fields(scope)
        return _is_handshake(fields) and (_SESSION_FIELD in fields or _is_initialize(message))

    async def demand(self, scope: Scope) -> frozenset[str]:
        """Return the scopes that a stream of a session needs. Raises Rejection."""
        session_id = read_fields(scope).get(_SESSION_FIELD)
        if session_id is None or scope["method"] != "GET":
            return frozenset()
        with _declared():
            session = await self._store.find(session_id, _caller_of(scope))
        return session.scopes if session else frozenset()

    async def serve_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the stream or the end of a session. Raises Rejection."""
        fields, method = read_fields(scope), scope["method"]
        if not _is_handshake(fields):
            versions = f"versions up to {HANDSHAKE_VERSIONS[-1]}"
            message = f"Use POST: a {method} belongs to a session, which only {versions} have."
            raise Rejection(405, message, headers={"Allow": "POST"})
        if _SESSION_FIELD not in fields:
            raise Rejection(400, f"{method} needs the header {SESSION_HEADER} that initialize returned.")
        with self._using(await self._find(scope)) as live:
            if method == "DELETE":
                with _declared():
                    await self._store.delete(live.session.id)
                await acknowledge(200, live.session.id, send)
            elif not check_accept_headers(Request(scope))[1]:
                raise Rejection(406, "Send the header Accept: text/event-stream.")
            elif is_standalone(fields):
                await self._listen(live, scope, receive, send)
            else:
                await self._resume(live, fields["last-event-id"], scope, receive, send)

    async def serve(
        self, scope: Scope, receive: Receive, send: Send, posted: Posted, needed: frozenset[str] = frozenset()
    ) -> None:
        """Serve a posted message, which needs some scopes. Raises Rejection."""
        if _SESSION_FIELD not in read_fields(scope):
            await self._initialize(scope, send, posted)
            return
        with self._using(await self._find(scope)) as live:
            if not needed <= live.session.scopes:
                with _declared():
                    live.update(await self._store.change(live.session, Change.scopes(needed)))
            if _is_initialize(posted.message):
                await self._initialize(scope, send, posted, live)
                return
            if posted.message.keys() >= {"id", "method"}:
                await self._requests.answer(live, scope, receive, send, posted, self._limits.max_stream_s)
                return
            with _declared():
                await self._take(live, posted.read())
            await acknowledge(202, live.session.id, send)

    def is_busy(self, session_id: str) -> bool:
        """Return whether a session has running requests or open streams here."""
        return session_id in self._live and self._live[session_id].is_busy

    def busy_sessions(self) -> Collection[str]:
        """Return the ids of the sessions with running requests or open streams here."""
        return [session_id for session_id, live in self._live.items() if live.is_busy]

    def end(self, session_id: str) -> None:
        """End all of a session that is no longer kept."""
        if live := self._live.pop(session_id, None):
            live.end()

    async def heed(self, message: Message) -> None:
        """Do what another process has asked for. Raises SourceError."""
        live = self._live.get(message.session)
        if live is None:
            return
        if message.kind == "response":
            live.asks.resolve(message.value)
        elif message.kind == "cancelled":
            live.cancel(message.value)
        elif message.kind == "listening":
            live.end_standalone()
        elif message.kind == "changed" and (session := await self._store.find(message.session, live.session.caller)):
            live.update(session)
        elif message.kind in {"changed", "ended"}:
            self.end(message.session)

    def hear(self, uri: str) -> None:
        """Tell clients of a resource that was changed by another process."""
        self._changes.hear(uri)

    async def _find(self, scope: Scope) -> LiveSession:
        """Return the session of a request. Raises Rejection."""
        session_id = read_fields(scope)[_SESSION_FIELD]
        with _declared():
            session = await self._store.find(session_id, _caller_of(scope))
        if session is None:
            raise Rejection(404, "Session not found")
        live = self._live.get(session_id)
        if live is None:
            live = self._live[session_id] = LiveSession(session, self._store, self._changes)
        elif live.session is not session:
            live.update(session)
        return live

    @contextmanager
    def _using(self, live: LiveSession) -> Iterator[LiveSession]:
        """Count a response of a session."""
        live.connections += 1
        try:
            yield live
        finally:
            live.connections -= 1
            self._leave(live)

    def _leave(self, live: LiveSession) -> None:
        """Note that a request or a response has ended."""
        self._store.touch(live.session.id)
        if self._store.is_shared and not live.is_busy and self._live.get(live.session.id) is live:
            del self._live[live.session.id]
            live.end()

    async def _initialize(self, scope: Scope, send: Send, posted: Posted, live: LiveSession | None = None) -> None:
        """Open a session, or begin a live one anew. Raises Rejection if all are taken."""
        message = posted.message
        params = encode_json({name: message["params"][name] for name in _PARAMS}).decode()
        if len(params) > _MAX_PARAMS_BYTES:
            raise Rejection(400, f"A session keeps at most {_MAX_PARAMS_BYTES} bytes of initialize: send less.")
        session_id = live.session.id if live else uuid.uuid4().hex
        connection = Connection.for_loop(NO_REQUESTS)
        stream = ResponseStream(self._store, session_id, message["id"])
        exchange = Exchange(message["id"], stream, Asks(self._store.process))
        exchange.prepare(Request(scope), None)
        response = await self._requests.run_sdk(exchange, connection, "initialize", message["params"])
        assert response
        if connection.client_params is not None:
            fields = {"params": params, "version": connection.protocol_version}
            with _declared():
                if live:
                    live.update(await self._store.change(live.session, Change(fields)))
                elif not await self._store.create(Session(id=session_id, caller=_caller_of(scope), fields=fields)):
                    raise Rejection(503, "Too many open sessions", occasion="internal")
        await send_whole(encode(response), session_id, send)

    async def _take(self, live: LiveSession, message: JsonObject) -> None:
        """Take a response or a notification, or pass it on to other processes. Raises SourceError."""
        session_id = live.session.id
        if "method" not in message:
            process = process_of(message.get("id"))
            if process == self._store.process:
                live.asks.resolve(message)
            elif process is not None:
                await self._store.tell(Message(session_id, "response", message), process)
        elif message["method"] == "notifications/cancelled":
            request_id = (message.get("params") or {}).get("requestId")
            live.cancel(request_id)
            await self._store.tell(Message(session_id, "cancelled", request_id))

    async def _listen(self, live: LiveSession, scope: Scope, receive: Receive, send: Send) -> None:
        """Send changes of resources until the client or another such stream ends this one."""
        outbox = live.listen()
        try:
            with _declared():
                await self._store.tell(Message(live.session.id, "listening"))
            await deliver(outbox, scope, receive, send)
        finally:
            live.end_standalone(outbox)

    async def _resume(self, live: LiveSession, event_id: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events of a stream after one of them. Raises Rejection for an unknown stream."""
        session_id = live.session.id
        with _declared():
            if not await self._store.can_resume(session_id, event_id):
                raise Rejection(400, "The stream of that Last-Event-ID has ended long ago: send the request again.")
        outbox = Outbox()
        replaying = asyncio.create_task(replay(self._store.follow(session_id, event_id), outbox))
        try:
            await deliver(outbox, scope, receive, send, max_s=self._limits.max_stream_s)
        finally:
            replaying.cancel()

    def _relay(self, uri: str) -> None:
        """Tell the other processes soon that a resource has changed."""
        self._unreported[uri] = None
        if self._reporting is None or self._reporting.done():
            self._reporting = asyncio.create_task(self._report())

    async def _report(self) -> None:
        while self._unreported:
            uri = next(iter(self._unreported))
            del self._unreported[uri]
            try:
                await self._store.report(uri)
            except SourceError as error:  # the changes of resources are not promised to those elsewhere
                report_failure(error)


@contextmanager
def _declared() -> Iterator[None]:
    """Raise Rejection if the store does not answer."""
    try:
        yield
    except SourceError as error:
        report_failure(error)
        message = "The store of sessions does not answer: try again later."
        raise Rejection(503, message, occasion="internal", headers={"Retry-After": "1"}) from None


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
