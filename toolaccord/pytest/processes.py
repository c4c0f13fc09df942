"""Server processes over HTTP, which end with the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server

_END_WITH_TESTS = 'exec 3<&0; (read -r _ <&3; kill -TERM $$) >/dev/null 2>&1 & exec "$@" 3<&-'
"""Shell script that runs a command, and stops it when its standard input closes."""
_LISTENING = re.compile(rb'listening on (https?://[^\s"]+)')
_START_S = 60.0
"""Seconds after which a process that does not listen has failed."""
_STOP_S = 30.0
"""Seconds after which a process that does not end is killed."""


class StartFailed(Exception):
    """A server process ended or hung before it listened; the text has its log."""


def build_environment(server: Server[Any], given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process of *server*.

    It has *given*, and no setting of the server that a developer may have set. It finds the modules that tests find.
    """
    declared = {each.env for each in server.settings}
    inherited = {name: value for name, value in os.environ.items() if name not in declared}
    return inherited | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)} | dict(given)


class HttpProcesses:
    """The processes over HTTP of a module of tests."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._processes: dict[tuple[str, frozenset[tuple[str, str]]], HttpProcess] = {}

    @contextmanager
    def use(self, module: str, server: Server[Any], settings: Mapping[str, str]) -> Iterator[str]:
        """Give the endpoint of the process that runs *module* with *settings*.

        It is started if it is missing. Processes of the module with other settings end, unless a test uses them. Raises
        StartFailed.
        """
        key = (module, frozenset(settings.items()))
        for other in [each for each in self._processes if each[0] == module]:
            if not self._processes[other].users and (other != key or self._processes[other].has_ended):
                self._processes.pop(other).end()
        if key not in self._processes:
            environment = build_environment(server, settings)
            self._processes[key] = HttpProcess(module, environment, self._logs / f"{server.name}.log")
        process = self._processes[key]
        process.users += 1
        try:
            yield process.wait_for_url()
        finally:
            process.users -= 1

    def end_all(self) -> None:
        """End all processes."""
        while self._processes:
            self._processes.popitem()[1].end()


class HttpProcess:
    """A server over HTTP on a free port of loopback."""

    def __init__(self, module: str, env: Mapping[str, str], log: Path) -> None:
        self.users = 0
        """Number of blocks that use it."""
        self._log = log
        self._listening: Future[str] = Future()
        command = [sys.executable, "-m", module, "--transport", "http", "--port", "0"]
        self._process = subprocess.Popen(
            ["sh", "-c", _END_WITH_TESTS, module, *command],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the tests, which end it
        )
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()

    def wait_for_url(self) -> str:
        """Wait until the server listens, and return its endpoint. Raises StartFailed."""
        try:
            return self._listening.result(_START_S) + "/mcp"
        except TimeoutError:
            raise StartFailed(f"The server did not listen within {_START_S:g} s; its log is {self._log}.") from None

    @property
    def has_ended(self) -> bool:
        """True if the process has ended by itself."""
        return self._process.poll() is not None

    def end(self) -> None:
        """Stop the process, and return when it has ended."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def _read_log(self) -> None:
        """Copy the log to the file, and find the URL in it."""
        assert self._process.stderr is not None
        lines = []
        with self._log.open("ab", buffering=0) as log, self._process.stderr as stderr:
            for line in stderr:
                log.write(line)
                if self._listening.done():
                    continue
                lines.append(line)
                if found := _LISTENING.search(line):
                    self._listening.set_result(found[1].decode())
        if not self._listening.done():
            text = b"".join(lines[-20:]).decode(errors="replace")
            self._listening.set_exception(StartFailed(f"The server did not start:\n{text}"))
