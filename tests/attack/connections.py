"""Attacks with connections that send or read slowly, or not at all."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

from tests.attack.lab import HttpServer, Lab
from tests.attack.raw_http import parse_responses, read_to_end, request
from tests.attack.records import UNANSWERED_MS, Attack, Tally

_MODULE = "tradestream.market_data"


@contextmanager
def _connected(server: HttpServer, number: int, *, buffer: int = 0) -> Iterator[list[socket.socket]]:
    """Give *number* connections that do not block, with receive buffers of *buffer* bytes."""
    with ExitStack() as stack:
        connections = []
        for _ in range(number):
            connection = stack.enter_context(socket.socket())
            if buffer:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", server.port))
            connections.append(connection)
        yield connections


def _wait_until_closed(connections: Sequence[socket.socket], seconds: float) -> Mapping[socket.socket, float]:
    """Return the seconds after which the server closed each of *connections*, reading nothing."""
    poll, start = select.poll(), time.monotonic()
    by_number = {connection.fileno(): connection for connection in connections}
    for connection in connections:
        poll.register(connection, select.POLLRDHUP)
    closed: dict[socket.socket, float] = {}
    while len(closed) < len(connections) and (left := start + seconds - time.monotonic()) > 0:
        for number, _ in poll.poll(left * 1000):
            poll.unregister(number)
            closed[by_number[number]] = time.monotonic() - start
    return closed


# --- slow senders --------------------------------------------------------------------------------------------------

_DRIP_S = 0.5
_CLOSED_S = 40
"""Seconds after which slow heads and bodies, which have 30 s, must have been rejected."""


def _attack_slowly(lab: Lab, tally: Tally) -> None:
    number = lab.count(200)
    head = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
    body = request("POST", "/mcp/tools/list", Content_Type="application/json", Content_Length="100000")
    with (
        lab.server(_MODULE, tally) as server,
        _connected(server, number) as heads,
        _connected(server, number) as bodies,
        _dripping({**dict.fromkeys(heads, head), **dict.fromkeys(bodies, body)}),
    ):
        closed = _wait_until_closed([*heads, *bodies], _CLOSED_S)
        for connection in bodies:
            statuses = [each.status for each in parse_responses(read_to_end(connection, 1))]
            tally.check(
                connection in closed and statuses == [408], f"a slow body: {closed.get(connection)}, {statuses}"
            )
        for connection in heads:
            tally.check(connection in closed, f"a slow head was still awaited after {_CLOSED_S} s")


@contextmanager
def _dripping(starts: Mapping[socket.socket, bytes]) -> Iterator[None]:
    """Send each start, and then a byte on each connection at intervals."""
    ended = threading.Event()

    def drip() -> None:
        rest = dict(starts)
        while not ended.wait(_DRIP_S):
            for connection in starts:
                with suppress(OSError):  # closed
                    connection.send(rest.pop(connection, b"1"))

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


# --- tiny chunks ---------------------------------------------------------------------------------------------------

_FLOODERS, _FLOOD_S, _PAUSE_S = 16, 10.0, 0.01
_TINY_CHUNKS = (b"1\r\n \r\n" * 20_000, b"5\r\n     \r\n" * 20_000)
_CLOSED_SOON_S = 8.0


def _attack_with_tiny_chunks(lab: Lab, tally: Tally) -> None:
    head = request("POST", "/mcp", Content_Type="application/json", Transfer_Encoding="chunked", Authorization="")
    with lab.server(_MODULE, tally) as server:
        end = time.monotonic() + _FLOOD_S * lab.scale
        threads = [
            threading.Thread(target=_flood, args=(server, head, _TINY_CHUNKS[number % 2], end, tally))
            for number in range(_FLOODERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _flood(server: HttpServer, head: bytes, chunks: bytes, end: float, tally: Tally) -> None:
    """Send *chunks* without a token while the server takes them, again and again until *end*."""
    while time.monotonic() < end:
        start, is_closed = time.monotonic(), False
        with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
            connection.settimeout(_CLOSED_SOON_S)
            try:
                connection.sendall(head)
                while time.monotonic() < min(end, start + _CLOSED_SOON_S):
                    connection.sendall(chunks)
            except OSError as error:
                is_closed = not isinstance(error, TimeoutError)
            tally.check(
                is_closed or time.monotonic() - start < _CLOSED_SOON_S,
                f"chunks were still taken after {_CLOSED_SOON_S} s",
            )
        time.sleep(_PAUSE_S)


# --- answers that nobody reads ------------------------------------------------------------------------------------

_PAGES = request("GET", "/docs/swagger-ui-bundle.js", Authorization="") * 50
_CONNECT_S = 10.0
_UNREAD_S, _STOPPED_S = 50, 14
"""Seconds after which an output that does not drain, and a stopping server, must have ended."""


def _attack_without_reading(lab: Lab, tally: Tally) -> None:
    settings = {"MCP_OPEN_PATHS": "/health,/ready,/docs"}
    with lab.server(_MODULE, tally, settings, prefix=["prlimit", "--nofile=1024:16384", "--"]) as server:
        with _connected(server, lab.count(1500), buffer=4096) as connections:
            _send_when_writable(connections)
            closed = _wait_until_closed(connections, _UNREAD_S)
            for connection in connections:
                tally.check(connection in closed, f"a connection was still held after {_UNREAD_S} s")
        with _connected(server, lab.count(200), buffer=4096) as connections:
            _send_when_writable(connections)
            tally.peaks_mib.append(server.peak_mib())
            server.process.terminate()
            end = time.monotonic() + _STOPPED_S
            while server.process.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            tally.check(server.process.poll() == 0, "the server did not stop within its grace")


def _send_when_writable(connections: Sequence[socket.socket]) -> None:
    """Send the requests on each of *connections* that is connected within ten seconds."""
    poll, by_number = select.poll(), {connection.fileno(): connection for connection in connections}
    for connection in connections:
        poll.register(connection, select.POLLOUT)
    end = time.monotonic() + _CONNECT_S
    while by_number and (left := end - time.monotonic()) > 0:
        for number, _ in poll.poll(left * 1000):
            poll.unregister(number)
            with suppress(OSError):  # closed
                by_number.pop(number).send(_PAGES)


# --- idle and half-closed connections ------------------------------------------------------------------------------

_IDLE_S, _MAX_LOG_BYTES = 20, 1 << 20


def _attack_idly(lab: Lab, tally: Tally) -> None:
    with (
        lab.server(_MODULE, tally, prefix=["prlimit", "--nofile=1024:1024", "--"]) as server,
        _connected(server, lab.count(1200)) as connections,
    ):
        closed = _wait_until_closed(connections, _IDLE_S)
        for connection in connections:
            tally.check(connection in closed, f"an idle connection was still open after {_IDLE_S} s")
        size = server.log.stat().st_size
        tally.check(size <= _MAX_LOG_BYTES, f"the log grew to {size:,} bytes")
    unanswered = sum(latency >= UNANSWERED_MS for latency in tally.latencies_ms)
    tally.check(not unanswered, f"{unanswered} probes of /health had no answer")


_HALF_CLOSED = (
    (b'{"status":"ok"}', request("GET", "/health")),
    (b"get_candles", request("POST", "/mcp/tools/list", b"{}")),
    (b"NOT_FOUND", request("POST", "/mcp/tools/call", b'{"name": "nothing", "arguments": {}}')),
    (b"DATABASE_ERROR", request("POST", "/mcp/tools/get_current_price", b'{"symbol": "ETH/USD"}')),
    (b"UNAUTHORIZED", request("GET", "/metrics", Authorization="")),
)
"""Requests with a part of their responses; the fourth waits for a source that nobody serves."""


def _attack_half_closed(lab: Lab, tally: Tally) -> None:
    with lab.server(_MODULE, tally) as server:
        for _ in range(lab.count(100)):
            for part, message in _HALF_CLOSED:
                with socket.create_connection(("127.0.0.1", server.port)) as connection:
                    connection.sendall(message)
                    connection.shutdown(socket.SHUT_WR)
                    answers = parse_responses(read_to_end(connection, 10))
                is_kept = len(answers) == 1 and answers[0].is_complete and part in answers[0].body
                tally.check(is_kept, f"{message!r}: {answers}")


ATTACKS = (
    Attack(
        "slow heads and bodies",
        "A head or a body that is not whole after 30 s ends the connection, a body with status 408; `/health` stays fast.",
        _attack_slowly,
        max_peak_mib=256,
        max_health_ms=100,
    ),
    Attack(
        "tiny chunks without a token",
        "16 connections that send chunks of one byte are closed soon; `/health` takes 100 ms at most at the median.",
        _attack_with_tiny_chunks,
        max_peak_mib=256,
        max_health_ms=100,
    ),
    Attack(
        "answers that nobody reads",
        "1,500 connections that request `/docs` and read nothing are closed after 30 s, within 512 MiB; SIGTERM still ends"
        " the server in time.",
        _attack_without_reading,
        max_peak_mib=512,
        max_health_ms=100,
    ),
    Attack(
        "idle connections",
        "1,200 connections without a byte, to a server with 1,024 descriptors, are closed soon; every probe of `/health` is"
        " answered, and the log stays below 1 MiB.",
        _attack_idly,
        max_peak_mib=256,
        max_health_ms=100,
    ),
    Attack(
        "half-closed clients",
        "A client that closes its sending side after a request gets its answer.",
        _attack_half_closed,
    ),
)
