"""Processor time of running processes, in nanoseconds, and how often they waited."""

from __future__ import annotations

import os
import resource
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_ESTABLISHED = "01"


@dataclass(frozen=True, slots=True)
class Usage:
    """Numbers of processes since their start."""

    processor_s: float
    waits: float
    """Times that a thread had nothing to do, and slept."""

    def __sub__(self, earlier: Usage) -> Usage:
        return Usage(self.processor_s - earlier.processor_s, self.waits - earlier.waits)

    def share(self, calls: int) -> Usage:
        """Return the part of one of some calls."""
        return Usage(self.processor_s / calls, self.waits / calls)


def find_family(*roots: int) -> Mapping[int, str]:
    """Return some processes and all that descend from them: the name of each by its id."""
    parents, names = {}, {}
    for pid in (int(each.name) for each in _PROC.iterdir() if each.name.isdigit()):
        with suppress(OSError):
            name, _, fields = (_PROC / f"{pid}/stat").read_text(encoding="utf-8").partition("(")[2].rpartition(")")
            names[pid], parents[pid] = name, int(fields.split()[1])
    found = set(roots)
    while new := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= new
    return {pid: names[pid] for pid in found if pid in names}


def read_usage(pids: Collection[int]) -> Usage:
    """Return the sums of all threads that these processes have now."""
    processor_ns = waits = 0
    for thread in _threads(pids):
        with suppress(OSError):
            processor_ns += int((thread / "schedstat").read_text(encoding="ascii").split()[0])
            waits += _read_waits(thread)
    return Usage(processor_ns / 1e9, waits)


def read_own_usage() -> Usage:
    """Return the usage of the calling thread."""
    own = resource.getrusage(resource.RUSAGE_THREAD)
    return Usage(own.ru_utime + own.ru_stime, own.ru_nvcsw)


def count_connections(pids: Iterable[int], port: int) -> Sequence[int]:
    """Return the connections that each process has accepted on a port of loopback."""
    rows = [line.split() for line in (_PROC / "net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    accepted = {row[9] for row in rows if int(row[1].partition(":")[2], 16) == port and row[3] == _ESTABLISHED}
    return [len(accepted & set(_list_sockets(pid))) for pid in pids]


def _list_sockets(pid: int) -> Iterator[str]:
    for number in (_PROC / f"{pid}/fd").iterdir():
        with suppress(OSError):
            yield str(number.readlink()).removeprefix("socket:[").removesuffix("]")


def place(pids: Collection[int], cores: Collection[int]) -> None:
    """Let all threads of some processes, and what they start, run on some cores alone."""
    for thread in _threads(pids):
        with suppress(OSError):
            os.sched_setaffinity(int(thread.name), cores)


def read_machine_s() -> float:
    """Return the processor time of all programs of the machine, in seconds."""
    user, nice, system, _idle, _waiting, *interrupts = map(
        int, (_PROC / "stat").read_text(encoding="ascii").partition("\n")[0].split()[1:8]
    )
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def _threads(pids: Collection[int]) -> Iterator[Path]:
    for pid in pids:
        with suppress(OSError):
            yield from (_PROC / f"{pid}/task").iterdir()


def _read_waits(thread: Path) -> int:
    status = (thread / "status").read_text(encoding="ascii", errors="replace")
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split(maxsplit=1)[0])
