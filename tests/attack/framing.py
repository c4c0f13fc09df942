"""Attacks on the bounds between requests, directly and through proxies."""

from __future__ import annotations

import itertools
import random
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tests.attack import health
from tests.attack.lab import HttpServer, Lab
from tests.attack.raw_http import exchange_all, parse_responses, read_to_end, request
from tests.attack.records import Attack, Tally
from tests.services import haproxy, nginx
from tests.services.served import free_port

_Proxy: TypeAlias = Callable[[Path, Path, int, str], AbstractContextManager[str]]
"""Runs a program in a folder, on a port, before an address."""

_MODULE = "tradestream.market_data"
_MARK = "smuggled"
_HIDDEN = f"GET /hidden HTTP/1.1\r\nHost: localhost\r\nX-Correlation-ID: {_MARK}\r\n\r\n"
"""A request that every correct reader takes for a part of a body."""
_PATIENCE_S = 20.0
_QUIET_S = 0.4
"""Seconds of silence after which a connection that stays open is left."""
_CODINGS = (
    "Transfer-Encoding: chunked", "Transfer-Encoding: Chunked", "Transfer-Encoding : chunked", "Transfer-Encoding:chunked",
    "Transfer-Encoding:\tchunked", "Transfer-Encoding: \x0bchunked", "Transfer-Encoding: chunked\x0b", "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked", "Transfer-Encoding: chunked, chunked",
    "Transfer-Encoding: gzip, chunked", 'Transfer-Encoding: "chunked"', "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: chunk",
    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding:\r\n chunked", "Transfer-Encoding\r\n: chunked", "X: y\nTransfer-Encoding: chunked",
    "X: y\rTransfer-Encoding: chunked", " Transfer-Encoding: chunked", "transfer-encoding: CHUNKED", "Transfer-Encoding: ,chunked",
    "Transfer-Encoding: chunked,", "Transfer-Encoding: \x00chunked", "Transfer-Encoding\x00: chunked",
)  # fmt: skip
_LENGTHS = (
    "Content-Length: {}", "Content-Length: +{}", "Content-Length: 0{}", "content-length:{}", "Content-Length: {}\r\nContent-Length: {}",
    "Content-Length: {}, {}", "Content-Length: {} ", "Content-Length: {}\x0b", "Content-Length : {}",
)  # fmt: skip
_CHUNK_SIZES = (
    "{:x}", "{:X}", "0x{:x}", "+{:x}", "-{:x}", " {:x}", "{:x} ", "{:x}\t", "{:x};a=b", '{:x};a="\r\n"', "{:x};\n", "{:x}\n;",
    "0{:x}", "00000000000000000{:x}", "1000000000000000{:x}", "ffffffffffffffff{:x}", "{:x}.0", "{:x}e0", "{:x},0", "{:x}\x00",
    "{:x}\x0b", "{:x}_0", "{:x};a\rb",
)  # fmt: skip
_CHUNK_ENDS = ("\r\n", "\n", "\r", "", "\n\n", "\r\r\n")


def _ambiguous_messages() -> Iterator[bytes]:
    """Yield messages of two lengths, in which one of them makes a request of the body's end."""
    for coding, length, hides_behind_chunks in itertools.product(_CODINGS, _LENGTHS, (True, False)):
        end_first = f"0\r\n\r\n{_HIDDEN}"
        in_chunk = f"{len(_HIDDEN):x}\r\n{_HIDDEN}\r\n0\r\n\r\n"
        body, size = (end_first, len(end_first)) if hides_behind_chunks else (in_chunk, in_chunk.index("\n") + 1)
        fields = [coding, length.format(size, size)]
        yield _message(fields, body)
        yield _message(fields[::-1], body)


def _chunk_messages() -> Iterator[bytes]:
    """Yield messages whose last chunk holds a request, after chunks of doubtful form."""
    for size, end, after in itertools.product(_CHUNK_SIZES, _CHUNK_ENDS, _CHUNK_ENDS):
        if (end, after) != ("\r\n", "\r\n") or size not in _CHUNK_SIZES[:2]:
            body = f"{size.format(1)}{end}x{after}{len(_HIDDEN):x}\r\n{_HIDDEN}\r\n0\r\n\r\n"
            yield _message(["Transfer-Encoding: chunked"], body)


def _message(fields: Sequence[str], body: str) -> bytes:
    head = request("POST", "/mcp/tools/list", Content_Type="application/json").removesuffix(b"\r\n")
    return head + "\r\n".join([*fields, "", body]).encode("latin-1")


def _attack_framing(lab: Lab, tally: Tally, *, program: str = "", proxy: _Proxy | None = None) -> None:
    with lab.server(_MODULE, tally) as server:
        if proxy is None:
            _send_all(lab, tally, server, server.port)
            return
        port = free_port()
        with proxy(lab.program(program), lab.new_folder(), port, f"127.0.0.1:{server.port}"):
            _wait_until_ready(port)
            _send_all(lab, tally, server, port)


