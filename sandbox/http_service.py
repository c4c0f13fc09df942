"""An HTTP/1.1 server in threads of this process, whose faults can reach below HTTP."""

import contextlib
import enum
import select
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

SILENCE_S = 30.0
"""Seconds without an answer: more than any deadline of a tool that reads the exchange."""
DRIP_S = 0.05
"""Seconds between two bytes of a dripping body."""


class Delivery(enum.Enum):
    """The delivery of a response."""

    WHOLE = enum.auto()
    NEVER = enum.auto()
    """No answer for SILENCE_S, or until the caller disconnects."""
    RESET = enum.auto()
    """The connection closes without an answer."""
    CUT = enum.auto()
    """The connection closes after half of the body."""
    DRIP = enum.auto()
    """Single bytes at intervals of DRIP_S; no read times out, and the answer never ends in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request; its body is not read."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By name in lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response, its delivery, and its delay in seconds."""

    body: bytes
    status: int = 200
    kind: str = "application/json; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    delivery: Delivery = Delivery.WHOLE
    after_s: float = 0


class Service:
    """A server on a port of 127.0.0.1, with a thread for each connection.

    It calls *answer* in these threads. The port can be closed and opened again.
    """

    def __init__(self, answer: Callable[[Request], Response], port: int = 0) -> None:
        self.answer = answer
        self.port = port
        """The port; 0 until the first `open` without a given port."""
        self.peak_connections = 0
        """The largest number of simultaneous connections."""
        self.active_requests = 0
        """The number of requests that are being answered, without those that never will be."""
        self._counting = threading.Lock()
        self._server: _Server | None = None

    @contextlib.contextmanager
    def running(self) -> Iterator[Self]:
        """Listen meanwhile. Raises OSError if the port is in use."""
        self.open()
        try:
            yield self
        finally:
            self.close()

    def open(self) -> None:
        """Listen. Raises OSError if the port is in use."""
        self._server = _Server(self)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, name="sandbox HTTP", daemon=True).start()

    def close(self) -> None:
        """Close the port and its connections."""
        if self._server is not None:
            self._server.close()
            self._server = None

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Count an active request meanwhile."""
        with self._counting:
            self.active_requests += 1
        try:
            yield
        finally:
            with self._counting:
                self.active_requests -= 1


class _Server(ThreadingHTTPServer):
    """Serves connections, which it closes at its own end."""

    daemon_threads = False  # only such threads are joined
    request_queue_size = socket.SOMAXCONN

    def __init__(self, service: Service) -> None:
        self.service = service
        self.closing = threading.Event()
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", service.port), _Connection)

    def close(self) -> None:
        """Stop listening, and return when the threads of all connections have ended."""
        self.closing.set()
        _disconnect(self.socket)  # wakes the thread that accepts connections
        self.shutdown()
        for connection in list(self._connections):
            _disconnect(connection)
        self.server_close()

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.add(connection)
        self.service.peak_connections = max(self.service.peak_connections, len(self._connections))
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)


class _Connection(BaseHTTPRequestHandler):
    """Answers the requests of a connection until either side closes it."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a response is one write
    disable_nagle_algorithm = True
    server: _Server

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the client disconnected, so there is no one to answer
            super().handle()

    def do_GET(self) -> None:
        """Deliver the answer to the request."""
        service, url = self.server.service, urlsplit(self.path)
        request = Request(
            method=self.command,
            path=unquote(url.path),
            query=dict(parse_qsl(url.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
        )
        with service.answering():
            response = service.answer(request)
            self.server.closing.wait(response.after_s)
            if response.delivery in {Delivery.WHOLE, Delivery.CUT}:
                length = len(response.body) // (2 if response.delivery is Delivery.CUT else 1)
                self._send(response, response.body[:length])
        self.close_connection |= response.delivery is not Delivery.WHOLE
        if response.delivery is Delivery.NEVER:
            self._has_disconnected(SILENCE_S)
        if response.delivery is Delivery.DRIP:
            self._send(response, b"")
            for byte in response.body:
                if self._has_disconnected(DRIP_S):
                    return
                self.connection.send(bytes([byte]))

    do_POST = do_GET  # noqa: N815 - http.server's name

    def send_error(self, *_: Any) -> None:
        """Disconnect a client that does not speak HTTP."""
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def _send(self, response: Response, body: bytes) -> None:
        self.send_response_only(response.status)
        sent = {"Content-Type": response.kind, "Content-Length": str(len(response.body)), **response.headers}
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def _has_disconnected(self, seconds: float) -> bool:
        """Wait at most *seconds* for the client to disconnect or send; return whether it did."""
        return bool(select.select([self.connection], [], [], seconds)[0])


def _disconnect(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already, or was never open
        connection.shutdown(socket.SHUT_RDWR)
