"""A minimal HTTP/1.1 server on sockets, whose faults can reach below HTTP."""

import asyncio
import contextlib
import enum
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

from sandbox.socket_server import SocketServer

MAX_HEAD_BYTES = 1 << 16
"""The size limit of a request's line and headers."""
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
    """A server on a port of 127.0.0.1, in its own thread.

    It calls *answer* in that thread. The port can be closed and opened again.
    """

    def __init__(self, answer: Callable[[Request], Response], port: int = 0) -> None:
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sandbox HTTP", daemon=True)
        self._server: SocketServer | None = None
        self._connections = 0
        self.port = port
        """The port; 0 until the first `open` without a given port."""
        self.peak_connections = 0
        """The largest number of simultaneous connections."""
        self.active_requests = 0
        """The number of requests that are being answered, without those that never will be."""

    def start(self) -> None:
        """Start the thread and listen. Raises OSError if the port is in use."""
        self._thread.start()
        try:
            self.open()
        except OSError:
            self._end_thread()
            raise

    def stop(self) -> None:
        """Close the connections and the port, and end the thread."""
        self.close()
        self._end_thread()

    def open(self) -> None:
        """Listen."""
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()

    def close(self) -> None:
        """Close the port and its connections."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()

    def _end_thread(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", self.port))
            listener.listen()
        except OSError:
            listener.close()
            raise
        self.port = listener.getsockname()[1]
        self._server = SocketServer(listener, self._serve_connection, limit=MAX_HEAD_BYTES)

    async def _close(self) -> None:
        if self._server is not None:
            await self._server.aclose()
            self._server = None

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests until either side closes the connection."""
        self._connections += 1
        self.peak_connections = max(self.peak_connections, self._connections)
        try:
            while (request := await _read_request(reader)) is not None and await self._respond(request, reader, writer):
                pass
        finally:
            self._connections -= 1

    async def _respond(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Deliver the answer to *request*; return whether the connection stays open."""
        self.active_requests += 1
        try:
            response = self._answer(request)
            await asyncio.sleep(response.after_s)
            match response.delivery:
                case Delivery.WHOLE:
                    writer.write(_head(response) + response.body)
                    await writer.drain()
                    return request.headers.get("connection", "").lower() != "close"
                case Delivery.CUT:
                    await _write_and_close(writer, _head(response) + response.body[: len(response.body) // 2])
                case Delivery.NEVER | Delivery.DRIP | Delivery.RESET:
                    pass
        finally:
            self.active_requests -= 1
        await _withhold(response, reader, writer)
        return False


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    """Return the next request; None at the end of the connection, or where it is not HTTP."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    line, *headers = head.decode("latin-1").splitlines()[:-1]
    parts = line.split(" ")
    if len(parts) != 3:
        return None
    method, target, _version = parts
    url = urlsplit(target)
    pairs = (header.partition(":") for header in headers)
    return Request(
        method=method,
        path=unquote(url.path),
        query=dict(parse_qsl(url.query, keep_blank_values=True)),
        headers={name.strip().lower(): value.strip() for name, _, value in pairs},
    )


def _head(response: Response) -> bytes:
    headers = {"Content-Type": response.kind, "Content-Length": str(len(response.body)), **response.headers}
    lines = [f"HTTP/1.1 {response.status} {_reason(response.status)}", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


async def _wait_for_disconnect(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Wait at most *seconds* for the caller to disconnect; return whether it did."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while await reader.read(MAX_HEAD_BYTES):
                pass
            return True
    return False


async def _write_and_close(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Write *data*, and close the connection."""
    writer.write(data)
    writer.close()
    await writer.wait_closed()


async def _withhold(response: Response, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Withhold or drip *response*, if that is its delivery."""
    if response.delivery is Delivery.NEVER:
        await _wait_for_disconnect(reader, SILENCE_S)
    elif response.delivery is Delivery.DRIP:
        await _drip(reader, writer, response)


async def _drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(_head(response))
    for byte in response.body:
        if await _wait_for_disconnect(reader, DRIP_S):
            return
        writer.write(bytes([byte]))
