"""Measure the costs of calls, compare a model with processes, simulate a million callers.

Run with `./run bench -- scale`; it takes ten minutes, and writes the tables of docs/scale.md. `--only validation`
compares one tool alone, in three minutes. `.ci/services influxdb` fetches the InfluxDB.
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
from benchmarks.scale.validation import PROCESSES, TOOL, Compared, Step, measure_one, validate, work_of

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


async def run(*, is_short: bool, processes: Sequence[int]) -> None:
    """Measure, and write the tables."""
    first, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, others or {first})
    machine = (
        f"Measured on {datetime.now(UTC).date()} on {os.cpu_count()} cores, the client and all backends among them."
    )
    with environment() as settings:
        (target,) = [each for each in targets("") if each.tool == TOOL]
        write(PAGE, "validation", [machine, "", *validation_table(await validate(target, settings, processes))])
        if is_short:
            return
        os.sched_setaffinity(0, others or {first})
        work = work_of(*await measure_one(target, settings), target.timeout_s)
        write(PAGE, "million", scenarios.table(work))
        found = await measure_all(settings, [first])
    write(PAGE, "costs", [machine, "", *capacity.cost_table(found)])
    write(PAGE, "backends", capacity.backend_table(found, read_pools()))
    write(PAGE, "exchange", scenarios.exchange_table())


def main() -> int:
    """Measure, simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["validation"], help="compare the model with processes alone")
    parser.add_argument("--processes", type=int, nargs="+", default=PROCESSES, help="numbers of processes")
    arguments = parser.parse_args()
    logging.getLogger("toolaccord.call.admission").setLevel(logging.ERROR)
    asyncio.run(run(is_short=arguments.only is not None, processes=arguments.processes))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
