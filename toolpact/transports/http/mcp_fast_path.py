"""What nearly every request to `/mcp` is, answered without the SDK; in both eras a request is a whole exchange."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send

from toolpact.call.pipeline import Pipeline
from toolpact.timing.deadline import DeadlineTask
from toolpact.transports.http import headers as http_fields
from toolpact.transports.http.body import ClientGone, departure
from toolpact.transports.http.disconnect import Hearing
from toolpact.transports.http.headers import Fields
from toolpact.transports.mcp import jsonrpc, request_shapes
from toolpact.transports.mcp.fast_path import (
    HANDSHAKE_VERSIONS,
    HandshakeFastPath,
    OnResult,
    ResultOrTask,
    StatelessFastPath,
)
from toolpact.transports.mcp.jsonrpc import ProtocolError
from toolpact.transports.mcp.requests import Caller, NeedsSdk, Request, parse_request

_ACCEPT = ("application/json", "text/event-stream")
_JUDGED = {"accept", "mcp-protocol-version", "mcp-method", "mcp-name"}
"""Headers that say what a request is: none may come twice."""
_STATUS = {jsonrpc.METHOD_NOT_FOUND: 404, jsonrpc.INVALID_PARAMS: 400}
"""The HTTP status of an error in the stateless era."""
_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
_QUIET_S = 15.0
"""Seconds of silence after which a proxy may think that nobody is there."""


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One request, and where its answer goes."""

    request: Request
    """The request."""
    stateless: bool
    """Whether it is of the stateless era."""
    receive: Receive
    """Says when the client is gone."""
    send: Send
    """Takes the answer."""


class HttpFront:
    """Answers for one server."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._handshake = HandshakeFastPath(pipeline)
        self._stateless = StatelessFastPath(pipeline)
        tools = pipeline.server.tools
        self._mirrored = any(b'"x-mcp-header"' in orjson.dumps(tool.parameters) for tool in tools)

    async def answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> bool:
        """Answer the request that *body* is; return whether it was answered. What was not is left to the SDK.

        Raises ClientGone where nobody waits for the answer any more.
        """
        fields = http_fields.of(scope)
        try:
            request = parse_request(orjson.loads(body))
            exchange = _Exchange(request, self._is_stateless(fields, request), receive, send)
        except (NeedsSdk, orjson.JSONDecodeError):
            return False
        hearing = Hearing[bytes]()
        try:
            result = self._result(exchange, Caller(headers=fields), hearing.hear)
        except NeedsSdk:
            return False
        except ProtocolError as error:
            await _refuse(exchange, error)
            return True
        if isinstance(result, bytes):
            await _answer(exchange, result)
        else:
            await _answer_later(exchange, result, hearing)
        return True

    def _is_stateless(self, fields: Fields, request: Request) -> bool:
        """Return whether *request* is of the stateless era. Raises NeedsSdk for one whose headers are unusual."""
        accepted = fields.get("accept", "")
        if fields.repeated & _JUDGED or not all(kind in accepted for kind in _ACCEPT):
            raise NeedsSdk
        version = fields.get("mcp-protocol-version")
        if version is None or version in HANDSHAKE_VERSIONS:
            return False
        if version != request_shapes.STATELESS_VERSION or fields.get("mcp-method") != request.method:
            raise NeedsSdk
        if request.method == "tools/call" and fields.get("mcp-name") != request.params.get("name"):
            raise NeedsSdk
        if self._is_mirrored(fields):
            raise NeedsSdk
        return True

    def _is_mirrored(self, fields: Fields) -> bool:
        """Return whether headers repeat arguments, or should: the SDK then compares them."""
        return self._mirrored or any(name.startswith("mcp-param-") for name in fields)

    def _result(self, exchange: _Exchange, asker: Caller, hear: OnResult) -> ResultOrTask:
        request = exchange.request
        if exchange.stateless:
            return self._stateless.answer(request, asker, hear)
        if request.method == "initialize":
            return self._handshake.initialize(request)[0]
        return self._handshake.answer(request, asker, hear)


async def _refuse(exchange: _Exchange, error: ProtocolError) -> None:
    status = _STATUS[error.code] if exchange.stateless else 200
    await _send(exchange, status, error.to_response(exchange.request.id))


async def _answer(exchange: _Exchange, result: bytes) -> None:
    await _send(exchange, 200, jsonrpc.result_response(exchange.request.id, result))


async def _send(exchange: _Exchange, status: int, message: bytes) -> None:
    """Send an answer as its era has it: JSON, or a stream of one event."""
    if exchange.stateless:
        length = str(len(message)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        await exchange.send({"type": "http.response.start", "status": status, "headers": headers})
        await exchange.send({"type": "http.response.body", "body": message})
        return
    event = _event(message)
    headers = [*_STREAM, (b"content-length", str(len(event)).encode())]
    await exchange.send({"type": "http.response.start", "status": status, "headers": headers})
    await exchange.send({"type": "http.response.body", "body": event})


async def _answer_later(exchange: _Exchange, work: DeadlineTask[Any], hearing: Hearing[bytes]) -> None:
    """Send what *work* makes; where that takes long, a stream that shows meanwhile that somebody is at work.

    Raises ClientGone, once the call is given up.
    """
    try:
        if await hearing.soon():
            await _answer(exchange, hearing.answer.result())
        else:
            await _watched(exchange, hearing.answer)
    finally:
        work.abandon()


async def _watched(exchange: _Exchange, call: asyncio.Future[bytes]) -> None:
    """Send the answer when *call* is done, while somebody waits for it. Raises ClientGone."""
    gone = asyncio.ensure_future(departure(exchange.receive))
    try:
        await asyncio.wait((call, gone), timeout=_QUIET_S, return_when=asyncio.FIRST_COMPLETED)
        if call.done():
            await _answer(exchange, call.result())
        elif not gone.done():
            await _stream(exchange, call, gone)
        if gone.done() and not call.done():
            raise ClientGone
    finally:
        gone.cancel()


async def _stream(exchange: _Exchange, call: asyncio.Future[bytes], gone: asyncio.Future[None]) -> None:
    """Send comments until *call* is done, and then its answer, unless the client is *gone*."""
    await exchange.send({"type": "http.response.start", "status": 200, "headers": _STREAM})
    while not call.done() and not gone.done():
        await exchange.send({"type": "http.response.body", "body": b": ping\r\n\r\n", "more_body": True})
        await asyncio.wait((call, gone), timeout=_QUIET_S, return_when=asyncio.FIRST_COMPLETED)
    if call.done():
        event = _event(jsonrpc.result_response(exchange.request.id, call.result()))
        await exchange.send({"type": "http.response.body", "body": event})


def _event(message: bytes) -> bytes:
    return b"event: message\r\ndata: %b\r\n\r\n" % message
