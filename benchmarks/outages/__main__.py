"""Kill each part of a system in turn while 500 callers call it.

Run with `./run bench -- outages`; it takes two minutes, and writes the tables into docs/outages.md. Three machines
have a replica of risk-mcp and one of decisions-mcp, and HAProxy is before them. Each machine is killed, then
PostgreSQL, Redis and NATS, and each comes back after three seconds. Calls are sent at their intended times, whether
others were answered or not. At the end, the database and the stream tell what was written.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.outages import report
from benchmarks.outages.outage_run import Plan, run
from benchmarks.page import marked
from tests.services.fetched import fetch

SHOWN = 20
"""Broken promises that are printed."""


def main() -> int:
    """Run, and print the tables; return 1 if a promise was broken.

    Else a whole run writes the tables into the page.
    """
    parser = argparse.ArgumentParser(prog="outages", description=__doc__)
    parser.add_argument("--rate", type=float, help="calls a second; half of the measured peak by default")
    parser.add_argument("--callers", type=int, default=Plan().callers)
    arguments = parser.parse_args()
    haproxy, complaint = fetch("haproxy")
    if haproxy is None:
        sys.stderr.write(f"HAProxy cannot be had here: {complaint}\n")
        return 1
    with TemporaryDirectory() as folder:
        chosen = Plan(rate=arguments.rate, callers=arguments.callers)
        done = asyncio.run(run(haproxy, Path(folder), chosen))
    lines = list(report.page(done))
    print(*lines, sep="\n")
    breaches = [*report.find_lag(done), *report.find_breaches(done), *report.find_missed_targets(done)]
    print("", *breaches[:SHOWN], f"{len(breaches)} promises were broken", sep="\n")
    if not breaches and chosen == Plan():
        marked.write("outages", lines)
    return 1 if breaches else 0


if __name__ == "__main__":
    raise SystemExit(main())
