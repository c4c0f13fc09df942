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
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.pace import tell
from benchmarks.processes import Cost, Done, run

ROOT = Path(__file__).parents[1]
RUNS = 3
TIMES = 10
MOST_TIMES = 12
"""What ten times the contracts may cost, in times of what they cost once."""
GENERATE, CHECK = ("generate",), ("check",)
MET = {True: "yes", False: "no"}
NO_HANDLERS = "to mend: handlers"
"""What `check` ends with where nothing else is wrong: the contracts lie in a folder without handlers."""
WHY = "a copy of what is accepted"


@dataclass(frozen=True, slots=True)
class Step:
    """What is measured."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Path, int], None]
    """Makes a folder ready for a run, whose number it is told."""
    target_s: float | None = None
    """The processor time that it may take over the repository's contracts: other work on the machine changes it little."""


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
    return (
        Step("generate, from nothing", GENERATE, emptied, 2.2),
        Step("generate, nothing changed", GENERATE, unchanged),
        Step("check, nothing changed", CHECK, unchanged, 0.4),
        Step("check --against a git ref, nothing changed", (*CHECK, "--against", "HEAD"), unchanged, 0.4),
        Step("generate, after an edit of words", GENERATE, edited("tradestream/strategy.json", with_words), 1.6),
        Step("generate, after an edit of a schema", GENERATE, edited("tradestream/strategy.json", with_member), 1.6),
        Step("generate, after an edit of shared.json", GENERATE, edited("shared.json", with_bound), 1.6),
        Step("check, after an edit of a schema", CHECK, edited("tradestream/strategy.json", with_member)),
    )


def table(once: Mapping[str, Cost], often: Mapping[str, Cost]) -> Iterator[str]:
    """What each step costs beside its target, over the contracts and over ten times as many."""
    yield f"| | processor, s | target | met | wall, s | memory, MiB | {TIMES} x the contracts, s | times | target | met |"
    yield "|---|---:|---:|---|---:|---:|---:|---:|---:|---|"
    for step in steps():
        cost, times = once[step.name], often[step.name].processor_s / once[step.name].processor_s
        target = f"≤ {step.target_s} | {MET[cost.processor_s <= step.target_s]}" if step.target_s else " | "
        yield (
            f"| {step.name} | {cost.processor_s:.2f} | {target} | {cost.wall_s:.2f} | {cost.memory_mib:.0f}"
            f" | {often[step.name].processor_s:.2f} | {times:.1f} | ≤ {MOST_TIMES} | {MET[times <= MOST_TIMES]} |"
        )


def measured(times: int, runs: int = RUNS) -> dict[str, Cost]:
    """By step, the least that one of *runs* took of each over *times* as many contracts as the repository has."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        copytree(ROOT / "contracts", home / "contracts")
        for number in range(times - 1):
            multiplied(home / "contracts", number)
        accepted(home)
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
    done = codegen(home, *step.command, "--out", "generated")
    judged = step.prepare is unchanged and not done.said.rstrip().endswith(NO_HANDLERS)
    if done.status and (judged or step.command == GENERATE):
        raise RuntimeError(f"{step.name} failed: {done.said}")
    return done.cost


def codegen(home: Path, *arguments: str) -> Done:
    """Run the compiler in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return run(home, (sys.executable, "-m", "codegen", *arguments), environment | {"PYTHONPATH": str(ROOT)})


def accepted(home: Path) -> None:
    """Accept what lint has against the copies: it is what is accepted of those that they are copies of."""
    found = json.loads(codegen(home, "lint", "--format", "json").said)["findings"]
    today = datetime.now(UTC).date().isoformat()
    entries: dict[Path, list[dict[str, str]]] = defaultdict(list)
    for finding in found:
        if not finding["accepted"]:
            entry = {key: finding[key] for key in ("rule", "fingerprint")} | {"reason": WHY, "date": today}
            entries[home / "contracts" / finding["file"]].append(entry)
    for path, written in entries.items():
        path.with_suffix(".accepted.json").write_text(json.dumps({"accepted": written}), encoding="utf-8")


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
