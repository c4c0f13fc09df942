"""What whole processes cost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_METER = Path(__file__).with_name("meter.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took, with the processes that it started."""

    wall_s: float
    processor_s: float
    memory_mib: float
    """The most that one of them held."""


@dataclass(frozen=True, slots=True)
class Done:
    """A process that has ended."""

    status: int
    said: str
    cost: Cost


def run(folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> Done:
    """Run a command in a folder to its end."""
    metered = [sys.executable, "-I", "-S", str(_METER), *command]
    done = subprocess.run(
        metered,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    told = json.loads(done.stderr)
    return Done(told["status"], done.stdout, Cost(**told["cost"]))
