"""Measure `generate` and `check` as whole processes, from nothing and after edits.

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

from benchmarks.large_contracts import tool_table
from benchmarks.pace import log_progress
from benchmarks.processes import Completed, Cost, run

ROOT = Path(__file__).parents[1]
CONTRACTS = ROOT / "contracts"
RUNS = 3
TIMES = 10
MOST_TIMES = 12
"""The most that ten times the contracts may cost, as a multiple of their single cost."""
GENERATE, CHECK = ("generate",), ("check",)
MET = {True: "yes", False: "no"}
NO_HANDLERS = "failed: handlers"
"""The end of `check`'s output where only handlers are missing: the folder has none."""
REASON = "a copy of an accepted finding"


@dataclass(frozen=True, slots=True)
class Step:
    """A run of the compiler that is measured."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Path, int], None]
    """Prepares a folder for the run of a number."""
    target_s: float | None = None
    """The most seconds of processor time over the repository's contracts.

Wall time depends on the load of the machine.
"""


def main() -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="nox -s bench -- compiler", description="Measure the compiler.")
    parser.add_argument("--rounds", type=int, default=RUNS, help=f"the runs of each step (default {RUNS})")
    rounds = parser.parse_args().rounds
    once, often = measure(1, rounds), measure(TIMES, rounds)
    load = f"{os.getloadavg()[0]:.1f}"
    print(f"Python {platform.python_version()}, {platform.machine()}; best of {rounds} runs")
    print(f"at the end {load} processes wanted one of {os.cpu_count()} cores\n")
    print("\n".join(table(once, often)))
    with TemporaryDirectory() as folder:
        print("", *tool_table(Path(folder)), sep="\n")
    return 0


def steps() -> tuple[Step, ...]:
    """Return the steps, in an order in which each finds the output that it needs."""
    return (
        Step("generate, from nothing", GENERATE, _delete_output, 2.2),
        Step("generate, nothing changed", GENERATE, _leave_unchanged),
        Step("check, nothing changed", CHECK, _leave_unchanged, 0.4),
        Step("check --against a git ref, nothing changed", (*CHECK, "--against", "HEAD"), _leave_unchanged, 0.4),
        Step(
            "generate, after an edit of words", GENERATE, _edit_of("tradestream/strategy.json", _edit_description), 1.6
        ),
        Step("generate, after an edit of a schema", GENERATE, _edit_of("tradestream/strategy.json", _add_member), 1.6),
        Step("generate, after an edit of shared.json", GENERATE, _edit_of("shared.json", _change_bound), 1.6),
        Step("check, after an edit of a schema", CHECK, _edit_of("tradestream/strategy.json", _add_member)),
    )


def table(once: Mapping[str, Cost], often: Mapping[str, Cost]) -> Iterator[str]:
    """Yield each step's cost and target, over the contracts and over ten times as many."""
    yield f"| | processor, s | target | met | wall, s | memory, MiB | {TIMES} x the contracts, s | times | target | met |"
    yield "|---|---:|---:|---|---:|---:|---:|---:|---:|---|"
    for step in steps():
        cost, times = once[step.name], often[step.name].processor_s / once[step.name].processor_s
        target = f"≤ {step.target_s} | {MET[cost.processor_s <= step.target_s]}" if step.target_s else " | "
        yield (
            f"| {step.name} | {cost.processor_s:.2f} | {target} | {cost.wall_s:.2f} | {cost.memory_mib:.0f}"
            f" | {often[step.name].processor_s:.2f} | {times:.1f} | ≤ {MOST_TIMES} | {MET[times <= MOST_TIMES]} |"
        )


