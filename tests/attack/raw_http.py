"""Requests byte by byte, and the responses to them."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

import httptools

from tests.attack.lab import TOKEN

_THREADS = 16
_CONNECT_S = 10.0
AUTHORIZED = {"Host": "localhost", "Authorization": f"Bearer {TOKEN}"}


@dataclass(slots=True)
class RawResponse:
    """A response; httptools fills it in."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_complete: bool = False


class _Collector:
    """Collects the responses that httptools parses."""

    def __init__(self) -> None:
        self.responses: list[RawResponse] = []
        self.parser = httptools.HttpResponseParser(self)

    def on_message_begin(self) -> None:
        self.responses.append(RawResponse())

    def on_header(self, name: bytes, value: bytes) -> None:
        self.responses[-1].headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self.responses[-1].status = self.parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self.responses[-1].body += body

    def on_message_complete(self) -> None:
        self.responses[-1].is_complete = True


def parse_responses(data: bytes) -> list[RawResponse]:
    """Return the responses that *data* hold, up to the first that is no HTTP."""
    collector = _Collector()
    with suppress(httptools.HttpParserError):  # what follows a response to HEAD
        collector.parser.feed_data(data)
    return collector.responses


def request(method: str, target: str, body: bytes = b"", **headers: str) -> bytes:
    """Return a request with the token; an empty header is left out."""
    fields = AUTHORIZED | ({"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {})
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value), "", ""]
    return "\r\n".join(lines).encode("latin-1", "surrogateescape") + body


def exchange(port: int, data: bytes, *, quiet_s: float = 10.0) -> bytes:
    """Send *data*; return all that arrives until the connection closes or is silent."""
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), _CONNECT_S) as connection:
        with suppress(OSError):  # closed before the end; a response may have arrived
            connection.sendall(data)
        return read_to_end(connection, quiet_s)
    return b""


def exchange_all(port: int, messages: Sequence[bytes], *, quiet_s: float = 10.0) -> list[bytes]:
    """Return the bytes received for each of *messages*, each sent on a connection of its own."""
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(lambda data: exchange(port, data, quiet_s=quiet_s), messages))


def read_to_end(connection: socket.socket, timeout_s: float) -> bytes:
    """Return all that arrives until the connection closes, or is silent for *timeout_s* seconds."""
    connection.settimeout(timeout_s)
    received = b""
    with suppress(OSError):  # closed or silent: the caller checks what arrived
        while part := connection.recv(1 << 20):
            received += part
    return received
