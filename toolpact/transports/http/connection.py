"""Limits of one connection: seconds until the head of a request, and bytes that are neither a request nor a body."""

from __future__ import annotations

import asyncio
import re
from contextvars import ContextVar
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from toolpact.transports.http import headers
from toolpact.transports.http.headers import Fields

_PIECE = 16_384
"""Bytes that are read at a time, between which other connections have their turn."""
_ALLOWANCE = 131_072
"""Bytes beside bodies that a connection may send ahead: heads, the framing of chunks, requests that wait their turn."""
_A_REQUEST = 512
"""Bytes of its allowance that a connection gets back with each request beside those of its head: blanks, names of methods, trailers."""
_A_BODY_BYTE = 2
"""Bytes of its allowance that a connection gets back with each byte of a body: chunks may double it."""
_OFFER = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)


class LimitedConnection(asyncio.BufferedProtocol):
    """Passes a connection on to uvicorn's protocol, a piece at a time, and aborts it when it exceeds its limits.

    uvicorn and its parser limit neither the size of a head nor the time it takes, nor how many requests wait for their turn, and they
    call back for each chunk, however small. This class knows asyncio's interface of a protocol alone. `RequestReporter` reports
    requests in hand and what was read of bodies, in the same context.
    """

    def __init__(self, slowest_s: float, **given: Any) -> None:
        self._served = HttpToolsProtocol(**given)
        self._slowest_s = slowest_s
        self._transport: asyncio.Transport
        self._piece = memoryview(bytearray(_PIECE))
        self._allowance = _ALLOWANCE
        self._in_hand = 0
        self._aborting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._served.connection_made(transport)
        self._limit_head()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio has no opinion: it is -1
        """Return where the next piece is read to."""
        return self._piece

    def buffer_updated(self, nbytes: int) -> None:
        """Take a piece of a request."""
        if self._allowance < 0:
            self._transport.abort()
            return
        self._allowance -= nbytes
        data = bytes(self._piece[:nbytes])
        if not self._in_hand:
            data = _without_offer(data)
            if self._aborting is None:
                self._limit_head()
        before = _CURRENT.set(self)
        try:
            self._served.data_received(data)
        finally:
            _CURRENT.reset(before)

    def eof_received(self) -> None:
        """Pass the end of what the client sends on."""
        self._served.eof_received()

    def pause_writing(self) -> None:
        """Have answers wait for a client that reads slowly."""
        self._served.pause_writing()

    def resume_writing(self) -> None:
        """Have answers go on."""
        self._served.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._head_is_there()
        self._served.connection_lost(exc)

    def begin(self, size: int) -> None:
        """Note that a request is in hand, and give *size* bytes of the allowance back."""
        self._in_hand += 1
        self._credit(size)
        self._head_is_there()

    def end(self) -> None:
        """Note that a request is answered."""
        self._in_hand -= 1

    def take(self, part: bytes) -> None:
        """Note a part of a body."""
        self._credit(_A_BODY_BYTE * len(part))

    def close(self) -> None:
        """Close the connection once what was sent has left."""
        self._transport.close()

    def _credit(self, size: int) -> None:
        self._allowance = min(self._allowance + size, _ALLOWANCE)

    def _limit_head(self) -> None:
        self._aborting = asyncio.get_running_loop().call_later(self._slowest_s, self._transport.abort)

    def _head_is_there(self) -> None:
        if self._aborting is not None:
            self._aborting.cancel()
            self._aborting = None


def _without_offer(data: bytes) -> bytes:
    """Return *data*, which begin with a head, without an offer to speak another protocol, as Java's client makes (RFC 9110, 7.8).

    The parser takes the body behind such an offer for the other protocol, and uvicorn serves the request without it.
    """
    if not _OFFER.search(data):
        return data
    head, end, rest = data.partition(b"\r\n\r\n")
    return _OFFER.sub(b"", head) + end + rest


_CURRENT: ContextVar[LimitedConnection] = ContextVar("connection")
"""The connection whose data are read; the tasks that serve its requests inherit it."""


class RequestReporter:
    """Reports the requests that *app* serves to their connection, and reads the rest of a body that *app* did not want.

    A client that still sends when its connection closes may never see the answer. The rest is discarded until *slowest_s* after the head.
    """

    def __init__(self, app: ASGIApp, slowest_s: float) -> None:
        self._app = app
        self._slowest_s = slowest_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        connection = _CURRENT.get(None)
        if connection is None:  # called in process, as by a test: nothing limits what does not come from elsewhere
            await self._app(scope, receive, send)
            return
        due = asyncio.get_running_loop().time() + self._slowest_s
        request = _Request(connection, headers.of(scope), receive, send)
        connection.begin(_A_REQUEST + _head_bytes(scope))
        try:
            await self._app(scope, request.receive, request.send)
            if request.unfinished:
                await request.discard_rest(due)
        finally:
            connection.end()


class _Request:
    """One request: what is received of it, and sent in answer."""

    def __init__(self, connection: LimitedConnection, fields: Fields, receive: Receive, send: Send) -> None:
        self._connection = connection
        self._whole = not _has_body(fields)
        self._receive = receive
        self._send = send
        self.unfinished = False
        """Whether the end of the answer waits for that of the body."""

    async def receive(self) -> Message:
        """Receive a part of the request."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._connection.take(message.get("body", b""))
            self._whole = not message.get("more_body", False)
        else:
            self._whole = True
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer; the end waits where the body is not whole, since a server discards what comes after it."""
        if not self._whole and message["type"] == "http.response.body" and not message.get("more_body", False):
            message = {**message, "more_body": True}
            self.unfinished = True
        await self._send(message)

    async def discard_rest(self, due: float) -> None:
        """Receive what is left of the body, and end the answer; at *due*, by the loop's clock, close the connection."""
        try:
            async with asyncio.timeout_at(due):
                while not self._whole:
                    await self.receive()
        except (TimeoutError, asyncio.CancelledError):  # cancelled: the server stops, and the answer is already there
            self._connection.close()
        await self._send({"type": "http.response.body", "body": b""})


def _head_bytes(scope: Scope) -> int:
    """Return how large the head of a request was, at least."""
    target = len(scope["raw_path"]) + len(scope["query_string"])
    return target + sum([len(name) + len(value) + 4 for name, value in scope["headers"]])


def _has_body(fields: Fields) -> bool:
    return fields.get("content-length", "0") != "0" or "transfer-encoding" in fields
