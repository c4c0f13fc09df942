"""A real PostgreSQL of its own folder, which can be killed and started again."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from toolaccord.testing import postgresql
from toolaccord.testing.postgresql import Cluster

_PATIENCE_S = 30.0
_RETRY_S = 0.02


class PostgresqlServer:
    """A server whose data stay in *home*, and so does its address."""

    cluster: Cluster

    def __init__(self, home: Path) -> None:
        self._home = home
        self._uses = ExitStack()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self.cluster = self._uses.enter_context(postgresql.running(self._home))

    def kill(self) -> None:
        """Kill every process of the server at once, so that nothing is flushed."""
        main = int((self.cluster.data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        children = Path(f"/proc/{main}/task/{main}/children").read_text(encoding="utf-8").split()
        for process in (main, *map(int, children)):
            with suppress(ProcessLookupError):  # it ended by itself
                os.kill(process, signal.SIGKILL)
        end = time.monotonic() + _PATIENCE_S
        while Path(f"/proc/{main}").exists() and time.monotonic() < end:
            time.sleep(_RETRY_S)

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Run meanwhile; at the end the server is killed."""
        self.start()
        try:
            yield self
        finally:
            self.kill()
            self._uses.close()
