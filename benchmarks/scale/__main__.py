"""Measure the costs of calls, compare a model with processes, simulate a million callers.

Run with `./run bench -- scale`; it takes a quarter of an hour, and writes the tables of docs/scale.md. `--only` writes
one table: `validation` takes three minutes for each number of processes, and `million` simulates.
`.ci/services influxdb` fetches the InfluxDB.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean

from benchmarks.figures import number
from benchmarks.scale import capacity, scenarios
from benchmarks.scale.costs import ROOT, environment, measure_all, targets
from benchmarks.scale.validation import PROCESSES, TOOL, Compared, Step, measure_work, validate

PAGE = ROOT / "docs/scale.md"
BEGIN, END = "<!-- {}: written by ./run bench -- scale -->\n", "<!-- end -->\n"


def write(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace a table in the page."""
    head, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN.format(name))
    tail = rest.partition(END)[2]
    page.write_text("\n".join([f"{head}{begin}", *lines, "", f"{END}{tail}"]), encoding="utf-8")


def validation_table(steps: Sequence[Step]) -> Iterator[str]:
    """Yield a row for each step: model, processes, errors, and intervals of repetitions."""
    yield (
        "| processes | offered a second | in time a second, model | measured | error | p50 ms, model | measured "
        "| error | p95 ms, model | measured | error | processor ms a call, model | measured | connections | "
        "other programs |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|"
    for each in steps:
        good, *percentiles = each.compared()
        spent_s = [mean(run.processor_s for run in runs) for runs in (each.predicted, each.measured)]
        cells = " | ".join(_format_compared(pair) for pair in percentiles)
        connections = "; ".join(sorted({" ".join(map(str, sorted(run.connections))) for run in each.measured}))
        yield (
            f"| {each.processes} | {each.rate:.0f} | {good.predicted:.0f} | {good.measured:.0f} | {good.error:+.1%} "
            f"| {cells} | {spent_s[0] * 1000:.2f} | {spent_s[1] * 1000:.2f} | {connections} "
            f"| {mean(run.others for run in each.measured):.0%} |"
        )


def _format_compared(pair: Compared) -> str:
    low, high = (number(each * 1000) for each in pair.interval)
    predicted, measured = (number(each * 1000) for each in (pair.predicted, pair.measured))
    mark = " ≈" if pair.is_repeatable else ""
    return f"{predicted} | {measured} ({low} to {high}) | {pair.error:+.0%}{mark}"


def read_pools() -> dict[str, dict[str, int]]:
    """Return the connections of a replica to each backend, by server."""
    titles = {"postgresql": "PostgreSQL", "redis": "Redis", "influxdb": "InfluxDB"}
    found: dict[str, dict[str, int]] = {}
    for path in (ROOT / "contracts").glob("*/*.json"):
        sources = json.loads(path.read_text(encoding="utf-8")).get("sources", {})
        found[f"{path.parent.name}.{path.stem}"] = {
            titles[each["kind"]]: each["max_connections"]
            for each in sources.values()
            if each["kind"] in titles and "max_connections" in each
        }
    return found


async def run(only: str | None, processes: Sequence[int]) -> None:
    """Measure, and write the tables."""
    first, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, others or {first})
    machine = (
        f"Measured on {datetime.now(UTC).date()} on {os.cpu_count()} cores, the client and all backends among them."
    )
    with environment() as settings:
        (target,) = [each for each in targets("") if each.tool == TOOL]
        if only != "million":
            steps = await validate(target, settings, processes)
            write(PAGE, "validation", [machine, "", *validation_table(steps)])
        if only == "validation":
            return
        os.sched_setaffinity(0, others or {first})
        work = await measure_work(target, settings)
        if only is None:
            found = await measure_all(settings, [first])
            write(PAGE, "costs", [machine, "", *capacity.cost_table(found)])
            write(PAGE, "backends", capacity.backend_table(found, read_pools()))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # simulations keep nobody waiting
    write(PAGE, "million", scenarios.table(work))
    write(PAGE, "exchange", scenarios.exchange_table())


def main() -> int:
    """Measure, simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["validation", "million"], help="write only that table")
    parser.add_argument("--processes", type=int, nargs="+", default=PROCESSES, help="numbers of processes")
    arguments = parser.parse_args()
    logging.getLogger("toolaccord.call.admission").setLevel(logging.ERROR)
    asyncio.run(run(arguments.only, arguments.processes))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
