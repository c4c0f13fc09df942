"""Programs for tests and sandboxes that end with the process that started them."""

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toolaccord.testing import progress

_END_WITH_PARENT = 'exec 3<&0; (read -r _ <&3; kill -TERM $$) & exec "$@" 3<&-'
"""Shell script that runs a command, and stops it when its standard input closes."""
_START_TIMEOUT_S = 20.0
_STOP_TIMEOUT_S = 5.0
_POLL_S = 0.005


class ProgramError(RuntimeError):
    """A program cannot start; the message names the cause and the remedy."""


@contextmanager
def running(name: str, command: Sequence[str], folder: Path, is_ready: Callable[[], bool]) -> Iterator[None]:
    """Run *command* in *folder* until the end of the block, which begins when *is_ready*.

    *name* is the program's for people; its output goes to the file `log`. The program ends with this process, even when
    this one is killed. Raises ProgramError if the program ends or does not get ready.
    """
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", "-c", _END_WITH_PARENT, name, *command],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the process that uses the program
        )
    try:
        with progress.step(f"Starting {name}"):
            if not _wait(process, is_ready):
                lines = (folder / "log").read_text(encoding="utf-8", errors="replace").splitlines()
                raise ProgramError(f"{name} did not start:\n" + "\n".join(lines[-10:]))
        yield
    finally:
        stop(process)


def _wait(process: subprocess.Popen[bytes], is_ready: Callable[[], bool]) -> bool:
    """Block until the program is ready; return False if it ends before, or takes too long."""
    limit = time.monotonic() + _START_TIMEOUT_S
    while not is_ready():
        if process.poll() is not None or time.monotonic() > limit:
            return False
        time.sleep(_POLL_S)
    return True


def stop(process: subprocess.Popen[Any]) -> None:
    """End a program by closing its standard input, or else by force."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
