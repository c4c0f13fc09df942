"""Fast path of `POST /mcp`: answers common requests of both eras without the SDK."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from starlette.types import Receive, Scope, Send

from toolaccord.call.pipeline import Pipeline
from toolaccord.timing.deadline import DeadlineTask
from toolaccord.transports.http.disconnect import ClientDisconnected, PendingAnswer, wait_for_disconnect
from toolaccord.transports.http.header_fields import Fields, read_fields
from toolaccord.transports.mcp import jsonrpc, request_meta, request_shapes
from toolaccord.transports.mcp.apps import is_view_host
from toolaccord.transports.mcp.fast_path import HANDSHAKE_VERSIONS, HandshakeFastPath, StatelessFastPath
from toolaccord.transports.mcp.jsonrpc import ProtocolError
from toolaccord.transports.mcp.requests import Client, NeedsSdk, OnResult, Outcome, Request, ResultOrTask, parse_request

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls

_MEDIA_TYPES = ("application/json", "text/event-stream")
_SINGLE_HEADERS = {"accept", "mcp-protocol-version", "mcp-method", "mcp-name"}
"""Headers that decide how a request is answered; the SDK answers a request that repeats one."""
_STATELESS_ERROR_STATUS = {
    jsonrpc.METHOD_NOT_FOUND: 404,
    jsonrpc.INVALID_PARAMS: 400,
    jsonrpc.MISSING_CAPABILITY: 400,
    jsonrpc.INTERNAL_ERROR: 200,
}
"""The HTTP status of an error in the stateless era."""
_STREAM_HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
_PING_INTERVAL_S = 15.0
"""Seconds of silence after which a proxy may close a connection."""


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A request, and the functions that receive and send for it."""

    request: Request
    """The request."""
    is_stateless: bool
    """True in the stateless era."""
    receive: Receive
    """Receives a disconnect."""
    send: Send
    """Sends the response."""


class HttpFastPath:
    """Answers common requests to one server."""

    def __init__(self, pipeline: Pipeline, tasks: TaskCalls | None = None) -> None:
        self.handshake = HandshakeFastPath(pipeline, tasks)
        """Answers requests of the handshake era."""
        self._stateless = StatelessFastPath(pipeline, tasks)
        self._header_tools = frozenset(
            tool.name for tool in pipeline.server.tools if b'"x-mcp-header"' in orjson.dumps(tool.parameters)
        )
        """Tools with arguments that headers repeat."""

    async def answer(self, scope: Scope, message: Any, receive: Receive, send: Send) -> bool:
        """Answer the request *message*, a JSON value; return False if the SDK must answer it.

        Raises ClientDisconnected.
        """
        fields = read_fields(scope)
        try:
            request = parse_request(message)
            exchange = _Exchange(request, self._is_stateless(fields, request), receive, send)
        except NeedsSdk:
            return False
        pending = PendingAnswer[Outcome]()
        try:
            proven = request_meta.proven_caller(scope)
            client = Client(
                headers=fields,
                identity=proven.identity if proven else "",
                proven=proven,
                shows_views=is_view_host(fields),
            )
            started = self._start(exchange, client, pending.deliver)
        except NeedsSdk:
            return False
        except ProtocolError as error:
            await _send_outcome(exchange, error)
            return True
        if isinstance(started, bytes):
            await _send_outcome(exchange, started)
        else:
            await _send_when_done(exchange, started, pending)
        return True

    def _is_stateless(self, fields: Fields, request: Request) -> bool:
        """Return whether *request* is of the stateless era. Raises NeedsSdk for uncommon headers."""
        accept = fields.get("accept", "")
        if fields.repeated & _SINGLE_HEADERS or not all(media_type in accept for media_type in _MEDIA_TYPES):
            raise NeedsSdk
        version = fields.get("mcp-protocol-version")
        if version is None or version in HANDSHAKE_VERSIONS:
            return False
        if version != request_shapes.STATELESS_VERSION or fields.get("mcp-method") != request.method:
            raise NeedsSdk
        if request.method == "tools/call":
            name = request.params.get("name")
            if fields.get("mcp-name") != name or name in self._header_tools:
                raise NeedsSdk
        if any(name.startswith("mcp-param-") for name in fields):
            raise NeedsSdk  # the SDK compares these headers with the arguments
        return True

    def _start(self, exchange: _Exchange, client: Client, on_result: OnResult) -> ResultOrTask:
        request = exchange.request
        if exchange.is_stateless:
            return self._stateless.answer(request, client, on_result)
        if request.method == "initialize":
            return self.handshake.initialize(request)[0]
        return self.handshake.answer(request, client, on_result)


async def _send_outcome(exchange: _Exchange, outcome: Outcome) -> None:
    """Send a response: JSON in the stateless era, else a stream of one event."""
    status, message = 200, jsonrpc.response(exchange.request.id, outcome)
    if exchange.is_stateless and not isinstance(outcome, bytes):
        status = _STATELESS_ERROR_STATUS[outcome.code]
    headers = [(b"content-type", b"application/json")] if exchange.is_stateless else _STREAM_HEADERS
    body = message if exchange.is_stateless else _encode_event(message)
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await exchange.send({"type": "http.response.start", "status": status, "headers": headers})
    await exchange.send({"type": "http.response.body", "body": body})


async def _send_when_done(exchange: _Exchange, task: DeadlineTask[Any], pending: PendingAnswer[Outcome]) -> None:
    """Send the result of *task*. Raises ClientDisconnected after abandoning the call."""
    try:
        if await pending.wait_briefly():
            await _send_outcome(exchange, pending.future.result())
        else:
            await _send_while_connected(exchange, pending.future)
    finally:
        task.abandon()


async def _send_while_connected(exchange: _Exchange, result: asyncio.Future[Outcome]) -> None:
    """Send *result*; after 15 s without it, in a stream. Raises ClientDisconnected."""
    disconnect = asyncio.ensure_future(wait_for_disconnect(exchange.receive))
    try:
        await asyncio.wait((result, disconnect), timeout=_PING_INTERVAL_S, return_when=asyncio.FIRST_COMPLETED)
        if result.done():
            await _send_outcome(exchange, result.result())
        elif not disconnect.done():
            await _stream(exchange, result, disconnect)
        if disconnect.done() and not result.done():
            raise ClientDisconnected
    finally:
        disconnect.cancel()


async def _stream(exchange: _Exchange, result: asyncio.Future[Outcome], disconnect: asyncio.Future[None]) -> None:
    """Send comments until *result* is there, and then its event; stop after *disconnect*."""
    await exchange.send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
    while not result.done() and not disconnect.done():
        await exchange.send({"type": "http.response.body", "body": b": ping\r\n\r\n", "more_body": True})
        await asyncio.wait((result, disconnect), timeout=_PING_INTERVAL_S, return_when=asyncio.FIRST_COMPLETED)
    if result.done():
        event = _encode_event(jsonrpc.response(exchange.request.id, result.result()))
        await exchange.send({"type": "http.response.body", "body": event})


def _encode_event(message: bytes) -> bytes:
    return b"event: message\r\ndata: %b\r\n\r\n" % message
