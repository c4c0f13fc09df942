"""The benchmarks' client over HTTP/1.1: one thread on persistent connections."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from selectors import EVENT_READ, DefaultSelector

from httptools import HttpResponseParser

from benchmarks.clients.messages import AnswerError, Era, check_answer

_CHUNK = 1 << 20
_PATIENCE_S = 60.0
_RETRY_S = 0.005


@cache
def http_request(body: bytes, port: int) -> bytes:
    """Return the request that posts *body* to `/mcp`, with the headers of its era."""
    message = json.loads(body)
    era, named = Era.HANDSHAKE, ""
    if "_meta" in message["params"]:
        era, named = Era.STATELESS, f"Mcp-Method: {message['method']}\r\nMcp-Name: {message['params']['name']}\r\n"
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {era.value}\r\n{named}"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Reply:
    """A response that is being received."""

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self._parts: list[bytes] = []
        self._status = 200
        self._is_whole = False

    def add(self, part: bytes) -> bytes | None:
        """Add the next *part*; return the body, or None until it is complete.

        Raises:
            AnswerError: The status is that of a rejected request.
        """
        self._parser.feed_data(part)
        if self._status not in {200, 202}:
            raise AnswerError(f"the response has the status {self._status}")
        return b"".join(self._parts) if self._is_whole else None

    def on_headers_complete(self) -> None:
        """Note the status; the parser would wrap an exception raised here."""
        self._status = self._parser.get_status_code()

    def on_body(self, part: bytes) -> None:
        """Add a part of the body."""
        self._parts.append(part)

    def on_message_complete(self) -> None:
        """Note that the body is complete."""
        self._is_whole = True


@dataclass(slots=True)
class Connection:
    """A persistent connection."""

    port: int
    link: socket.socket
    reply: Reply = field(default_factory=Reply)

    def send(self, request: bytes) -> None:
        """Send a whole request."""
        self.reply = Reply()
        self.link.sendall(request)

    def receive(self) -> bytes | None:
        """Receive a part of the response; return the body, or None until it is complete."""
        part = self.link.recv(_CHUNK)
        if not part:
            raise AnswerError("the server has closed the connection")
        return self.reply.add(part)

    def request(self, message: bytes) -> bytes:
        """Send a request and return the body of its response."""
        self.send(http_request(message, self.port))
        while (body := self.receive()) is None:
            pass
        return check_answer(body)


@contextmanager
def connected(port: int) -> Iterator[Connection]:
    """Yield a connection to a server that may still be starting.

    Raises:
        AnswerError: It does not listen within a minute.
    """
    end = time.perf_counter() + _PATIENCE_S
    while time.perf_counter() < end:
        try:
            link = socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(_RETRY_S)
            continue
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with link:
            yield Connection(port, link)
        return
    raise AnswerError(f"nothing listens on port {port}")


def call_concurrently(port: int, message: bytes, callers: int, seconds: float) -> tuple[list[float], float]:
    """Let *callers* call for *seconds*, each one after the other.

    Returns the seconds of each call, and the seconds until the last answer.
    """
    request = http_request(message, port)
    durations: list[float] = []
    with ExitStack() as stack, DefaultSelector() as selector:
        start = time.perf_counter()
        sent: dict[int, float] = {}
        for _ in range(callers):
            connection = stack.enter_context(connected(port))
            selector.register(connection.link, EVENT_READ, connection)
            connection.send(request)
            sent[id(connection)] = time.perf_counter()
        while sent:
            for key, _ in selector.select():
                connection = key.data
                if (body := connection.receive()) is None:
                    continue
                now = time.perf_counter()
                check_answer(body)
                durations.append(now - sent.pop(id(connection)))
                if now < start + seconds:
                    connection.send(request)
                    sent[id(connection)] = now
        return durations, time.perf_counter() - start


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port
