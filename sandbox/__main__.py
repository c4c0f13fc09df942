"""Run a command with the sandbox's settings, such as `python -m sandbox opencode`.

The servers are on the command's PATH.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandbox import NAMES, environment
from sandbox.errors import SandboxError


def main(command: Sequence[str]) -> int:
    """Start the sandbox, run the command, and stop the sandbox.

    Returns the exit code: the command's, 1 where the sandbox cannot start, 2 without a command.
    """
    if not command:
        sys.stderr.write("usage: python -m sandbox COMMAND [ARGUMENT ...]\n")
        return 2
    try:
        with environment(NAMES) as settings:
            return run(command, settings)
    except (SandboxError, OSError) as error:
        sys.stderr.write(f"sandbox: {error}\n")
        return 1


def run(command: Sequence[str], settings: Mapping[str, str]) -> int:
    """Run a command to its end and return its exit code; Ctrl-C interrupts the command alone."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    with subprocess.Popen(command, env={**os.environ, **settings, "PATH": path}) as process:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # after the start: a command inherits ignored signals
        return process.wait()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
