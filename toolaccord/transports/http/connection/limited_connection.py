"""A connection: uvicorn's protocol within limits of size, time and processor time."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from toolaccord.timing.clock import SingleTimer
from toolaccord.transports.http.connection.client_probe import ClientProbe
from toolaccord.transports.http.connection.head_buffer import HEAD_END, HeadBuffer
from toolaccord.transports.http.connection.invalid_request import INVALID_REQUEST
from toolaccord.transports.http.connection.open_connections import Connections
from toolaccord.transports.http.connection.output_limit import OutputLimit
from toolaccord.transports.http.connection.piecewise_transport import PiecewiseTransport
from toolaccord.transports.http.connection.uvicorn_transport import UvicornTransport

_MIN_READ_BYTES, _MAX_READ_BYTES = 1024, 16_384
"""Bytes parsed at a time, between which other connections have their turn."""
_PIECE_BYTES = 256
"""Average size of chunks and requests from which on more bytes are parsed at a time."""
_CREDIT_BYTES = 131_072
"""Bytes beside bodies that a connection may send until the end of a response."""
_CHUNK_CREDIT_BYTES = 16
"""Bytes of credit that each chunk returns: the line with its size."""
_MAX_FIELDS = 256
"""Fields of a request, trailers included; each costs processor time and memory."""
_MAX_UNANSWERED = 32
"""Requests that a connection may send before the response to the first of them."""
_INTERIM_RESPONSE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""Bytes that a client skips before its response (RFC 9110, 15.2)."""
_COMMENT_CHUNK = b"3\r\n:\n\n\r\n"
"""Bytes that a client skips between two events of a stream: a comment in a chunk."""


EVENT_STREAM = "event_stream"
"""The member of a scope's state that is true while the response sends whole events."""


class _LimitViolated(Exception):
    """A request has too many fields or chunks, or too many requests wait."""


