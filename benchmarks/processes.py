"""The costs of whole processes."""

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
    """The cost of a process, with its children."""

    wall_s: float
    processor_s: float
    memory_mib: float
    """The largest resident set of one of them."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A process that has ended."""

    status: int
    output: str
    cost: Cost


def run(folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> Completed:
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
    result = json.loads(done.stderr)
    return Completed(result["status"], done.stdout, Cost(**result["cost"]))
