"""How long the judges of contracts take as whole processes, beside buf on a protobuf twin of the same tools.

Run with `nox -s bench -- evolution`. Both are started in turn, round by round; buf is its own binary, without the Node.js program that
npm starts it with. Between runs Python keeps its byte code, and buf what it likes in its cache folder; "at first" is without either.
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
from benchmarks.processes import Cost, run
from benchmarks.protobuf_twin import twin

ROOT = Path(__file__).parents[1]
ROUNDS = 7
TARGET = 2.0
"""How many times buf's time a command may take."""
CODEGEN = (sys.executable, "-m", "codegen")


@dataclass(frozen=True, slots=True)
class Step:
    """What both programs are asked."""

    name: str
    ours: tuple[str, ...]
    bufs: tuple[str, ...]
    first: bool = False
    """Whether nothing is left of runs before."""


def main() -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="nox -s bench -- evolution", description="Measure the judges beside buf.")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    buf = fetched()
    with TemporaryDirectory() as folder:
        home = Path(folder)
        states(home)
        costs = measured(home, list(steps(buf)), rounds)
    version = subprocess.run([buf, "--version"], capture_output=True, encoding="utf-8", check=True).stdout.strip()
    cores, load = os.cpu_count(), f"{os.getloadavg()[0]:.1f}"
    print(f"{datetime.now(UTC).date()}: Python {platform.python_version()} and buf {version}, {platform.machine()}")
    print(f"{rounds} rounds; at the end {load} processes wanted one of {cores} cores; the target is {TARGET} times\n")
    print("\n".join(table(costs)))
    return 0


def fetched() -> str:
    """Where buf is.

    Raises CalledProcessError where it cannot be had.
    """
    done = subprocess.run([ROOT / ".ci/services", "buf"], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return done.stdout.strip()


def steps(buf: str) -> Iterator[Step]:
    """Everything that is measured."""
    yield Step("lint", (*CODEGEN, "lint"), (buf, "lint", "proto"))
    ours, bufs = (*CODEGEN, "breaking", "--against"), (buf, "breaking", "proto", "--against")
    for state, name in (("same", "nothing changed"), ("one", "one server changed"), ("all", "every tool changed")):
        yield Step(
            f"breaking, a git ref, {name}", (*ours, f"refs/tags/{state}"), (*bufs, f".git#tag={state},subdir=proto")
        )
        yield Step(f"breaking, a folder, {name}", (*ours, f"{state}/contracts"), (*bufs, f"{state}/proto"))
    yield Step(
        "breaking, a folder, nothing changed, at first", (*ours, "same/contracts"), (*bufs, "same/proto"), first=True
    )


def states(home: Path) -> None:
    """The contracts and their twin in a repository, and three bases of them: each a tag, and a folder beside it."""
    for name, chosen in (
        ("all", lambda _: True),
        ("one", lambda path: path == "strategy.json"),
        ("same", lambda _: False),
    ):
        copytree(ROOT / "contracts", home / "contracts", dirs_exist_ok=True)
        older(home / "contracts", chosen)
        for path, text in twin(home / "contracts").items():
            place = home / "proto" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        tagged(home, name)
        for part in ("contracts", "proto"):
            copytree(home / part, home / name / part)


def tagged(home: Path, name: str) -> None:
    """Commit the contracts and the twin, and tag the commit."""
    git = ("git", "-C", str(home), "-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for command in (
        ("init", "--quiet"),
        ("add", "contracts", "proto"),
        ("commit", "--quiet", f"--message={name}"),
        ("tag", name),
    ):
        subprocess.run([*git, *command], check=True)


def older(contracts: Path, chosen: Callable[[str], bool]) -> None:
    """Write the chosen contracts as if every tool had lost an argument and a member of its result since."""
    for path in contracts.glob("*/*.json"):
        if chosen(path.name) and not path.name.endswith(".accepted.json"):
            contract = json.loads(path.read_text(encoding="utf-8"))
            for tool in contract["tools"]:
                for key in ("parameters", "returns"):
                    tool[key]["properties"]["former"] = {
                        "type": "integer",
                        "minimum": 0,
                        "maximum": 9,
                        "description": "Gone",
                    }
            path.write_text(json.dumps(contract, indent=2), encoding="utf-8")


def measured(home: Path, asked: Sequence[Step], rounds: int) -> dict[str, tuple[list[Cost], list[Cost]]]:
    """By step, what each round cost us, and buf."""
    found: dict[str, tuple[list[Cost], list[Cost]]] = {step.name: ([], []) for step in asked}
    for turn in range(rounds + 1):
        for step in asked:
            costs = [cost(home, command, surroundings(home, first=step.first)) for command in (step.ours, step.bufs)]
            if turn:  # the first round compiles and fills caches
                for kept, each in zip(found[step.name], costs, strict=True):
                    kept.append(each)
    return found


def surroundings(home: Path, *, first: bool) -> dict[str, str]:
    """The environment of a process; of a first run, with caches of its own that are empty."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    empty = mkdtemp(dir=home)
    return {
        **known,
        "PYTHONPATH": str(ROOT),
        **({"PYTHONPYCACHEPREFIX": empty, "XDG_CACHE_HOME": empty} if first else {}),
    }


def cost(home: Path, command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a command to its end.

    Raises RuntimeError where it could not do what it was asked for.
    """
    done = run(home, command, environment)
    if done.status not in {0, 1, 100}:  # 1 and 100: it has found something
        raise RuntimeError(f"{command} ended with {done.status}: {done.said}")
    return done.cost


def table(costs: Mapping[str, tuple[list[Cost], list[Cost]]]) -> Iterator[str]:
    """The rows: medians of the rounds; a ratio is of the same round."""
    yield "| | toolpact, s | buf, s | times | processor, toolpact, s | buf, s | times | memory, toolpact, MiB | buf, MiB |"
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
