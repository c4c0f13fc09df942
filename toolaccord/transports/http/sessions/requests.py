"""Requests in sessions, which the fast path or the SDK answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

import pydantic_core
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server as McpServer
from mcp.server.runner import ServerRunner, modern_error_data
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from toolaccord.json_values import JsonObject, encode_json
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.http.sessions.exchange import Exchange
from toolaccord.transports.http.sessions.live import LiveSession
from toolaccord.transports.http.sessions.responses import ResponseStream, encode, respond, send_whole
from toolaccord.transports.http.sessions.running_requests import RunningRequests, Share
from toolaccord.transports.http.sessions.store import SessionStore
from toolaccord.transports.mcp import jsonrpc, request_meta
from toolaccord.transports.mcp.fast_path import HANDSHAKE_VERSIONS, HandshakeFastPath
from toolaccord.transports.mcp.jsonrpc import ProtocolError
from toolaccord.transports.mcp.requests import Client, NeedsSdk, OnResult, Outcome, ResultOrTask, parse_request

_RESUMABLE_VERSION = HANDSHAKE_VERSIONS[-1]
"""The first version whose clients can resume a stream before its first message."""
_STOP_S = 1.0
"""Seconds in which running requests end when the server stops."""


class Posted:
    """A message that a client has posted; nothing else holds its text, so it can be dropped."""

    __slots__ = ("_body", "_message", "size")

    def __init__(self, body: bytes, message: Any) -> None:
        """*message* is the JSON value of *body*; None if only the SDK can read it."""
        self._body = body
        self._message = message
        self.size = len(body)
        """Bytes of the message."""

    @property
    def message(self) -> JsonObject:
        """Return the message."""
        if self._message is None:
            self._message = self.read()
        message: JsonObject = self._message
        return message

    def read(self) -> JsonObject:
        """Return the message as the SDK reads it."""
        message: JsonObject = pydantic_core.from_json(self._body)
        return message

    def drop(self) -> None:
        """Forget the message."""
        self._body, self._message = b"", None


async def _do_nothing() -> None:
    """Do nothing."""


class SessionRequests:
    """The requests that run in the sessions of a process."""

    def __init__(
        self,
        mcp_server: McpServer[Any],
        fast_path: HandshakeFastPath | None,
        store: SessionStore,
        running: RunningRequests,
        leave: Callable[[LiveSession], None],
    ) -> None:
        """*leave* is called with the session of each request that has ended."""
        self._mcp_server = mcp_server
        self._fast_path = fast_path
        self._store = store
        self._running = running
        self._leave = leave
        self._tasks: set[asyncio.Task[None]] = set()

    async def answer(
        self, live: LiveSession, scope: Scope, receive: Receive, send: Send, posted: Posted, max_stream_s: float
    ) -> None:
        """Answer a request, which runs on if its client disconnects."""
        session_id, request_id = live.session.id, posted.message["id"]
        try:
            share = self._running.take(session_id, live.session.caller, posted.size)
        except ProtocolError as error:
            await send_whole(encode(error.to_response(request_id)), session_id, send)
            return
        exchange = Exchange(request_id, ResponseStream(self._store, session_id, request_id), live.asks)
        live.begin(exchange)
        text = self._start(live, exchange, share, scope, posted)
        posted.drop()
        if text is not None:
            self._end(live, exchange, share)
            await send_whole(encode(text), session_id, send)
            return
        is_resumable = read_fields(scope).get("mcp-protocol-version", "") >= _RESUMABLE_VERSION
        await respond(exchange.stream, scope, receive, send, max_s=max_stream_s if is_resumable else None)

    async def run_sdk(
        self,
        exchange: Exchange,
        connection: Connection,
        method: str,
        params: Mapping[str, Any] | None,
        then: Callable[[], Awaitable[None]] = _do_nothing,
    ) -> bytes | None:
        """Return the response of the SDK to a request, and do what is to be done *then*.

        Return that of its end by force if it is cancelled.
        """
        try:
            result = await ServerRunner(self._mcp_server, connection, {}).on_request(exchange, method, params)
            await then()
        except asyncio.CancelledError:
            await exchange.take_back_questions()
            return exchange.ending
        except Exception as error:
            data = modern_error_data(error)
            return jsonrpc.error_response(exchange.request_id, data.code, data.message, data.data)
        return encode_json({"jsonrpc": "2.0", "id": exchange.request_id, "result": result})

    async def wait(self) -> None:
        """Wait shortly for the requests that were stopped."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_STOP_S)

    def _start(self, live: LiveSession, exchange: Exchange, share: Share, scope: Scope, posted: Posted) -> bytes | None:
        """Start a request; return its response if it is there at once."""

        def on_result(outcome: Outcome | None) -> None:
            text = exchange.ending if outcome is None else jsonrpc.response(exchange.request_id, outcome)
            self._spawn(self._finish(live, exchange, share, text))

        try:
            started = self._start_fast(live, scope, posted, on_result)
        except ProtocolError as error:
            return error.to_response(exchange.request_id)
        except NeedsSdk:
            message = posted.read()
            exchange.prepare(Request(scope), message.get("params"))
            running = self._run(live, exchange, share, message["method"], message.get("params"))
            exchange.run(self._spawn(running))
            return None
        if isinstance(started, bytes):
            return jsonrpc.response(exchange.request_id, started)
        exchange.run(started.abandon)
        return None

    def _start_fast(self, live: LiveSession, scope: Scope, posted: Posted, on_result: OnResult) -> ResultOrTask:
        """Answer a request by the fast path. Raises NeedsSdk and ProtocolError."""
        if self._fast_path is None:
            raise NeedsSdk
        return self._fast_path.answer(parse_request(posted.message), _client_of(live, scope), on_result)

    async def _run(
        self, live: LiveSession, exchange: Exchange, share: Share, method: str, params: Mapping[str, Any] | None
    ) -> None:
        """Let the SDK answer a request."""
        text = await self.run_sdk(exchange, live.connection(), method, params, live.keep_level)
        await self._finish(live, exchange, share, text)

    async def _finish(self, live: LiveSession, exchange: Exchange, share: Share, text: bytes | None) -> None:
        try:
            await exchange.stream.finish(text)
        finally:
            self._end(live, exchange, share)

    def _end(self, live: LiveSession, exchange: Exchange, share: Share) -> None:
        self._running.give_back(share)
        live.finish(exchange)
        self._leave(live)

    def _spawn(self, running: Coroutine[Any, Any, None]) -> Callable[[], object]:
        """Start something in a task; return what cancels it."""
        task = asyncio.create_task(running)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task.cancel


def _client_of(live: LiveSession, scope: Scope) -> Client:
    proven = request_meta.proven_caller(scope)
    return Client(
        name=live.client_name,
        headers=read_fields(scope),
        identity=proven.identity if proven else "",
        proven=proven,
        shows_views=live.shows_views,
    )
