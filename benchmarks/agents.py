"""Measure the signal generator: every symbol of the sandbox, once a minute.

Run with `./run bench -- agents`; a number after it sets the minutes, by default 3. The generator, the two servers that
it starts, and the sandbox are processes on one machine. A signal's time is that of its request, from its start to its
publication. Target: the contract's p95.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figures import number, percentile
from benchmarks.program import read_processor_s
from sandbox.market import PAIRS

ROOT = Path(__file__).parents[1]
CONTRACT = json.loads((ROOT / "contracts/agents/signal_generator.json").read_text(encoding="utf-8"))
MINUTES = 3
MEASURE = "--measure"
"""Option that measures the generator with the settings of the environment."""


def measure(minutes: int, folder: Path) -> Iterator[str]:
    """Yield a row for each minute, then the processor time of each process for a signal."""
    log = folder / "generator.log"
    command = ("generated.agents.signal_generator", "--all", "--every", "60", "--log-file", str(log))
    process = subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with process:
        try:
            complete, processor = [], []
            for _ in range(minutes):
                complete.append(_count_complete(process))
                processor.append(_read_processor(process.pid))
        finally:
            process.terminate()
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    requests = [line for line in lines if line["message"] == "request"]
    calls = Counter(line["corr_id"] for line in lines if line["message"] == "call")
    for minute, signals in enumerate(complete):
        of_minute = requests[minute * len(PAIRS) : (minute + 1) * len(PAIRS)]
        yield _describe(f"minute {minute + 1}", signals, of_minute, calls)
    yield _describe("all", sum(complete), requests, calls)
    for name, first_s in processor[0].items():
        later_ms = (processor[-1][name] - first_s) * 1000 / (len(PAIRS) * max(1, minutes - 1))
        yield f"processor time of {name}: {first_s:.1f} s until minute 2, then {number(later_ms)} ms a signal"


def _count_complete(process: subprocess.Popen[str]) -> int:
    """Return the number of signals from complete data in the next minute's batches."""
    assert process.stdout
    batches = [json.loads(process.stdout.readline()) for _ in range(-(-len(PAIRS) // CONTRACT["batch"]["size"]))]
    return sum(len(batch["successful"]) for batch in batches)


def _describe(what: str, signals: int, requests: Sequence[dict[str, Any]], calls: Counter[str]) -> str:
    """Return a row: complete signals, calls that the cache did not answer, and durations in ms."""
    durations = [line["duration_ms"] for line in requests]
    uncached = sum(calls[line["corr_id"]] for line in requests)
    shares = (percentile(durations, 0.5), percentile(durations, 0.95), max(durations))
    return f"{what:<10} {signals:>8} {uncached:>8} " + " ".join(f"{number(share):>8}" for share in shares)


def _read_processor(pid: int) -> dict[str, float]:
    """Return the processor time, in seconds, of the generator *pid* and of its servers, by name."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    found = {"the generator": read_processor_s(pid)}
    for child in children:
        words = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
        found[next(word for word in words if word.startswith("generated."))] = read_processor_s(int(child))
    return found


def main() -> int:
    """Measure, and print the table; without MEASURE, start that below the sandbox's process."""
    parser = argparse.ArgumentParser(prog="./run bench -- agents", description=__doc__)
    parser.add_argument("minutes", nargs="?", type=int, default=MINUTES, help="minutes to measure, by default 3")
    parser.add_argument(MEASURE, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.measure:
        command = (sys.executable, "-m", "sandbox", sys.executable, "-m", "benchmarks.agents", MEASURE)
        return subprocess.run([*command, str(options.minutes)], cwd=ROOT, check=False).returncode
    target = CONTRACT["limits"]["p95_ms"]
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {len(PAIRS)} symbols a minute, target p95 {target} ms\n"
    )
    print(f"{'':<10} {'complete':>8} {'calls':>8} {'p50 ms':>8} {'p95 ms':>8} {'max ms':>8}")
    with TemporaryDirectory() as folder:
        for row in measure(options.minutes, Path(folder)):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
