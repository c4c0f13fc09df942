"""Attacks by backends over HTTP: endless, compressed, redirecting and invalid answers."""

from __future__ import annotations

import itertools
import json
import socket
import socketserver
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from tests.attack.bodies import declared_codes
from tests.attack.channels import RestChannel
from tests.attack.lab import HttpServer, Lab
from tests.attack.records import Attack, Tally
from tests.contracts.reading import contracts
from tests.servers.harness import first_result_example

LIMIT = ["prlimit", "--as=6442450944", "--"]
"""Spares the machine: a server without bounds gets 6 GiB of addresses."""
_BLOCK = 1 << 20
_BOMB_BYTES = 1 << 30
_TOO_LARGE = b"x" * (20 * _BLOCK)
_REJECTED, _CALLERS = 400, 20
"""Answers above the limit, and calls in flight."""
_MAX_GROWTH_MIB = 64
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_Answer = Callable[["HostileService", socket.socket], None]


@dataclass
class HostileService:
    """An HTTP service that answers every request in one way."""

    answer: _Answer
    requests: list[bytes] = field(default_factory=list)
    port: int = 0

    @contextmanager
    def running(self) -> Iterator[HostileService]:
        """Serve on a free port of loopback."""
        service = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):  # the client had enough
                    while head := self.request.recv(65536):
                        service.requests.append(head)
                        service.answer(service, self.request)

        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
            server.daemon_threads, server.block_on_close = True, False
            self.port = server.server_address[1]
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield self
            finally:
                server.shutdown()