def measure(times: int, runs: int = RUNS) -> dict[str, Cost]:
    """Return the least cost of *runs* by step, over *times* the repository's contracts."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        copytree(CONTRACTS, home / "contracts")
        for number in range(times - 1):
            _copy_servers(home / "contracts", number)
        _accept_findings(home)
        commit(home)
        found: dict[str, Cost] = {}
        for step in steps():
            log_progress(f"{times} x the contracts: {step.name}")
            costs = [_measure_run(home, step, number) for number in range(runs)]
            found[step.name] = Cost(
                wall_s=min(each.wall_s for each in costs),
                processor_s=min(each.processor_s for each in costs),
                memory_mib=max(each.memory_mib for each in costs),
            )
        return found


def _measure_run(home: Path, step: Step, number: int) -> Cost:
    """Return the cost of one run, Python's start included.

    Raises RuntimeError where the run fails.
    """
    step.prepare(home, number)
    done = _run_codegen(home, *step.command, "--out", "generated")
    checked = step.prepare is _leave_unchanged and not done.output.rstrip().endswith(NO_HANDLERS)
    if done.status and (checked or step.command == GENERATE):
        raise RuntimeError(f"{step.name} failed: {done.output}")
    return done.cost


def _run_codegen(home: Path, *arguments: str) -> Completed:
    """Run the compiler in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return run(home, (sys.executable, "-m", "toolaccord_codegen", *arguments), environment | {"PYTHONPATH": str(ROOT)})


def _accept_findings(home: Path) -> None:
    """Accept lint's findings of the copies, which are those of the originals."""
    found = json.loads(_run_codegen(home, "lint", "--format", "json").output)["findings"]
    today = datetime.now(UTC).date().isoformat()
    entries: dict[Path, list[dict[str, str]]] = defaultdict(list)
    for finding in found:
        if not finding["accepted"]:
            entry = {key: finding[key] for key in ("rule", "fingerprint")} | {"reason": REASON, "date": today}
            entries[home / "contracts" / finding["file"]].append(entry)
    for path, written in entries.items():
        path.with_suffix(".accepted.json").write_text(json.dumps({"accepted": written}), encoding="utf-8")


def commit(home: Path) -> None:
    """Create a repository of the contracts in a folder."""
    git = ("git", "-C", str(home), "-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for command in (("init", "--quiet"), ("add", "contracts"), ("commit", "--quiet", "--message=contracts")):
        subprocess.run([*git, *command], check=True)


def _leave_unchanged(_home: Path, _number: int) -> None:
    """Change nothing."""


def _delete_output(home: Path, _number: int) -> None:
    """Delete the output and the caches of earlier runs."""
    for name in ("generated", ".cache"):
        rmtree(home / name, ignore_errors=True)


def _edit_of(name: str, edit: Callable[[Any, int], None]) -> Callable[[Path, int], None]:
    """Return the preparation that edits a file of the contracts."""

    def prepare(home: Path, number: int) -> None:
        path = home / "contracts" / name
        value = json.loads(path.read_text(encoding="utf-8"))
        edit(value, number)
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")

    return prepare


def _edit_description(contract: Any, number: int) -> None:
    """Change a description, and no schema."""
    contract["server"]["description"] += f" And more: {number}."


def _add_member(contract: Any, number: int) -> None:
    """Add a member to a result."""
    members = contract["tools"][0]["returns"]["properties"]
    members[f"more_{len(members)}_{number}"] = {"type": "integer", "minimum": 0, "description": "A count."}


def _change_bound(shared: Any, number: int) -> None:
    """Change a schema that the tools of several servers use."""
    shared["$defs"]["TradingPair"]["maxLength"] = 40 + number


def _copy_servers(contracts: Path, number: int) -> None:
    """Add a copy of every server under another name."""
    for path in sorted(contracts.glob("*/*.json")):
        if path.suffixes != [".json"] or path.stem[-1].isdigit():
            continue
        contract = json.loads(path.read_text(encoding="utf-8"))
        contract["agent" if "agent" in contract else "server"]["name"] += f"-{number}"
        path.with_stem(f"{path.stem}{number}").write_text(json.dumps(contract, indent=2), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
