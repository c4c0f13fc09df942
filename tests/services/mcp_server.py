"""A generated server over HTTP as a process, which can be killed, frozen and started again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Self

from tests.services.lines import Lines
from tests.services.served import free_port
from tests.toolaccord.process import PATIENCE_S, ROOT


class McpServer:
    """The server of *module* with *environ*, on one port."""

    log: Lines
    """Its log since its last start."""

    def __init__(self, module: str, environ: Mapping[str, str]) -> None:
        self._environ = os.environ | environ
        self._port = free_port()
        self._command = [sys.executable, "-m", module, "--transport", "http", "--port", str(self._port)]
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """The endpoint."""
        return f"http://127.0.0.1:{self._port}/mcp"

    @contextlib.contextmanager
    def running(self) -> Iterator[Self]:
        """Run meanwhile."""
        self._start()
        try:
            yield self
        finally:
            self._stop(signal.SIGTERM)

    @contextlib.contextmanager
    def killed(self) -> Iterator[None]:
        """Be dead meanwhile."""
        self._stop(signal.SIGKILL)
        try:
            yield
        finally:
            self._start()

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Accept connections and answer nothing meanwhile."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _start(self) -> None:
        """Start, and return when it listens."""
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.log = Lines(self._process.stderr)
        self.log.wait_for(lambda lines: next((line for line in lines if "listening on http://" in line), None))

    def _stop(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(PATIENCE_S)
