"""The machine of a measurement: processor, system, versions, date, and load."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

_PACKAGES = ("mcp", "fastmcp", "pydantic", "starlette", "uvicorn", "httptools", "orjson", "jsonschema-rs", "anyio")


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine, the versions and the date of a measurement."""

    processor: str
    cores: int
    memory_gib: float
    system: str
    python: str
    packages: dict[str, str]
    commit: str
    date: str
    load: float
    """The load average of the minute before the measurement."""


def describe_machine() -> Machine:
    """Return this machine's description."""
    root = Path(__file__).parents[2]
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory_gib=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") / (1 << 30),
        system=f"{platform.system()} {platform.release().partition('-')[0]}, {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={name: version(name) for name in _PACKAGES},
        commit=commit.stdout.strip() or "unknown",
        date=datetime.now(UTC).date().isoformat(),
        load=os.getloadavg()[0],
    )


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown"
