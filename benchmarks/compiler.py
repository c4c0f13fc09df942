"""What `generate` and `check` cost, as whole processes: from nothing, after edits, and with nothing changed.

Run with `nox -s bench -- compiler`. The best of several runs is printed, since noise only ever adds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.pace import tell
from benchmarks.processes import Cost, run

ROOT = Path(__file__).parents[1]
RUNS = 3
TIMES = 10
MOST_TIMES = 12
"""What ten times the contracts may cost, in times of what they cost once."""
MET = {True: "yes", False: "no"}
HARMLESS = ("MISSING_HANDLER", "problem(s)", "What changed:", "nothing changed")
"""What `check` may say: the contracts lie in a folder without handlers."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is measured."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Path, int], None]
    """Makes a folder ready for a run, whose number it is told."""
    target_s: float | None = None
    """What the whole process may take over the repository's contracts."""


def main() -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="nox -s bench -- compiler", description="Measure the compiler.")
    parser.add_argument("--rounds", type=int, default=RUNS, help=f"how often each step is run (default {RUNS})")
    rounds = parser.parse_args().rounds
    once, often = measured(1, rounds), measured(TIMES, rounds)
    load = f"{os.getloadavg()[0]:.1f}"
    print(f"Python {platform.python_version()}, {platform.machine()}; best of {rounds} runs")
    print(f"at the end {load} processes wanted one of {os.cpu_count()} cores\n")
    print("\n".join(table(once, often)))
    return 0


def steps() -> tuple[Step, ...]:
    """Everything that is measured, in an order in which each step finds what it needs."""
    generate, check = ("generate",), ("check",)
    return (
        Step("generate, from nothing", generate, emptied, 1.8),
        Step("generate, nothing changed", generate, unchanged),
        Step("check, nothing changed", check, unchanged, 0.4),
        Step("check --against a git ref, nothing changed", (*check, "--against", "HEAD"), unchanged, 0.4),
        Step("generate, after an edit of words", generate, edited("tradestream/strategy.json", with_words), 1.0),
        Step("generate, after an edit of a schema", generate, edited("tradestream/strategy.json", with_member), 1.0),
        Step("generate, after an edit of shared.json", generate, edited("shared.json", with_bound), 1.0),
        Step("check, after an edit of a schema", check, edited("tradestream/strategy.json", with_member)),
    )


def table(once: Mapping[str, Cost], often: Mapping[str, Cost]) -> Iterator[str]:
    """What each step costs beside its target, over the contracts and over ten times as many."""
    yield f"| | wall, s | target | met | processor, s | memory, MiB | {TIMES} x the contracts, s | times | target | met |"
    yield "|---|---:|---:|---|---:|---:|---:|---:|---:|---|"
    for step in steps():
        cost, times = once[step.name], often[step.name].wall_s / once[step.name].wall_s
        target = f"≤ {step.target_s} | {MET[cost.wall_s <= step.target_s]}" if step.target_s else " | "
        yield (
            f"| {step.name} | {cost.wall_s:.2f} | {target} | {cost.processor_s:.2f} | {cost.memory_mib:.0f}"
            f" | {often[step.name].wall_s:.2f} | {times:.1f} | ≤ {MOST_TIMES} | {MET[times <= MOST_TIMES]} |"
        )


def measured(times: int, runs: int = RUNS) -> dict[str, Cost]:
    """By step, the least that one of *runs* took of each over *times* as many contracts as the repository has."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        copytree(ROOT / "contracts", home / "contracts")
        for number in range(times - 1):
            multiplied(home / "contracts", number)
        committed(home)
        found: dict[str, Cost] = {}
        for step in steps():
            tell(f"{times} x the contracts: {step.name}")
            costs = [cost(home, step, number) for number in range(runs)]
            found[step.name] = Cost(
                wall_s=min(each.wall_s for each in costs),
                processor_s=min(each.processor_s for each in costs),
                memory_mib=max(each.memory_mib for each in costs),
            )
        return found


def cost(home: Path, step: Step, number: int) -> Cost:
    """What one run costs, Python's start included.

    Raises RuntimeError where it does not do what it should.
    """
    step.prepare(home, number)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    arguments = ("--contracts", "contracts", "--out", "generated")
    command = (sys.executable, "-m", "codegen", *step.command, *arguments)
    done = run(home, command, environment | {"PYTHONPATH": str(ROOT)})
    if done.status and (step.command == ("generate",) or (step.prepare is unchanged and found_in(done.said))):
        raise RuntimeError(f"{step.name} failed: {done.said}")
    return done.cost


def found_in(text: str) -> list[str]:
    """What `check` found beside what it may."""
    return [line for line in text.splitlines() if line.strip() and not any(word in line for word in HARMLESS)]


def committed(home: Path) -> None:
    """Make a folder the repository of its contracts."""
    git = ("git", "-C", str(home), "-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for command in (("init", "--quiet"), ("add", "contracts"), ("commit", "--quiet", "--message=contracts")):
        subprocess.run([*git, *command], check=True)


def unchanged(_home: Path, _number: int) -> None:
    """Leave everything as it is."""


def emptied(home: Path, _number: int) -> None:
    """Leave nothing of earlier runs: neither what they wrote nor what they remember."""
    for name in ("generated", ".cache"):
        rmtree(home / name, ignore_errors=True)


def edited(name: str, edit: Callable[[Any, int], None]) -> Callable[[Path, int], None]:
    """The preparation that edits a file of the contracts."""

    def prepare(home: Path, number: int) -> None:
        path = home / "contracts" / name
        value = json.loads(path.read_text(encoding="utf-8"))
        edit(value, number)
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")

    return prepare


def with_words(contract: Any, number: int) -> None:
    """Change what a contract says, and nothing that it promises."""
    contract["server"]["description"] += f" And more: {number}."


def with_member(contract: Any, number: int) -> None:
    """Add a member to a result."""
    members = contract["tools"][0]["returns"]["properties"]
    members[f"more_{len(members)}_{number}"] = {"type": "integer", "minimum": 0, "description": "A count."}


def with_bound(shared: Any, number: int) -> None:
    """Change a schema that the tools of several servers use."""
    shared["$defs"]["TradingPair"]["maxLength"] = 40 + number


def multiplied(contracts: Path, number: int) -> None:
    """Add a copy of every server under another name."""
    for path in sorted(contracts.glob("*/*.json")):
        if path.suffixes != [".json"] or path.stem[-1].isdigit():
            continue
        contract = json.loads(path.read_text(encoding="utf-8"))
        contract["server"]["name"] += f"-{number}"
        path.with_stem(f"{path.stem}{number}").write_text(json.dumps(contract, indent=2), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