def _endless(start: bytes, row: bytes, _service: HostileService, client: socket.socket) -> None:
    """Send rows for as long as they are taken."""
    client.sendall(_OK + b"\r\n" + start)
    block = row * (_BLOCK // len(row))
    while True:
        client.sendall(block)


def _bomb(_service: HostileService, client: socket.socket) -> None:
    """Send white space that is a thousand times as long when it is decoded."""
    packer = zlib.compressobj(wbits=31)
    client.sendall(_OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n" + packer.compress(b"{"))
    for _ in range(_BOMB_BYTES // _BLOCK):
        client.sendall(packer.compress(b" " * _BLOCK))
    client.sendall(packer.compress(b"}") + packer.flush())
    client.shutdown(socket.SHUT_WR)


def _redirect(port: int, service: HostileService, client: socket.socket) -> None:
    target = service.requests[-1].split(b" ", 2)[1]
    client.sendall(
        b"HTTP/1.1 307 Moved\r\nLocation: http://localhost:%d%s\r\nContent-Length: 0\r\n\r\n" % (port, target)
    )


def _body(content: bytes, _service: HostileService, client: socket.socket) -> None:
    client.sendall(_OK + b"Content-Length: %d\r\n\r\n" % len(content) + content)


def _raw(data: bytes, _service: HostileService, client: socket.socket) -> None:
    client.sendall(data)
    client.shutdown(socket.SHUT_WR)


_RAW = (
    _OK + b"Content-Length: 1000000\r\n\r\n{",
    _OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    _OK + b"X: " + b"y" * 10_000_000 + b"\r\n\r\n{}",
    b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000,
    b"HTTP/1.1 99999 ?\r\n\r\n",
    b"\x16\x03\x01garbage",
    _OK + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nzzzz",
)
_JSON = (
    b"", b"null", b"[]", b"NaN", b'{"a": NaN}', b"[" * 100_000, b'{"a":' * 100_000, b"\xff" * 1000, b"9" * 1_000_000,
    b'"\\ud800"', b'{"results": 5}', b'{"results": [5]}', b'{"securities": 5, "marketdata": []}',
    b'{"securities": {"columns": ["SECID"], "data": [[1e999]]}, "marketdata": {"columns": [], "data": [[]]}}',
)  # fmt: skip
_VALUES = (
    b'"x"', b"true", b"[]", b"{}", b"1e400", b"NaN", b"-1", b"1e308", b"9007199254740993", b"99999999999999999999999",
)  # fmt: skip
_SERIES = b'{"results":[{"series":[{"name":"candles","columns":["time","open","high","low","close","volume"],"values":[[%s]]}]}]}'
_ROWS = [b"%s,1,2,1,1,5" % value for value in _VALUES] + [b"1700000000000,1,2,1,%s,5" % value for value in _VALUES]
_TABLE = (
    b"#datatype,string,long,dateTime:RFC3339,string,double,double,double,double,double\r\n#group,false,false,false,true,"
    b"false,false,false,false,false\r\n#default,_result,,,,,,,,\r\n,result,table,_time,currency_pair,open,high,low,close,volume\r\n"
)
_CSV_ROWS = (
    b",,0,2026-01-01T00:00:00Z,ETH/USD,x,1,1,1,1\r\n", b",,0,9999-99-99T00:00:00Z,ETH/USD,1,1,1,1,1\r\n",
    b",,0,0000-01-01T00:00:00Z,ETH/USD,1,1,1,1,1\r\n", b",,0,2026-01-01T00:00:00Z,ETH/USD,NaN,NaN,NaN,NaN,NaN\r\n",
    b",,0,2026-01-01T00:00:00Z,ETH/USD,1,1,1,+Inf,1\r\n", b",,x,2026-01-01T00:00:00Z,ETH/USD,1,1,1,1,1\r\n",
    b',,0,"2026-01-01T00:00:00Z\r\n', b",,0\r\n", b",,0," + b"9" * 200_000 + b"\r\n", b"\x00\xff\r\n",
)  # fmt: skip
_SOURCES: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "ISS": ("moex.iss", "MOEX_ISS_BASE_URL", {}),
    "InfluxQL": ("tradestream.market_data", "INFLUXDB_URL", {}),
    "Flux": (
        "tradestream.market_data",
        "INFLUXDB_URL",
        {"INFLUXDB_QUERY_LANGUAGE": "flux", "INFLUXDB_TOKEN": "t"},
    ),
}
"""By name of the source: the server, the setting of its address, and further settings."""
_ENDLESS = {
    "ISS": partial(_endless, b'{"securities":{"columns":["SECID"],"data":[', b'["SBER"],'),
    "InfluxQL": partial(_endless, _SERIES.partition(b"%s")[0], b"1700000000000,1,2,1,1,5],["),
    "Flux": partial(_endless, _TABLE, b",,0,2026-01-01T00:00:00Z,ETH/USD,1,2,1,1,5\r\n"),
}
_INVALID: Mapping[str, Sequence[bytes]] = {
    "ISS": _JSON,
    "InfluxQL": [*_JSON, *(_SERIES % row for row in _ROWS)],
    "Flux": [*_JSON[2:], *(_TABLE + row for row in _CSV_ROWS)],
}


def _attack_with_size(lab: Lab, tally: Tally) -> None:
    for source, endless in _ENDLESS.items():
        _attack_source(lab, tally, source, [endless, _bomb])


def _chunks(_service: HostileService, client: socket.socket) -> None:
    """Send 20 MiB whose length nobody announces."""
    client.sendall(_OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(_TOO_LARGE))
    client.sendall(_TOO_LARGE + b"\r\n0\r\n\r\n")


def _attack_memory(lab: Lab, tally: Tally) -> None:
    """Have each server reject many answers at once, and compare its memory before and after."""
    for source, (module, setting, settings) in _SOURCES.items():
        path = "/iss" if source == "ISS" else ""
        with HostileService(_chunks).running() as service:
            address = {setting: f"http://127.0.0.1:{service.port}{path}", "ISS_REQUESTS_PER_SECOND": "1000"}
            with lab.server(module, tally, {**settings, **address}, prefix=LIMIT) as server:
                _reject(lab.count(_CALLERS), source, server, tally)
                before = server.resident_mib()
                _reject(lab.count(_REJECTED), source, server, tally)
                grown = server.resident_mib() - before
                tally.check(grown <= _MAX_GROWTH_MIB, f"{source}: {grown:.0f} MiB stay after rejected answers")


def _reject(count: int, source: str, server: HttpServer, tally: Tally) -> None:
    """Make *count* calls with arguments of their own; all must fail with a declared error."""
    module = _SOURCES[source][0]
    tool = contracts()[module]["tools"][0]
    name, arguments = tool["name"], first_result_example(tool)["arguments"]
    varied = "ticker" if source == "ISS" else "limit"
    values = [f"T{number}" if source == "ISS" else number + 1 for number in range(count)]
    texts = [json.dumps({**arguments, varied: value}).encode() for value in values]
    with ThreadPoolExecutor(_CALLERS) as threads:
        for answer in threads.map(partial(RestChannel(server).call, name), texts):
            tally.check(answer.code in declared_codes(module, name), f"{source}: {name} answered {answer}")


def _attack_with_redirects(lab: Lab, tally: Tally) -> None:
    for source in _SOURCES:
        with HostileService(partial(_body, b"{}")).running() as foreign:
            _attack_source(lab, tally, source, [partial(_redirect, foreign.port)])
            tally.check(not foreign.requests, f"{source} followed a redirect: {foreign.requests[:1]}")


def _attack_with_garbage(lab: Lab, tally: Tally) -> None:
    for source, bodies in _INVALID.items():
        answers = [*(partial(_raw, data) for data in _RAW), *(partial(_body, content) for content in bodies)]
        _attack_source(lab, tally, source, answers[:: max(1, len(answers) // lab.count(len(answers)))], tools=1)


def _attack_source(
    lab: Lab, tally: Tally, source: str, answers: Sequence[_Answer], *, tools: int | None = None
) -> None:
    """Call the first *tools* of the server of *source* under each of *answers*."""
    module, setting, settings = _SOURCES[source]
    path = "/iss" if source == "ISS" else ""
    with HostileService(answers[0]).running() as service:
        address = {setting: f"http://127.0.0.1:{service.port}{path}"}
        with lab.server(module, tally, {**settings, **address}, prefix=LIMIT) as server:
            for service.answer, tool in itertools.product(answers, contracts()[module]["tools"][:tools]):
                answer = RestChannel(server).call(
                    tool["name"], json.dumps(first_result_example(tool)["arguments"]).encode()
                )
                is_kept = answer.code in declared_codes(module, tool["name"])
                tally.check(is_kept, f"{source}, {service.answer}: {tool['name']} answered {answer}")


ATTACKS = (
    Attack(
        "endless and compressed answers",
        "An endless answer and 1 GiB of gzip, of ISS, InfluxQL and Flux, get the error of the source, within 320 MiB.",
        _attack_with_size,
        max_peak_mib=320,
        max_health_ms=100,
    ),
    Attack(
        "answers above the limit",
        "After 400 answers of 20 MiB by ISS, InfluxQL and Flux, 20 at a time, a process takes at most 64 MiB more.",
        _attack_memory,
        max_peak_mib=512,
    ),
    Attack("redirects", "No source follows a redirect to another host.", _attack_with_redirects),
    Attack(
        "invalid answers",
        "Answers that are no HTTP, no JSON or CSV, or have wrong values and times, get a declared error.",
        _attack_with_garbage,
        max_peak_mib=320,
    ),
)