def _wait_until_ready(port: int) -> None:
    """Wait until the proxy on *port* passes requests on. Raises TimeoutError."""
    end = time.monotonic() + _PATIENCE_S
    while health.probe(port, 1) >= 1:
        if time.monotonic() > end:
            raise TimeoutError("the proxy did not start")
        time.sleep(0.05)


def _send_all(lab: Lab, tally: Tally, server: HttpServer, port: int) -> None:
    """Send all messages to *port*; the hidden request must reach neither response nor log."""
    every = [*_ambiguous_messages(), *_chunk_messages()]
    messages = every[:: max(1, len(every) // lab.count(len(every)))]
    for message, received in zip(messages, exchange_all(port, messages, quiet_s=_QUIET_S), strict=True):
        tally.check(_MARK not in received.decode("latin-1"), f"{message!r}: {received!r}")
    victims = exchange_all(port, [request("GET", "/health", Connection="close")] * lab.count(100))
    for received in victims:
        tally.check(b'{"status":"ok"}' in received, f"the response to another client: {received!r}")
    hidden = [line for line in server.log_lines() if _MARK in line]
    tally.check(not hidden, f"a hidden request reached the server: {hidden[:2]}")


def _haproxy(program: Path, folder: Path, port: int, address: str) -> AbstractContextManager[str]:
    options = ("http-reuse always", "http-request set-header X-Correlation-ID proxied")
    return haproxy.proxy(program, folder, port, [address], options, "/health")


_PIPELINED: Sequence[tuple[int, bytes]] = (
    (200, request("GET", "/health")),
    (200, request("POST", "/mcp/tools/list", b"{}")),
    (200, request("GET", "/metrics")),
    (
        200,
        request("POST", "/mcp/tools/list", Transfer_Encoding="chunked") + b"1\r\n{\r\n1;x=y\r\n}\r\n0\r\nT: v\r\n\r\n",
    ),
    (400, request("POST", "/mcp/tools/call", b"{")),
    (400, request("POST", "/mcp/tools/get_candles", b'{"symbol": 1}')),
    (400, request("POST", "/mcp", b"[]", Accept="application/json, text/event-stream")),
    (401, request("POST", "/mcp/tools/list", b"GET /health HTTP/1.1\r\n\r\n", Authorization="Bearer wrong")),
    (404, request("POST", "/mcp/tools/call", b'{"name": "nothing", "arguments": {}}')),
    (404, request("GET", "/nowhere")),
    (405, request("PUT", "/health", b"{}")),
    (415, request("POST", "/mcp/tools/list", b"{}", Content_Type="text/plain")),
    (421, request("GET", "/docs", Host="evil.example")),
)
"""Requests with their statuses; a rejection before its body has arrived ends the connection."""


def _attack_pipelining(lab: Lab, tally: Tally) -> None:
    chance = random.Random(1)
    with lab.server(_MODULE, tally) as server:
        for _ in range(lab.count(400)):
            mix = chance.choices(_PIPELINED, k=chance.randint(2, 30))
            data = b"".join(message for _, message in mix) + request("GET", "/health", Connection="close")
            expected = [*(status for status, _ in mix), 200]
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for piece in _cut(data, chance):
                    connection.sendall(piece)
                responses = parse_responses(read_to_end(connection, 10))
            statuses = [each.status for each in responses]
            for status, received in zip(expected, statuses, strict=False):
                tally.check(status == received, f"{expected}: {statuses}")
            was_rejected = statuses[-1:] > [200] and responses[-1].headers.get("connection") == "close"
            tally.check(len(statuses) == len(expected) or was_rejected, f"{expected}: only {statuses}")


def _cut(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Yield *data* in pieces of random sizes, many of them tiny."""
    place = 0
    while place < len(data):
        size = chance.choice((1, 2, 7, 100, 1000, 100_000))
        yield data[place : place + size]
        place += size


_ONE_REQUEST = "A request inside a doubtful body is never answered, logged or given to another client"
ATTACKS = (
    Attack("lengths and chunks", f"{_ONE_REQUEST}.", _attack_framing),
    Attack(
        "lengths and chunks through HAProxy",
        f"{_ONE_REQUEST}, also behind Debian's HAProxy with shared connections.",
        partial(_attack_framing, program="haproxy", proxy=_haproxy),
    ),
    Attack(
        "lengths and chunks through nginx",
        f"{_ONE_REQUEST}, also behind Debian's nginx with shared connections.",
        partial(_attack_framing, program="nginx", proxy=nginx.proxy),
    ),
    Attack(
        "pipelining",
        "Each request of a mix gets its own response, in order, however it is cut. Only a rejection, which says so, "
        "ends the connection.",
        _attack_pipelining,
    ),
)
