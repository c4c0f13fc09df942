"""The reference backtester: a gRPC server in a process of its own.

A strategy is defined by its spec in the sample data (sandbox/tradestream/specs.txt). The tables in indicators.py and
rules.py define its indicators and conditions. The same candles and parameters always give the same result.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox import progress
from sandbox.errors import SandboxError

CHECKOUT = Path(__file__).parents[2]
STOPPING_S = 5.0


@contextmanager
def serve(*, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1, on *port* or a free one, and yield `host:port`. Raises SandboxError.

    The process ends with this one, even when this one is killed. Backtests that still run are aborted.
    """
    command = [sys.executable, "-m", "sandbox.backtester", str(port)]
    with subprocess.Popen(
        command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with progress.step("Starting the sandbox's backtester"):
            target = process.stdout.readline().strip()
        if not target:
            raise SandboxError("The sandbox's backtester did not start; its standard error is above.")
        try:
            yield target
        finally:
            process.stdin.close()
            try:
                process.wait(STOPPING_S)
            except subprocess.TimeoutExpired:
                process.kill()
