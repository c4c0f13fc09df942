"""A server's process, as a host starts it, and what the system knows of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
"""In what steps the system counts processor time."""


@dataclass(frozen=True, slots=True)
class Program:
    """A process that runs."""

    process: subprocess.Popen[bytes]

    @property
    def pipes(self) -> tuple[int, int]:
        """The descriptors of its output and of its input."""
        assert self.process.stdout
        assert self.process.stdin
        return self.process.stdout.fileno(), self.process.stdin.fileno()

    def memory_mib(self) -> float:
        """What it holds in memory."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE") / (1 << 20)

    def processor_s(self) -> float:
        """The seconds of processor time that it has used, all its threads together."""
        times = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) * TICK_S


@contextmanager
def started(command: Sequence[str], folder: Path, settings: Mapping[str, str]) -> Iterator[Program]:
    """Start a server, whose log goes through a pipe to a reader of its own; stop it at the end."""
    log = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # noqa: S607 - whichever cat there is
    assert log.stdin
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log.stdin,
        bufsize=0,
    )
    log.stdin.close()
    try:
        with process, log:
            try:
                yield Program(process)
            finally:
                process.terminate()
    finally:
        process.wait()
