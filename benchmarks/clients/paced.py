"""A client that sends each request at its intended time, and takes little of the processor.

It writes requests made ahead to open connections, and reads no more of an answer's head than status and length.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_HEAD = re.compile(rb"HTTP/1\.1 (\d+) .*?\r\ncontent-length: *(\d+)\r\n.*?\r\n\r\n", re.DOTALL | re.IGNORECASE)
_PATIENCE_S = 60.0
"""Seconds to wait for the last answers."""


class Response(NamedTuple):
    """The response to a request."""

    status: int
    """The HTTP status; 0 if the connection was lost."""
    body: bytes
    """The body; empty if the connection was lost."""
    latency_s: float
    """Seconds from the intended time of the request."""


def post(path: str, body: object, headers: Mapping[str, str]) -> bytes:
    """Return the request that posts *body* as JSON."""
    content = json.dumps(body).encode()
    fields = {"Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": len(content), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + content


async def offer(port: int, requests: Sequence[bytes], rate: float, connections: int) -> list[Response]:
    """Return the responses to *requests*, sent at *rate* a second to a server on loopback.

    Raises TimeoutError if one is not answered within a minute of the last request.
    """
    loop = asyncio.get_running_loop()
    offered = _Offered(len(requests))
    opened = [await loop.create_connection(lambda: _Connection(offered), "127.0.0.1", port) for _ in range(connections)]
    try:
        start = time.perf_counter()
        for number, request in enumerate(requests):
            intended = start + number / rate
            if (wait_s := intended - time.perf_counter()) > 0:
                await asyncio.sleep(wait_s)
            offered.send(intended, request)
        await asyncio.wait_for(offered.answered.wait(), _PATIENCE_S)
        return offered.responses
    finally:
        for transport, _ in opened:
            transport.close()


class _Offered:
    """Requests on their way, the connections that have none, and the responses."""

    def __init__(self, requests: int) -> None:
        self._requests = requests
        self._waiting: deque[tuple[float, bytes]] = deque()
        self.idle: deque[_Connection] = deque()
        """Connections without a request, the one idle for longest first: servers close those."""
        self.responses: list[Response] = []
        self.answered = asyncio.Event()

    def send(self, intended: float, request: bytes) -> None:
        """Send *request* as soon as a connection is idle."""
        self._waiting.append((intended, request))
        self._send_waiting()

    def receive(self, response: Response) -> None:
        """Take a response, after which another request may be sent."""
        self.responses.append(response)
        self._send_waiting()
        if len(self.responses) == self._requests:
            self.answered.set()

    def _send_waiting(self) -> None:
        while self._waiting and self.idle:
            self.idle.popleft().send(*self._waiting.popleft())


class _Connection(asyncio.Protocol):
    """A connection with at most one request."""

    def __init__(self, offered: _Offered) -> None:
        self._offered = offered
        self._intended: float | None = None
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._offered.idle.append(self)

    def send(self, intended: float, request: bytes) -> None:
        """Send *request*, which was due at *intended*."""
        self._intended = intended
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = _HEAD.match(self._received)
        if head and len(self._received) - head.end() == int(head[2]):
            body, self._received = self._received[head.end() :], b""
            self._offered.idle.append(self)
            self._answer(int(head[1]), body)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - an error loses it as well
        if self in self._offered.idle:
            self._offered.idle.remove(self)
        self._answer(0, b"")

    def _answer(self, status: int, body: bytes) -> None:
        if (intended := self._intended) is not None:
            self._intended = None
            self._offered.receive(Response(status, body, time.perf_counter() - intended))
