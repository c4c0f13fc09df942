"""Run a command with the sandbox's settings, such as `python -m sandbox opencode`.

The servers are on the command's PATH.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandbox import NAMES, environment
from toolaccord.testing.programs import ProgramError

EXAMPLES = f"""examples:
  python -m sandbox opencode              a host whose servers have sample data
  python -m sandbox strategy-mcp --transport http
  python -m sandbox python -m sandbox.demo
  python -m sandbox env                   the environment itself

It starts the stand-ins that the environment names, and stops them when the
command ends: {len(NAMES)} variables, such as DATABASE_URL and REDIS_URL. Values of your
own environment are replaced. A single server needs no more than its --sandbox.

exit status: the command's; 1 if the sandbox cannot start, 2 without a command
"""


def main(arguments: Sequence[str]) -> int:
    """Start the sandbox, run the command, and stop the sandbox.

    Returns the exit code: the command's, 1 where the sandbox cannot start, 2 without a command that exists.
    """
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        usage="%(prog)s [-h] COMMAND [ARGUMENT ...]",
        description="Run a command with local stand-ins for every source, full of sample data.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the command, with its arguments")
    command = parser.parse_args(arguments).command
    if not command:
        parser.error("name a command to run, such as opencode; --help shows examples")
    if shutil.which(command[0], path=_search_path()) is None:
        parser.error(f"there is no program {command[0]} on the PATH; install it, or correct its name")
    try:
        with environment(NAMES) as settings:
            return run(command, settings)
    except (ProgramError, OSError, ValueError) as error:
        sys.stderr.write(f"sandbox: {error}\n")
        return 1


def _search_path() -> str:
    """Return the PATH of the command, which begins with the servers."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def run(command: Sequence[str], settings: Mapping[str, str]) -> int:
    """Run a command to its end and return its exit code; Ctrl-C interrupts the command alone."""
    with subprocess.Popen(command, env={**os.environ, **settings, "PATH": _search_path()}) as process:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # after the start: a command inherits ignored signals
        return process.wait()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
