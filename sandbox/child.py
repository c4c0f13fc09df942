"""Modules of the sandbox that end with the process that started them."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import SandboxError
from toolaccord.testing import progress
from toolaccord.testing.programs import stop

_CHECKOUT = Path(__file__).parents[1]


@contextmanager
def running_module(name: str, module: str, *arguments: str) -> Iterator[str]:
    """Run a Python *module* until the end of the block, and yield its first line of output.

    It prints this line when it is ready. *name* is the program's for people. The module must end when its standard
    input does, so it ends with this process, even when this one is killed. Raises SandboxError if it ends before it is
    ready.
    """
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(
        command, cwd=_CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        try:
            with progress.step(f"Starting the sandbox's {name}"):
                line = process.stdout.readline().strip()
            if not line:
                raise SandboxError(f"The sandbox's {name} did not start; its standard error is above.")
            yield line
        finally:
            stop(process)
