"""The least of HTTP/1.1 that a client of ISS needs, on sockets of our own: what goes wrong there reaches below HTTP."""

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

LONGEST_HEAD = 1 << 16
"""Bytes of a request's line and headers."""
SILENCE_S = 30.0
"""How long a caller is kept waiting for nothing: longer than any deadline of a tool that reads the exchange."""
DRIP_S = 0.05
"""Seconds between two drops of a body that drips."""


class Delivery(enum.Enum):
    """How an answer reaches its caller."""

    WHOLE = enum.auto()
    NEVER = enum.auto()
    """Nothing for SILENCE_S, or until the caller hangs up."""
    RESET = enum.auto()
    """The connection ends in place of an answer."""
    CUT = enum.auto()
    """The connection ends after half of the body."""
    DRIP = enum.auto()
    """One byte after another, each DRIP_S after the one before: there is always something, and never enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked; a body is never read."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By name in lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What is answered, how, and after how many seconds."""

    body: bytes
    status: int = 200
    kind: str = "application/json; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    delivery: Delivery = Delivery.WHOLE
    after_s: float = 0


class Service:
    """A server on a port of 127.0.0.1, in a thread of its own, which answers what *answer* says.

    *answer* is called in that thread. The port can be closed and opened again.
    """

    def __init__(self, answer: Callable[[Request], Response], port: int = 0) -> None:
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="iss stand-in", daemon=True)
        self._conversations: SocketServer | None = None
        self._at_once = 0
        self.port = port
        """The port; 0 until the first `open`, where none was asked for."""
        self.most_at_once = 0
        """How many connections there were at most at one time."""
        self.answering = 0
        """How many requests are being answered that will be in a moment: not those that wait for nothing."""

    def start(self) -> None:
        """Begin to listen. Raises OSError where the port is taken."""
        self._thread.start()
        try:
            self.open()
        except OSError:
            self._end_thread()
            raise

    def stop(self) -> None:
        """Cut every connection, and give the port back."""
        self.close()
        self._end_thread()

    def open(self) -> None:
        """Listen."""
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()

    def close(self) -> None:
        """Refuse connections from now on, and cut those there are."""
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
        self._conversations = SocketServer(listener, self._converse, limit=LONGEST_HEAD)

    async def _close(self) -> None:
        if self._conversations is not None:
            await self._conversations.aclose()
            self._conversations = None

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request after another, until somebody has enough."""
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            while (request := await _request(reader)) is not None and await self._served(request, reader, writer):
                pass
        finally:
            self._at_once -= 1

    async def _served(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Deliver the answer to *request*; tells whether the connection goes on."""
        self.answering += 1
        try:
            response = self._answer(request)
            await asyncio.sleep(response.after_s)
            match response.delivery:
                case Delivery.WHOLE:
                    writer.write(_head(response) + response.body)
                    await writer.drain()
                    return request.headers.get("connection", "").lower() != "close"
                case Delivery.CUT:
                    await _last_words(writer, _head(response) + response.body[: len(response.body) // 2])
                case Delivery.NEVER | Delivery.DRIP | Delivery.RESET:
                    pass
        finally:
            self.answering -= 1
        await _withheld(response, reader, writer)
        return False


async def _request(reader: asyncio.StreamReader) -> Request | None:
    """The next request; None at the end of the connection, or where it speaks no HTTP."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    line, *headers = head.decode("latin-1").splitlines()[:-1]
    words = line.split(" ")
    if len(words) != 3:
        return None
    method, target, _version = words
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


async def _hung_up(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Wait until the caller hangs up, at most *seconds*; tells whether he did."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while await reader.read(LONGEST_HEAD):
                pass
            return True
    return False


async def _last_words(writer: asyncio.StreamWriter, words: bytes) -> None:
    """Say *words* and end the connection after them."""
    writer.write(words)
    writer.close()
    await writer.wait_closed()


async def _withheld(response: Response, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Keep the caller waiting, where that is how *response* is delivered."""
    if response.delivery is Delivery.NEVER:
        await _hung_up(reader, SILENCE_S)
    elif response.delivery is Delivery.DRIP:
        await _drip(reader, writer, response)


async def _drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(_head(response))
    for drop in response.body:
        if await _hung_up(reader, DRIP_S):
            return
        writer.write(bytes([drop]))
