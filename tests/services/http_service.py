"""An HTTP service on loopback that records what it receives."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from toolaccord.testing.socket_server import SocketServer


@dataclass(frozen=True)
class Received:
    """A request as it was on the wire."""

    method: str
    target: str
    """Path and query, percent-encoded."""
    headers: dict[str, str]
    """Headers by lower-case name."""
    body: bytes

    @property
    def line(self) -> str:
        """Method and target."""
        return f"{self.method} {self.target}"

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


@dataclass
class HttpService:
    """Answers each request by *respond*, with a status and a body: bytes, or a value of JSON."""

    respond: Callable[[Received], tuple[int, Any]]
    requests: list[Received] = field(default_factory=list)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        while head := (await reader.readuntil(b"\r\n\r\n")).decode():
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            method, target, _ = first.split(" ")
            self.requests.append(request := Received(method, target, headers, body))
            status, value = self.respond(request)
            sent = value if isinstance(value, bytes) else json.dumps(value).encode()
            writer.write(f"HTTP/1.1 {status} S\r\nX-Page: 7\r\nContent-Length: {len(sent)}\r\n\r\n".encode())
            writer.write(b"" if method == "HEAD" else sent)


@asynccontextmanager
async def serving(respond: Callable[[Received], tuple[int, Any]]) -> AsyncIterator[HttpService]:
    """Give a service that answers by *respond*."""
    listener = socket.create_server(("127.0.0.1", 0))
    service = HttpService(respond, url=f"http://127.0.0.1:{listener.getsockname()[1]}")
    async with aclosing(SocketServer(listener, service.serve)):
        yield service
