"""One plain request and its answer, as uvicorn has them for any other: an ASGI application serves it."""

from __future__ import annotations

import re
from typing import Any

from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, RequestResponseCycle

_FIELDS = re.compile(rb"(?:[\w!#$%&'*+.^`|~-]++: [^\x00-\x1f\x7f]*+\r\n)*+")
_WITHOUT_BODY = {204, 304}


class PlainCycle(RequestResponseCycle):
    """A request whose body is there, and whose answer needs no h11 to be written."""

    def __init__(self, body: bytes, **given: Any) -> None:
        super().__init__(**given)
        self.body += body
        self.more_body = False
        self.message_event.set()
        self._head = b""
        self._left: int | None = None

    async def send(self, message: Any) -> None:
        """Take a part of the answer. Raises RuntimeError for what is no answer, ValueError for a header that is none."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        expected = "http.response.body" if self.response_started else "http.response.start"
        if self.response_complete or message["type"] != expected:
            raise RuntimeError(f"no {message['type']} may come now")
        if self.response_started:
            self._send_body(message.get("body", b""), more=message.get("more_body", False))
        else:
            self._begin(message["status"], [*self.default_headers, *message.get("headers", [])])

    def _begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        said = {name.lower(): value for name, value in headers}
        fields = b"".join(b"%b: %b\r\n" % field for field in headers)
        if not _FIELDS.fullmatch(fields) or fields.count(b"\n") != len(headers):
            raise ValueError("a header of the answer has what it may not have")
        if b"close" in said.get(b"connection", b"").lower():
            self.keep_alive = False
        if status in _WITHOUT_BODY:
            self._left = 0
        elif b"content-length" in said:
            self._left = int(said[b"content-length"])
        else:
            fields += b"transfer-encoding: chunked\r\n"
        self._head = b"HTTP/1.1 %d %b\r\n%b\r\n" % (status, STATUS_PHRASES[status], fields)
        self.response_started = True
        if self._left is None:  # a stream, whose first part may take its time
            self._flush(b"")

    def _send_body(self, body: bytes, *, more: bool) -> None:
        if self._left is None:
            self._flush((b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + (b"" if more else b"0\r\n\r\n"))
        else:
            self._left -= len(body)
            if self._left < 0 or (self._left and not more):
                raise RuntimeError("the answer is not as long as its Content-Length")
            self._flush(body)
        if not more:
            self._complete()

    def _flush(self, part: bytes) -> None:
        """Send *part*, behind the head if that is still here: both leave at once."""
        self.transport.write(self._head + part)
        self._head = b""

    def _complete(self) -> None:
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()
