"""Limits of a connection: time for the head of a request, and bytes beside bodies."""

from __future__ import annotations

import asyncio
import re
from contextvars import ContextVar
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from toolpact.transports.http.headers import Fields, read_fields, trim_values

_READ_BYTES = 16_384
"""Bytes read at a time, between which other connections have their turn."""
_CREDIT_BYTES = 131_072
"""Bytes that a connection may send ahead: heads, framing of chunks, waiting requests."""
_REQUEST_CREDIT_BYTES = 512
"""Bytes of credit that each request returns beside its head: white space, trailers."""
_BODY_CREDIT_FACTOR = 2
"""Bytes of credit that each byte of a body returns: chunks may double its size."""
_HEAD_END = b"\r\n\r\n"
_UPGRADE = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)


class LimitedConnection(asyncio.BufferedProtocol):
    """A connection to uvicorn's protocol, aborted when it exceeds its limits.

    uvicorn and its parser limit neither the size of a head nor the time it takes. They queue any number of requests,
    and call back for each chunk, however small. This class uses only asyncio's protocol interface. `RequestReporter`
    reports requests and their bodies to it.
    """

    def __init__(self, head_timeout_s: float, *, read_bytes: int = _READ_BYTES, **uvicorn_arguments: Any) -> None:
        self._protocol = HttpToolsProtocol(**uvicorn_arguments)
        self._head_timeout_s = head_timeout_s
        self._transport: asyncio.Transport
        self._buffer = memoryview(bytearray(read_bytes))
        self._credit = _CREDIT_BYTES
        self._head = _HeadBuffer()
        self._is_serving = False
        self._abort_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._protocol.connection_made(transport)
        self._start_abort_timer()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio has no opinion: it is -1
        """Return the buffer for the next piece."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Parse the *nbytes* bytes in the buffer."""
        if self._credit < 0:
            self._transport.abort()
            return
        self._credit -= nbytes
        data = bytes(self._buffer[:nbytes])
        if not self._is_serving:
            data = self._head.add(data)
            if self._abort_timer is None:
                self._start_abort_timer()
        token = _CURRENT.set(self)
        try:
            self._protocol.data_received(data)
        finally:
            _CURRENT.reset(token)

    def eof_received(self) -> None:
        """Pass on the end of the client's data."""
        self._protocol.eof_received()

    def pause_writing(self) -> None:
        """Hold responses back from a client that reads slowly."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """Continue with responses."""
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_abort_timer()
        self._protocol.connection_lost(exc)

    def on_request(self, head_bytes: int) -> None:
        """Note that the application serves a request with a head of *head_bytes* bytes."""
        self._is_serving = True
        self._return_credit(_REQUEST_CREDIT_BYTES + head_bytes)
        self._stop_abort_timer()

    def on_body(self, part: bytes) -> None:
        """Note a *part* of a body."""
        self._return_credit(_BODY_CREDIT_FACTOR * len(part))

    def on_response_end(self) -> None:
        """Note that the next data belong to the head of a request."""
        self._is_serving = False

    def close(self) -> None:
        """Close the connection after sending what is buffered."""
        self._transport.close()

    def _return_credit(self, size: int) -> None:
        self._credit = min(self._credit + size, _CREDIT_BYTES)

    def _start_abort_timer(self) -> None:
        self._abort_timer = asyncio.get_running_loop().call_later(self._head_timeout_s, self._transport.abort)

    def _stop_abort_timer(self) -> None:
        if self._abort_timer is not None:
            self._abort_timer.cancel()
            self._abort_timer = None


class _HeadBuffer:
    """Buffer of header fields that removes offers of another protocol from a whole head.

    Java's client offers HTTP/2 with `Upgrade: h2c` (RFC 9110, 7.8). The parser takes the body after such a head for the
    other protocol, but uvicorn serves the request without it. A server may ignore the offer.
    """

    def __init__(self) -> None:
        self._held = bytearray()

    def add(self, data: bytes) -> bytes:
        """Return the bytes to parse now: a request line at once, header fields when all are there."""
        if not self._held:
            if _HEAD_END in data:
                return _remove_upgrade(data)
            line, separator, rest = data.partition(b"\r")
            self._held += separator + rest
            return line
        self._held += data
        if self._held.find(_HEAD_END, -len(data) - len(_HEAD_END) + 1) < 0:
            return b""
        whole = bytes(self._held)
        self._held.clear()
        return _remove_upgrade(whole)


def _remove_upgrade(data: bytes) -> bytes:
    """Return *data*, which start with a head, without the header Upgrade."""
    if not _UPGRADE.search(data):
        return data
    head, end, rest = data.partition(_HEAD_END)
    return _UPGRADE.sub(b"", head) + end + rest


_CURRENT: ContextVar[LimitedConnection] = ContextVar("connection")
"""The connection whose data are parsed; the tasks that serve its requests inherit it."""


class RequestReporter:
    """Middleware that reports requests to their connection, trims header values and discards unread bodies.

    A client that still sends when its connection closes may never see the response. So the rest of a body is read, until
    *body_timeout_s* seconds after the head.
    """

    def __init__(self, app: ASGIApp, body_timeout_s: float) -> None:
        self._app = app
        self._body_timeout_s = body_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        connection = _CURRENT.get(None)
        if connection is None:  # called in process, for example by a test
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._body_timeout_s
        connection.on_request(_head_bytes(scope))
        scope["headers"] = trim_values(scope["headers"])
        exchange = _Exchange(connection, read_fields(scope), receive, send)
        await self._app(scope, exchange.receive, exchange.send)
        if exchange.is_end_delayed:
            await exchange.discard_rest(deadline)


class _Exchange:
    """One request and its response."""

    def __init__(self, connection: LimitedConnection, fields: Fields, receive: Receive, send: Send) -> None:
        self._connection = connection
        self._is_whole = not _has_body(fields)
        self._receive = receive
        self._send = send
        self.is_end_delayed = False
        """True if the response has ended, but the body is not whole yet."""

    async def receive(self) -> Message:
        """Receive a part of the request."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._connection.on_body(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)
        else:
            self._is_whole = True
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response; delay its end until the body is whole.

        uvicorn discards the body of a request after the end of its response.
        """
        if message["type"] != "http.response.body" or message.get("more_body", False):
            await self._send(message)
        elif self._is_whole:
            await self._end_response(message)
        else:
            self.is_end_delayed = True
            await self._send({**message, "more_body": True})

    async def discard_rest(self, deadline: float) -> None:
        """Receive the rest of the body, then end the response.

        Close the connection at *deadline*, in the time of the event loop.
        """
        try:
            async with asyncio.timeout_at(deadline):
                while not self._is_whole:
                    await self.receive()
        except (TimeoutError, asyncio.CancelledError):  # cancelled: the server stops, and the response has been sent
            self._connection.close()
        await self._end_response({"type": "http.response.body", "body": b""})

    async def _end_response(self, message: Message) -> None:
        await self._send(message)
        self._connection.on_response_end()


def _head_bytes(scope: Scope) -> int:
    """Return a lower bound of the size of a request's head."""
    target = len(scope["raw_path"]) + len(scope["query_string"])
    return target + sum([len(name) + len(value) + 4 for name, value in scope["headers"]])


def _has_body(fields: Fields) -> bool:
    return fields.get("content-length", "0") != "0" or "transfer-encoding" in fields
