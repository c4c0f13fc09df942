"""A real InfluxDB 1.x on loopback that tests can stop, kill, freeze and start again."""

import json
import re
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.services.candles import Candle
from tests.services.service_process import PATIENCE_S, ServiceProcess

CONFIGURATION = """
reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
dir = "{home}/meta"
[data]
dir = "{home}/data"
wal-dir = "{home}/wal"
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:{port}"
log-enabled = false
auth-enabled = {auth}
max-row-limit = {row_limit}
[logging]
format = "logfmt"
"""


class Influxd(ServiceProcess):
    """An InfluxDB of this process; its first start chooses the port, later ones keep it."""

    def __init__(self, program: Path, home: Path, *, auth: bool = False, row_limit: int = 0) -> None:
        self._program, self._home = program, home
        self._options = {"auth": str(auth).lower(), "row_limit": row_limit}
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        written = self._home / "influxdb.conf"
        written.write_text(CONFIGURATION.format(home=self._home, port=self._port, **self._options), encoding="utf-8")
        log = self._home / "log"
        with log.open("wb") as stream:
            self._process = subprocess.Popen([self._program, "run", "-config", written], stdout=stream, stderr=stream)
        end = time.monotonic() + PATIENCE_S
        while not (found := re.search(r"Listening on HTTP.*addr=127\.0\.0\.1:(\d+)", log.read_text(encoding="utf-8"))):
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"influxd did not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.005)
        self._port = int(found[1])


def running(program: Path, home: Path, *, auth: bool = False, row_limit: int = 0) -> AbstractContextManager[Influxd]:
    """A server that is there, and gone at the end."""
    return Influxd(program, home, auth=auth, row_limit=row_limit).running()


def command(url: str, statement: str, **params: str) -> None:
    """Do *statement*: make a database, a user, or drop one."""
    address = f"{url}/query?{urllib.parse.urlencode(params)}"
    body = urllib.parse.urlencode({"q": statement}).encode()
    with _opener().open(address, body, PATIENCE_S) as response:
        answer = json.load(response)
    assert "error" not in str(answer), answer


def write(url: str, database: str, rows: Iterable[Candle], **params: str) -> None:
    """Write candles as the ingestion does: a tag, five fields, opening times in milliseconds."""
    lines = [
        f"candles,currency_pair={pair} open={opened},high={high},low={low},close={closed},volume={volume} {time_ms}"
        for pair, time_ms, opened, high, low, closed, volume in rows
    ]
    for start in range(0, len(lines), 20_000):
        write_lines(url, database, lines[start : start + 20_000], **params)


def write_lines(url: str, database: str, lines: Iterable[str], **params: str) -> None:
    """Write points in the line protocol, with times in milliseconds."""
    address = f"{url}/write?{urllib.parse.urlencode({'db': database, 'precision': 'ms'} | params)}"
    _opener().open(address, "\n".join(lines).encode(), PATIENCE_S).close()


def _opener() -> urllib.request.OpenerDirector:
    """No proxy can reach this machine's loopback."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))
