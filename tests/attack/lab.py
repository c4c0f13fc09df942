"""A place for attacks: servers as processes, measured from outside, and their backends."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from sandbox.tradestream.database import DATABASE
from tests.attack import health
from tests.attack.records import UNANSWERED_MS, NotRunError, Tally
from tests.contracts.reading import ROOT
from tests.servers.validation.test_requests_on_stdio import SETTINGS as UNREACHABLE
from tests.services.fetched import fetch
from tests.services.served import LISTENING
from toolaccord.testing import postgresql

TOKEN = "open-5e5ame"
OPEN_SETTINGS = {
    "MCP_AUTH_TOKEN": TOKEN,
    "INFLUXDB_QUERY_LANGUAGE": "influxql",
    "MOEX_ISS_BASE_URL": "http://127.0.0.1:9/iss",
    **UNREACHABLE,
}
"""The settings of a server without backends; `/health` and `/ready` alone need no token."""
_PATIENCE_S = 60.0
_STOP_S = 15.0
"""Seconds within which a server must have stopped: its grace period and a little."""


@dataclass(frozen=True, slots=True)
class AttackedProcess:
    """A process that is measured by the kernel's figures of it."""

    process: subprocess.Popen[bytes]

    def peak_mib(self) -> float:
        """Return the largest resident set so far."""
        return self._memory_mib("VmHWM")

    def resident_mib(self) -> float:
        """Return the present resident set."""
        return self._memory_mib("VmRSS")

    def _memory_mib(self, name: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(rf"{name}:\s+(\d+) kB", status)
        assert found, "the process has ended"
        return int(found[1]) / 1024

    def processor_s(self) -> float:
        """Return the processor time of all threads so far."""
        return _processor_s(self.process.pid)


def _processor_s(pid: int) -> float:
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text(encoding="utf-8").split()[0]) for task in tasks) / 1e9


@dataclass(frozen=True, slots=True)
class HttpServer(AttackedProcess):
    """A server that listens on loopback."""

    port: int
    log: Path
    """Its standard error."""

    @property
    def url(self) -> str:
        """Its URL, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def log_lines(self) -> list[str]:
        """Return the lines of its log so far."""
        return self.log.read_text(encoding="utf-8", errors="replace").split("\n")


@dataclass
class Lab:
    """Starts servers of a checkout, in *folder*, and everything that they need."""

    stack: ExitStack
    """Ends the shared backends."""
    folder: Path
    """An empty folder for files."""
    scale: float = 1.0
    """The share of the inputs that attacks send."""
    checkout: Path = ROOT
    """The checkout whose servers and compiler are attacked."""
    _serial: list[int] = field(default_factory=lambda: [0])

    def count(self, full: int) -> int:
        """Return the number of inputs instead of *full*."""
        return max(1, round(full * self.scale))

    @property
    def python(self) -> str:
        """The interpreter of the checkout; without one of its own, that of this process."""
        own = self.checkout / ".venv/bin/python"
        return os.fspath(own) if own.exists() else sys.executable

    def new_folder(self) -> Path:
        """Make an empty folder."""
        self._serial[0] += 1
        folder = self.folder / f"attack{self._serial[0]}"
        folder.mkdir()
        return folder

    def program(self, name: str) -> Path:
        """Return the path of a program that `.ci/services` fetches. Raises NotRunError."""
        path, complaint = fetch(name)
        if path is None:
            raise NotRunError(f"no {name}: {complaint}")
        return path

    @cached_property
    def database(self) -> str:
        """The URL of a database with today's sample market, removed at the end."""
        cluster = self.stack.enter_context(postgresql.temporary())
        asyncio.run(DATABASE.prepare(cluster, datetime.now(UTC)))
        return cluster.url(DATABASE.name)

    @contextmanager
    def server(
        self, module: str, tally: Tally, settings: Mapping[str, str] | None = None, *, prefix: Sequence[str] = ()
    ) -> Iterator[HttpServer]:
        """Run the server *module* over HTTP, probe it, and note its costs; stop it at the end.

        *prefix* is a command that runs the server, such as prlimit.
        """
        with self.start_server(module, settings, prefix=prefix) as server:
            with probe(server.port, tally.latencies_ms):
                yield server
            if server.process.poll() is None:
                tally.peaks_mib.append(server.peak_mib())

    @contextmanager
    def start_server(
        self,
        module: str,
        settings: Mapping[str, str] | None = None,
        *,
        port: int = 0,
        prefix: Sequence[str] = (),
        arguments: Sequence[str] = (),
    ) -> Iterator[HttpServer]:
        """Run the server *module* over HTTP on *port* or a free one; stop it at the end."""
        program = module if module.startswith("tests.") else f"generated.{module}"
        command = [*prefix, self.python, "-m", program, "--transport", "http", "--port", str(port), *arguments]
        with self._start(command, settings) as server:
            yield server

    @contextmanager
    def agent(self, module: str, tally: Tally, settings: Mapping[str, str]) -> Iterator[HttpServer]:
        """Run the agent *module* over A2A, probe it, and note its costs; stop it at the end."""
        command = [self.python, "-m", module, "--a2a", "--port", "0"]
        with self._start(command, settings) as agent, probe(agent.port, tally.latencies_ms):
            yield agent
            tally.peaks_mib.append(agent.peak_mib())

    @contextmanager
    def _start(self, command: Sequence[str], settings: Mapping[str, str] | None) -> Iterator[HttpServer]:
        log = self.new_folder() / "log"
        environment = os.environ | OPEN_SETTINGS | dict(settings or {})
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                command, cwd=self.checkout, env=environment, stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr
            )
        try:
            yield HttpServer(process, _wait_for_port(process, log), log)
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop *process*, by force if it does not stop within its grace."""
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def probe(port: int, latencies_ms: list[float]) -> Iterator[None]:
    """Probe `/health` from another process meanwhile; append to *latencies_ms*."""
    command = [sys.executable, "-S", health.__file__, str(port), str(UNANSWERED_MS / 1000)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.stdin.close()
            latencies_ms += json.loads(process.stdout.read())


def _wait_for_port(process: subprocess.Popen[bytes], log: Path) -> int:
    end = time.monotonic() + _PATIENCE_S
    while not (found := LISTENING.search(log.read_bytes())):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the server did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")
        time.sleep(0.01)
    return int(found[1].rpartition(b":")[2])
