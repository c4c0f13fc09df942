"""The reference backtester: a gRPC server in a process of its own.

A strategy is defined by its spec in the sample data (specs.txt). The tables in indicators.py and
rules.py define its indicators and conditions. The same candles and parameters always give the same result.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sandbox import child


@contextmanager
def serve(*, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1, on *port* or a free one, and yield `host:port`. Raises SandboxError.

    The process ends with this one, even when this one is killed. Backtests that still run are aborted.
    """
    with child.running_module("backtester", "sandbox.backtester", str(port)) as target:
        yield target
