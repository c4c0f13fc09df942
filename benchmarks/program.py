"""A server's process, as a host starts it, with its memory and processor time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
"""The resolution of processor times, in seconds."""


@dataclass(frozen=True, slots=True)
class Program:
    """A running process."""

    process: subprocess.Popen[bytes]

    @property
    def pipes(self) -> tuple[int, int]:
        """The descriptors of its output and of its input."""
        assert self.process.stdout
        assert self.process.stdin
        return self.process.stdout.fileno(), self.process.stdin.fileno()

    def memory_mib(self) -> float:
        """Return its resident set, in MiB."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE") / (1 << 20)

    def processor_s(self) -> float:
        """Return the seconds of processor time of all its threads."""
        return read_processor_s(self.process.pid)


def read_processor_s(pid: int) -> float:
    """Return the seconds of processor time of all threads of a process."""
    times = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) * TICK_S


def read_queued_s(pid: int) -> float:
    """Return the seconds for which a process's main thread could run, and had no core."""
    return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9


@contextmanager
def started(command: Sequence[str], folder: Path, settings: Mapping[str, str]) -> Iterator[Program]:
    """Start a server, with a process that reads its log; stop it at the end."""
    log = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # noqa: S607 - any cat on PATH
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
