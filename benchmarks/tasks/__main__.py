"""Measure tasks: `./run bench -- tasks outages`, or `./run bench -- tasks compare`.

Whole runs write their tables into docs/tasks.md.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.page import marked
from benchmarks.tasks import compare, outages, report
from benchmarks.tasks.system import StoreKind
from tests.services.fetched import fetch

SHOWN = 20
"""Broken promises that are printed."""


def main() -> int:
    """Run a measurement, and print it; return 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="tasks", description=__doc__)
    parser.add_argument("what", choices=["compare", "outages"])
    parser.add_argument("--store", choices=["redis", "nats"], action="append", help="only this store of tasks")
    arguments = parser.parse_args()
    if arguments.what == "compare":
        with TemporaryDirectory() as folder:
            lines = list(report.comparison_lines(asyncio.run(compare.compare(Path(folder)))))
        print(*lines, sep="\n")
        marked.write("tasks compare", lines)
        return 0
    return _kill(arguments.store or ("redis", "nats"))


def _kill(kinds: Sequence[StoreKind]) -> int:
    """Kill parts of a system with each store in turn; return 1 if a promise was broken."""
    haproxy, complaint = fetch("haproxy")
    if haproxy is None:
        sys.stderr.write(f"HAProxy cannot be had here: {complaint}\n")
        return 1
    runs = [_run(haproxy, kind) for kind in kinds]
    lines = list(report.outage_lines(runs))
    print(*lines, sep="\n")
    breaches = [breach for each in runs for breach in each.find_breaches()]
    print("", *breaches[:SHOWN], f"{len(breaches)} promises were broken", sep="\n")
    if not breaches and len(kinds) > 1:
        marked.write("tasks outages", lines)
    return 1 if breaches else 0


def _run(haproxy: Path, kind: StoreKind) -> outages.Run:
    with TemporaryDirectory() as folder:
        return asyncio.run(outages.run(haproxy, Path(folder), kind))


if __name__ == "__main__":
    raise SystemExit(main())
