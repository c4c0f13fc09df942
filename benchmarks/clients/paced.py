"""A client that sends each request at its intended time, and takes little of the processor.

It writes requests made ahead to open connections, and reads no more of an answer's head than status and length.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

_HEAD = re.compile(rb"HTTP/1\.1 (\d+) .*?\r\ncontent-length: *(\d+)\r\n.*?\r\n\r\n", re.DOTALL | re.IGNORECASE)
_LAST = re.compile(rb"\r\nconnection: *close\r\n", re.IGNORECASE)
_PATIENCE_S = 60.0
"""Seconds to wait for the last answers."""


class Response(NamedTuple):
    """The response to a request."""

    status: int
    """The HTTP status; 0 if the connection was lost."""
    body: bytes
    """The body; empty if the connection was lost."""
    intended: float
    """Time for which the request was meant, by `time.perf_counter`."""
    sent: float
    """Time at which it was sent: later by the lag of this client and waits for connections."""
    received: float
    """Time of the response."""

    @property
    def latency_s(self) -> float:
        """Seconds from the intended time of the request."""
        return self.received - self.intended


def post(path: str, body: object, headers: Mapping[str, str]) -> bytes:
    """Return the request that posts *body* as JSON."""
    content = json.dumps(body).encode()
    fields = {"Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": len(content), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + content


def find_size(received: bytes) -> int | None:
    """Return the size of the response that begins with *received*; None without its head."""
    head = _HEAD.match(received)
    return head and head.end() + int(head[2])


async def offer(port: int, requests: Sequence[bytes], rate: float, connections: int) -> list[Response]:
    """Return the responses to *requests*, sent at *rate* a second to a server on loopback.

    Raises TimeoutError as `offer_at` does.
    """
    return await offer_at([number / rate for number in range(len(requests))], port, requests, connections)


async def offer_at(times_s: Sequence[float], port: int, requests: Sequence[bytes], connections: int) -> list[Response]:
    """Return the responses to *requests*, each sent at its time, in seconds from now.

    Raises TimeoutError if one is not answered within a minute of the last request.
    """
    loop = asyncio.get_running_loop()
    offered = _Offered(len(requests))
    for _ in range(connections):
        await loop.create_connection(lambda: Connection(offered.idle), "127.0.0.1", port)
    opened = tuple(offered.idle)
    try:
        start = time.perf_counter()
        for time_s, request in zip(times_s, requests, strict=True):
            intended = start + time_s
            if (wait_s := intended - time.perf_counter()) > 0:
                await asyncio.sleep(wait_s)
            offered.send(intended, request)
        await asyncio.wait_for(offered.answered.wait(), _PATIENCE_S)
        return offered.responses
    finally:
        for connection in opened:
            connection.close()


class _Offered:
    """Requests on their way, the connections that have none, and the responses."""

    def __init__(self, requests: int) -> None:
        self._requests = requests
        self._waiting: deque[tuple[float, bytes]] = deque()
        self.idle: deque[Connection] = deque()
        """Connections without a request, the one idle for longest first: servers close those."""
        self.responses: list[Response] = []
        self.answered = asyncio.Event()

    def send(self, intended: float, request: bytes) -> None:
        """Send *request* as soon as a connection is idle."""
        self._waiting.append((intended, request))
        self._send_waiting()

    def _receive(self, intended: float, sent: float, status: int, body: bytes) -> None:
        """Take a response, after which another request may be sent."""
        self.responses.append(Response(status, body, intended, sent, time.perf_counter()))
        self._send_waiting()
        if len(self.responses) == self._requests:
            self.answered.set()

    def _send_waiting(self) -> None:
        while self._waiting and self.idle:
            intended, request = self._waiting.popleft()
            self.idle.popleft().send(request, partial(self._receive, intended, time.perf_counter()))


class Connection(asyncio.Protocol):
    """A connection with at most one request; among the *idle* ones while it has none."""

    def __init__(self, idle: deque[Connection]) -> None:
        self._idle = idle
        self._answered: Callable[[int, bytes], None] | None = None
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take requests from now on."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._idle.append(self)

    def send(self, request: bytes, answered: Callable[[int, bytes], None]) -> None:
        """Send *request*; *answered* takes status and body: 0 and nothing if the connection is lost."""
        self._answered = answered
        self._transport.write(request)

    def close(self) -> None:
        """Close the connection."""
        self._retire()

    def data_received(self, data: bytes) -> None:
        """Read a part of an answer; what comes unasked announces the end of the connection."""
        self._received += data
        if self._answered is None:
            self._retire()
            return
        head = _HEAD.match(self._received)
        if head and len(self._received) - head.end() == int(head[2]):
            body, self._received = self._received[head.end() :], b""
            self._idle.append(self)
            if _LAST.search(head[0]):
                self._retire()
            self._answer(int(head[1]), body)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - an error loses it as well
        """Take no request any more; the one under way has no answer."""
        self._retire()
        self._answer(0, b"")

    def _retire(self) -> None:
        """Close the connection, and take no further request."""
        if self in self._idle:
            self._idle.remove(self)
        self._transport.close()

    def _answer(self, status: int, body: bytes) -> None:
        answered, self._answered = self._answered, None
        if answered is not None:
            answered(status, body)
