"""How long `generate` and `check` take, as whole processes: from nothing, after an edit, with nothing changed.

Run with `nox -s bench -- compiler`. The best of several runs is printed, since noise only ever adds.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
RUNS = 3
FROM_NOTHING, AFTER_AN_EDIT, CHECKED = "generate from nothing", "generate after an edit", "check unchanged"
TARGETS_S = {FROM_NOTHING: 1.8, AFTER_AN_EDIT: 1.0, CHECKED: 0.4}
"""What a run over the repository's contracts may take."""
TIMES = 10
MOST_TIMES = 12
"""As many contracts may take so much longer."""


def main() -> int:
    """Measure, and print a table."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; best of {RUNS} runs\n")
    print(f"{'step':<24} {'seconds':>8}   target   {f'{TIMES} x the contracts':>18}   {'times':>6}   target")
    once, often = measured(1), measured(TIMES)
    for step, seconds in once.items():
        target = TARGETS_S.get(step)
        row = f"{step:<24} {seconds:>8.2f}   {f'{target} s' if target else '':<6}   {often[step]:>18.2f}"
        print(f"{row}   {often[step] / seconds:>6.1f}   {MOST_TIMES}")
    return 0


def measured(times: int, runs: int = RUNS) -> dict[str, float]:
    """By step, the seconds that the best of *runs* takes over *times* as many contracts as the repository has."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        copytree(ROOT / "contracts", home / "contracts")
        for number in range(times - 1):
            multiplied(home / "contracts", number)
        steps: dict[str, tuple[str, Callable[[], None]]] = {
            FROM_NOTHING: ("generate", lambda: emptied(home)),
            AFTER_AN_EDIT: ("generate", lambda: edited(home / "contracts/tradestream/strategy.json")),
            "generate unchanged": ("generate", lambda: None),
            CHECKED: ("check", lambda: None),
        }
        return {
            name: min(timed(home, command, prepare) for _ in range(runs)) for name, (command, prepare) in steps.items()
        }


def timed(home: Path, command: str, prepare: Callable[[], None]) -> float:
    """Seconds that one run takes, Python's start included."""
    prepare()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT)
    arguments = [sys.executable, "-m", "codegen", command, "--contracts", "contracts", "--out", "generated"]
    started = time.perf_counter()
    done = subprocess.run(arguments, cwd=home, env=environment, capture_output=True, encoding="utf-8", check=False)
    seconds = time.perf_counter() - started
    # The copies have no handlers, which `check` rightly reports; any other finding is a fault of the benchmark.
    findings = [line for line in done.stdout.splitlines() if "MISSING_HANDLER" not in line and "problem(s)" not in line]
    if done.returncode and (command == "generate" or findings):
        raise RuntimeError(f"{command} failed: {done.stdout}{done.stderr}")
    return seconds


def emptied(home: Path) -> None:
    """Leave nothing of earlier runs: neither what they wrote nor what they remember."""
    for name in ("generated", ".cache"):
        rmtree(home / name, ignore_errors=True)


def edited(path: Path) -> None:
    """Change what a contract says."""
    contract = json.loads(path.read_text(encoding="utf-8"))
    contract["server"]["description"] += " And more."
    path.write_text(json.dumps(contract, indent=2), encoding="utf-8")


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
