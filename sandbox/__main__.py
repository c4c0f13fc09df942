"""Runs a command with the sandbox's settings, and with the servers on its path: `python -m sandbox opencode`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandbox import PROVIDERS, environment
from sandbox.errors import SandboxError


def main(command: Sequence[str]) -> int:
    """Start what the settings name, run the command, stop again; return the command's exit code, 2 without a command."""
    if not command:
        sys.stderr.write("usage: python -m sandbox COMMAND [ARGUMENT ...]\n")
        return 2
    try:
        with environment(list(PROVIDERS)) as given:
            return run(command, given)
    except (SandboxError, OSError) as error:
        sys.stderr.write(f"sandbox: {error}\n")
        return 1


def run(command: Sequence[str], settings: Mapping[str, str]) -> int:
    """Run a command to its end; what the keyboard says is for the command alone."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    with subprocess.Popen(command, env={**os.environ, **settings, "PATH": path}) as process:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # after the start: a command inherits what is ignored
        return process.wait()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
