"""A stand-in for Swimmy's Guardian: a process that backtests messages from ZeroMQ.

It reads S-expressions as the Guardian does, runs strategies with the reference backtester on sample candles, publishes
the results, and writes the status files. What the real one would forward to a broker is recorded, and goes nowhere.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sandbox import child

JOURNAL = "received.jsonl"
"""The file of all messages that arrived: a line of JSON each, with `route` and `message`."""
STATUS, BACKTEST_STATUS, METRICS = "swimmy_status", "backtest_status.txt", "system_metrics.sexp"
"""The names of the status files."""


@dataclass(frozen=True, slots=True)
class Guardian:
    """A running Guardian."""

    endpoint: str
    """The ZeroMQ address of its SUB socket, for requests."""
    results_endpoint: str
    """The ZeroMQ address of its PUB socket, for results."""
    folder: Path

    @property
    def status_file(self) -> str:
        """The path of the system's status."""
        return str(self.folder / STATUS)

    @property
    def backtest_status_file(self) -> str:
        """The path of the status of backtests; there is no such file before the first result."""
        return str(self.folder / BACKTEST_STATUS)

    @property
    def metrics_file(self) -> str:
        """The path of the system's metrics."""
        return str(self.folder / METRICS)

    def received(self) -> list[dict[str, Any]]:
        """Return all messages that arrived, with the `route` of each."""
        journal = self.folder / JOURNAL
        lines = journal.read_text("utf-8").split("\n") if journal.exists() else [""]
        return [json.loads(line) for line in lines[:-1]]  # the last one may be half written


@contextmanager
def serve() -> Iterator[Guardian]:
    """Run a Guardian on loopback, which ends with this process. Raises SandboxError."""
    with (
        TemporaryDirectory(prefix="toolaccord-", ignore_cleanup_errors=True) as folder,
        child.running_module("Guardian", "sandbox.guardian", folder) as line,
    ):
        yield Guardian(**json.loads(line), folder=Path(folder))
