"""The measured servers: toolaccord, on a compiled package, and its peers on the same rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copy, copytree
from tempfile import TemporaryDirectory

from benchmarks.servers.contract import CACHED, FOLDER, contract, copies

ROOT = Path(__file__).parents[1]
TOOLACCORD = "toolaccord"
RECORDS = "toolaccord, records"
REFERENCE = "toolaccord --reference"
LOWLEVEL = "SDK, low-level"
MCPSERVER = "SDK, MCPServer"
FASTMCP = "FastMCP"
FASTMCP_CACHE = "FastMCP, its cache"
_OURS = "measured.bench.market"


@dataclass(frozen=True, slots=True)
class Contender:
    """A server that is measured."""

    name: str
    command: tuple[str, ...]
    folder: Path
    """Its working directory."""

    def over_http(self, port: int) -> tuple[str, ...]:
        """Return its command line to serve over HTTP."""
        return (*self.command, "--transport", "http", "--port", str(port))

    @property
    def settings(self) -> dict[str, str]:
        """Environment variables beside those of this process; they switch off FastMCP's telemetry."""
        return {"PYTHONPATH": str(ROOT), "FASTMCP_TELEMETRY_MODE": "off", "FASTMCP_CHECK_FOR_UPDATES": "off"}


@contextmanager
def contenders(more: int = 0) -> Iterator[tuple[Contender, ...]]:
    """Yield all contenders, each with the measured tools and *more* others."""
    with TemporaryDirectory(prefix="toolaccord-bench-") as folder:
        home, of_records = Path(folder, "rows"), Path(folder, "records")
        _compile_toolaccord(home, more)
        _compile_toolaccord(of_records, more, "record_handlers")
        ours = Contender(TOOLACCORD, (sys.executable, "-m", _OURS), home)
        records = Contender(RECORDS, ours.command, of_records)
        reference = Contender(REFERENCE, (*ours.command, "--reference"), home)
        yield (ours, records, *([reference] if _has_reference(ours) else []), *peers(more))


def peers(more: int) -> tuple[Contender, ...]:
    """Return the contenders beside toolaccord."""
    served = {
        LOWLEVEL: ("lowlevel",),
        MCPSERVER: ("mcpserver",),
        FASTMCP: ("fastmcp_server",),
        FASTMCP_CACHE: ("fastmcp_server", "--cache"),
    }
    return tuple(
        Contender(name, (sys.executable, "-m", f"benchmarks.servers.{module}", *options, "--more", str(more)), ROOT)
        for name, (module, *options) in served.items()
    )


def _compile_toolaccord(home: Path, more: int, served: str = "row_handlers") -> None:
    """Write the contract and the *handlers* to *home*, and compile the package."""
    handlers = home / "measured_handlers"
    copytree(FOLDER / served, handlers)
    for package in (handlers, handlers / "bench"):
        (package / "__init__.py").touch()
    same = {**dict.fromkeys(copies(more), "top_strategies"), **{new: old for old, new in CACHED.items()}}
    with (handlers / "bench/market.py").open("a", encoding="utf-8") as module:
        module.writelines(f"{new} = {old}\n" for new, old in same.items())
    path = home / "contracts/bench/market.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(contract(more)), encoding="utf-8")
    copy(FOLDER / "contracts/dialects.json", home / "contracts")
    _run(home, "-m", "toolaccord_codegen", "generate", "--package", "measured", "--handlers", "measured_handlers")
    _run(home, "-m", "compileall", "-q", ".")


def _has_reference(ours: Contender) -> bool:
    return "--reference" in _run(ours.folder, *ours.command[1:], "--help")


def _run(home: Path, *arguments: str) -> str:
    """Run Python in *home*, with this checkout on its path; return its output."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=home, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise RuntimeError(f"{arguments} failed: {done.stdout}{done.stderr}")
    return done.stdout
