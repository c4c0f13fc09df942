"""A service in a process of its own that tests can stop, kill, freeze and start again."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

PATIENCE_S = 60.0


class ServiceProcess:
    """Stops and freezes the process that `start` of a subclass sets."""

    _end: ClassVar = signal.SIGTERM
    """The signal that ends the service in good order."""
    _process: subprocess.Popen[Any] | None = None

    def start(self) -> None:
        """Start the service and wait until it answers."""
        raise NotImplementedError

    def stop(self, how: signal.Signals | None = None) -> None:
        """End the service, frozen or not, and wait until it is gone."""
        if self._process is not None:
            self._process.send_signal(how or self._end)
            if how != signal.SIGKILL:  # a frozen process dies of that one, and answers nothing before
                self._process.send_signal(signal.SIGCONT)
            self._process.communicate(timeout=PATIENCE_S)
            self._process = None

    def kill(self) -> None:
        """Kill the service."""
        self.stop(signal.SIGKILL)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let the service stand still; its connections stay open."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)
        try:
            yield
        finally:
            if self._process is not None:
                self._process.send_signal(signal.SIGCONT)

    @contextmanager
    def running(self) -> Iterator[Self]:
        """A service that is there, and gone at the end."""
        self.start()
        try:
            yield self
        finally:
            self.stop()