class LimitedConnection(HttpToolsProtocol, asyncio.BufferedProtocol):
    """A connection that is closed when it exceeds its limits.

    uvicorn and its parser limit neither the size of a head nor the time it takes. They queue any number of requests,
    parse any number of chunks, and buffer responses for as long as nobody reads them. This class overrides methods of
    asyncio's protocols and callbacks of httptools.
    """

    def __init__(self, connections: Connections, *, app_state: dict[str, Any], **uvicorn_arguments: Any) -> None:
        super().__init__(app_state=app_state | {"connection": self}, **uvicorn_arguments)
        self.is_probe = False
        """True beyond the limit of connections: only probes and `/metrics` may be requested."""
        self.is_discarding = False
        """True while the rest of a request is discarded, after its response."""
        self._connections = connections
        self._limits = connections.limits
        self._transport: PiecewiseTransport
        self._head = HeadBuffer()
        self._credit = _CREDIT_BYTES
        self._fields = self._chunks = 0
        self._unanswered: deque[RequestResponseCycle] = deque()
        self._read_bytes = _MIN_READ_BYTES
        self._pieces = 0
        self._is_in_head = self._is_in_body = self._is_head_parsed = False
        self._is_half_closed = self._is_next_delayed = self._is_output_buffered = self._is_lost = False
        self._input_timer = SingleTimer(connections.clock)
        self._output_limit: OutputLimit
        self._client_probe: ClientProbe

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first byte."""
        assert isinstance(transport, asyncio.Transport)
        transport.set_write_buffer_limits(high=0)  # every byte that the client has not taken pauses writing
        self._transport = PiecewiseTransport(transport)
        self._output_limit = OutputLimit(self._connections, self._transport)
        self._client_probe = ClientProbe(self._connections.clock, self._transport, self._choose_filler)
        self.is_probe = self._connections.add(self._transport)
        super().connection_made(UvicornTransport(self, self._transport))
        self._input_timer.start(self._limits.first_byte_timeout_s, self._transport.abort)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio has no opinion: it is -1
        """Return the buffer for the next piece."""
        return self._connections.buffer if self.is_discarding else self._connections.buffer[: self._read_bytes]

    def buffer_updated(self, nbytes: int) -> None:
        """Parse the *nbytes* bytes in the buffer, or discard them after a rejection."""
        if self.is_discarding:
            self._transport.pause_reading()
            self._connections.clock.call_later(self._connections.discard_interval_s, self._transport.resume_reading)
            return
        if self._credit < 0:
            self._transport.abort()
            return
        self._credit -= nbytes
        data = bytes(self._connections.buffer[:nbytes])
        if not self._is_in_body:
            if not self._is_in_head:
                self._is_in_head = True
                self._input_timer.stop()
            if not self._is_head_parsed:
                data = self._head.add(data)
        is_head_parsed = self._is_head_parsed or self._is_in_body
        self._pieces = 0
        self.data_received(data)
        self._is_head_parsed = self._is_in_head and (is_head_parsed or HEAD_END in data)
        is_cheap = self._pieces * _PIECE_BYTES < nbytes == self._read_bytes
        self._read_bytes = min(2 * self._read_bytes, _MAX_READ_BYTES) if is_cheap else _MIN_READ_BYTES
        self._limit_head()

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_in_head = True
        self._fields = self._chunks = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Pass on a field without the white space around its value (RFC 9110, 5.5).

        Raises an exception beyond the limit, after which uvicorn answers 400.
        """
        self._fields += 1
        if self._fields > _MAX_FIELDS:
            raise _LimitViolated
        if not self._is_in_body:  # a trailer is no header (RFC 9110, 6.5.1)
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Serve a request. Raises an exception beyond the limit of waiting ones."""
        self._pieces += 1
        if len(self._unanswered) >= _MAX_UNANSWERED:
            raise _LimitViolated
        super().on_headers_complete()
        self._unanswered.append(self.cycle)
        self._is_in_head, self._is_in_body = False, True
        self._input_timer.stop()

    def on_chunk_header(self) -> None:
        """Count a chunk. Raises an exception beyond the limit, after which uvicorn answers 400."""
        self._credit += _CHUNK_CREDIT_BYTES
        self._chunks += 1
        self._pieces += 1
        if self._chunks > self._limits.max_chunks:
            raise _LimitViolated

    def on_body(self, body: bytes) -> None:
        """Pass on a part of a body."""
        self._credit += len(body)
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's text says nothing to do
        """Reject an invalid request; abort if the client would take this for another response."""
        if len(self._unanswered) > self._is_in_body or (self._is_in_body and self.cycle.response_started):
            self._transport.abort()
        else:
            self.transport.write(INVALID_REQUEST)
            self.transport.close()

    def on_message_complete(self) -> None:
        """Pass on the end of a request."""
        self._is_in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Start the next request, once the client has taken this response."""
        self._unanswered.popleft()
        self._credit = _CREDIT_BYTES
        if self._is_in_body and self.cycle.response_complete and not self.is_discarding:
            self.discard_or_close()
        elif self._is_output_buffered:
            self._is_next_delayed = True
        else:
            self._start_next()

    def pause_writing(self) -> None:
        """Hold responses and requests back until the client has taken what is buffered."""
        if self._is_output_buffered:
            return  # the next piece of a response is buffered
        super().pause_writing()
        self._is_output_buffered = True
        self._transport.pause_reading()
        self._output_limit.start()

    def resume_writing(self) -> None:
        """Continue after this callback, in which asyncio does not expect the connection to close."""
        asyncio.get_running_loop().call_soon(self._continue_writing)

    def _continue_writing(self) -> None:
        """Continue with the rest of a response, or with responses and requests."""
        if self._is_lost or not self._transport.write_rest():
            return
        super().resume_writing()
        self._is_output_buffered = False
        self._output_limit.stop()
        if self.is_discarding:
            self._start_discarding()
        elif self._is_next_delayed:
            self._is_next_delayed = False
            self._start_next()
        elif not self.flow.read_paused:
            self.resume_reading()

    def eof_received(self) -> bool:  # type: ignore[override] # asyncio expects this; uvicorn returns nothing
        """Return whether to keep the connection, because a whole request has no response yet."""
        self._is_half_closed = not self._is_in_body and len(self._unanswered) > 0
        if self._is_half_closed:
            self._client_probe.start()
        return self._is_half_closed

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._is_lost = True
        self._input_timer.stop()
        self._output_limit.stop()
        self._client_probe.stop()
        self._connections.remove(self._transport)
        for cycle in self._unanswered:  # uvicorn tells only the newest request
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def must_close_after(self, scope: Scope) -> bool:
        """Return whether the response to the request of *scope* is the last of the connection.

        The rest of its body is not parsed, or it is a probe.
        """
        return self.is_probe or (self._is_in_body and self.scope is scope)

    def discard_or_close(self) -> None:
        """Close the connection after sending what is buffered.

        A client that still sends when its connection closes may never see the response. So the rest of a request is
        first discarded, without parsing it, until the client closes or the time is over.
        """
        if not self._is_in_body or self.is_discarding or self._transport.is_closing():
            self._transport.close()
            return
        self.is_discarding = True
        if not self._is_output_buffered:
            self._start_discarding()

    def resume_reading(self) -> None:
        """Read again, unless the client has not taken what is buffered, or requests wait."""
        if not self._is_output_buffered and len(self._unanswered) <= 1:
            self._transport.resume_reading()

    def _start_next(self) -> None:
        """Start the next request; close the connection if a half-closed client awaits no response."""
        super().on_response_complete()
        self.resume_reading()
        self._limit_head()
        if self._is_half_closed and not self._unanswered:
            self._transport.close()

    def _limit_head(self) -> None:
        """Limit the time of a head, unless it waits for a response."""
        if self._is_in_head and not self._unanswered and not self._input_timer.is_running:
            self._input_timer.start(self._limits.head_timeout_s, self._transport.abort)

    def _start_discarding(self) -> None:
        """Tell the client that the response is whole, and discard for a limited time."""
        with suppress(OSError):  # the client has reset the connection, which asyncio reports next
            self._transport.write_eof()
        self._connections.add_discarding(self._transport)
        self._transport.resume_reading()
        self._input_timer.start(self._limits.discard_timeout_s, self._transport.abort)

    def _choose_filler(self) -> bytes:
        """Return bytes that the client of the only request skips now, if there are some."""
        if len(self._unanswered) != 1 or self.scope["http_version"] != "1.1":
            return b""
        if not self.cycle.response_started:
            return _INTERIM_RESPONSE
        is_stream = self.cycle.chunked_encoding and self.scope["state"].get(EVENT_STREAM)
        return _COMMENT_CHUNK if is_stream else b""
