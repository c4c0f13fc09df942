"""Measure lint and breaking as whole processes, beside buf on a protobuf twin of the tools.

Run with `nox -s bench -- evolution`. Both run in turns, round by round. buf runs as its own binary, without the Node.js
program of its npm package. Between runs, Python's byte code and buf's cache remain; "at first" is without either.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory, mkdtemp

from benchmarks.figures import spread
from benchmarks.large_contracts import property_table
from benchmarks.processes import Cost, run
from benchmarks.protobuf_twin import twin

ROOT = Path(__file__).parents[1]
ROUNDS = 7
TARGET = 2.0
"""The most time of a command, as a multiple of buf's."""
CODEGEN = (sys.executable, "-m", "toolaccord_codegen")
FORMER = {"type": "integer", "minimum": 0, "maximum": 9, "description": "Gone"}
"""The schema of a member that only older states have."""


@dataclass(frozen=True, slots=True)
class Step:
    """A task for both programs."""

    name: str
    ours: tuple[str, ...]
    bufs: tuple[str, ...]
    is_cold: bool = False
    """The caches are empty."""


def main() -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(
        prog="nox -s bench -- evolution", description="Measure lint and breaking beside buf."
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    buf = _fetch_buf()
    with TemporaryDirectory() as folder:
        home = Path(folder)
        _write_states(home)
        costs = measure(home, list(steps(buf)), rounds)
    version = subprocess.run([buf, "--version"], capture_output=True, encoding="utf-8", check=True).stdout.strip()
    cores, load = os.cpu_count(), f"{os.getloadavg()[0]:.1f}"
    print(f"{datetime.now(UTC).date()}: Python {platform.python_version()} and buf {version}, {platform.machine()}")
    print(f"{rounds} rounds; at the end {load} processes wanted one of {cores} cores; the target is {TARGET} times\n")
    print("\n".join(table(costs)))
    with TemporaryDirectory() as folder:
        print("", *property_table(Path(folder)), sep="\n")
    return 0


def _fetch_buf() -> str:
    """Return the path of buf.

    Raises CalledProcessError where it cannot be fetched.
    """
    done = subprocess.run([ROOT / ".ci/services", "buf"], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return done.stdout.strip()


def steps(buf: str) -> Iterator[Step]:
    """Yield the measured steps."""
    yield Step("lint", (*CODEGEN, "lint"), (buf, "lint", "proto"))
    ours, bufs = (*CODEGEN, "breaking", "--against"), (buf, "breaking", "proto", "--against")
    for state, name in (("same", "nothing changed"), ("one", "one server changed"), ("all", "every tool changed")):
        yield Step(
            f"breaking, a git ref, {name}", (*ours, f"refs/tags/{state}"), (*bufs, f".git#tag={state},subdir=proto")
        )
        yield Step(f"breaking, a folder, {name}", (*ours, f"{state}/contracts"), (*bufs, f"{state}/proto"))
    yield Step(
        "breaking, a folder, nothing changed, at first", (*ours, "same/contracts"), (*bufs, "same/proto"), is_cold=True
    )


def _write_states(home: Path) -> None:
    """Write contracts and twin to a repository, with three older states as tags and folders."""
    for name, chosen in (
        ("all", lambda _: True),
        ("one", lambda path: path == "strategy.json"),
        ("same", lambda _: False),
    ):
        copytree(ROOT / "contracts", home / "contracts", dirs_exist_ok=True)
        _add_former_members(home / "contracts", chosen)
        for path, text in twin(home / "contracts").items():
            place = home / "proto" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        _tag(home, name)
        for part in ("contracts", "proto"):
            copytree(home / part, home / name / part)


def _tag(home: Path, name: str) -> None:
    """Commit the contracts and the twin, and tag the commit."""
    git = ("git", "-C", str(home), "-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for command in (
        ("init", "--quiet"),
        ("add", "contracts", "proto"),
        ("commit", "--quiet", f"--message={name}"),
        ("tag", name),
    ):
        subprocess.run([*git, *command], check=True)


def _add_former_members(contracts: Path, chosen: Callable[[str], bool]) -> None:
    """Add an argument and a result member, which are removed since, to the chosen contracts.

    A tool with older versions stays as it is: each of them would have to map what the tool gets.
    """
    for path in contracts.glob("*/*.json"):
        if chosen(path.name) and not path.name.endswith(".accepted.json"):
            contract = json.loads(path.read_text(encoding="utf-8"))
            tools = [tool for tool in contract.get("tools", ()) if "versions" not in tool]  # an agent has none
            for tool in tools:
                for schema in (tool["parameters"], tool["returns"]):
                    if "$ref" not in schema:  # a referenced schema is also that of an event
                        schema["properties"]["former"] = {**FORMER}
            path.write_text(json.dumps(contract, indent=2), encoding="utf-8")


def measure(home: Path, steps: Sequence[Step], rounds: int) -> dict[str, tuple[list[Cost], list[Cost]]]:
    """Return toolaccord's and buf's costs of each round, by step."""
    found: dict[str, tuple[list[Cost], list[Cost]]] = {step.name: ([], []) for step in steps}
    for turn in range(rounds + 1):
        for step in steps:
            costs = [
                _measure_run(home, command, environment(home, is_cold=step.is_cold))
                for command in (step.ours, step.bufs)
            ]
            if turn:  # the first round compiles and fills caches
                for series, each in zip(found[step.name], costs, strict=True):
                    series.append(each)
    return found


def environment(home: Path, *, is_cold: bool) -> dict[str, str]:
    """Return the environment of a process; of a cold run, with empty caches of its own."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    empty = mkdtemp(dir=home)
    return {
        **known,
        "PYTHONPATH": str(ROOT),
        **({"PYTHONPYCACHEPREFIX": empty, "XDG_CACHE_HOME": empty} if is_cold else {}),
    }


def _measure_run(home: Path, command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a command to its end.

    Raises RuntimeError where it fails.
    """
    done = run(home, command, environment)
    if done.status not in {0, 1, 100}:  # 1 and 100: with findings
        raise RuntimeError(f"{command} ended with {done.status}: {done.output}")
    return done.cost


def table(costs: Mapping[str, tuple[list[Cost], list[Cost]]]) -> Iterator[str]:
    """Yield the rows: medians of the rounds, and of the ratios within a round."""
    yield "| | toolaccord, s | buf, s | times | processor, toolaccord, s | buf, s | times | memory, toolaccord, MiB | buf, MiB |"
    yield "|---|" + "---:|" * 8
    for name, sides in costs.items():
        cells: list[str] = []
        for key in ("wall_s", "processor_s"):
            numbers = [[getattr(each, key) for each in side] for side in sides]
            shares = spread([own / theirs for own, theirs in zip(*numbers, strict=True)])
            cells += [
                *(f"{spread(each).median:.2f}" for each in numbers),
                f"**{shares.median:.2f}** ({shares.low:.2f} to {shares.high:.2f})",
            ]
        cells += [f"{max(each.memory_mib for each in side):.0f}" for side in sides]
        yield f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
