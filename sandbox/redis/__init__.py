"""A Valkey of this process alone, which speaks Redis's protocol and starts empty.

It listens on a Unix socket in a folder that only its owner can enter: no password is needed, and no port.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox import child
from sandbox.redis.binary import find

SOCKET = "redis.sock"
OPTIONS = ("--port", "0", "--unixsocket", SOCKET, "--save", "", "--appendonly", "no")


@contextmanager
def serve() -> Iterator[str]:
    """Yield the URL of a Redis that ends with this process. Raises SandboxError."""
    with TemporaryDirectory(prefix="toolaccord-", ignore_cleanup_errors=True) as home:
        path = Path(home) / SOCKET
        with child.running("Redis", [os.fspath(find()), *OPTIONS], Path(home), lambda: _answers(path)):
            yield f"unix://{path}"


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(os.fspath(path)) == 0
