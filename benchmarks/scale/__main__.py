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

from benchmarks.figures import number
from benchmarks.scale import capacity, scenarios
from benchmarks.scale.costs import ROOT, environment, measure_all, targets
from benchmarks.scale.validation import TOOL, Step, validate

PAGE = ROOT / "docs/scale.md"
BEGIN, END = "<!-- {}: written by ./run bench -- scale -->\n", "<!-- end -->\n"


def write(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace a table in the page."""
    head, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN.format(name))
    tail = rest.partition(END)[2]
    page.write_text("\n".join([f"{head}{begin}", *lines, "", f"{END}{tail}"]), encoding="utf-8")


def validation_table(steps: Sequence[Step]) -> Iterator[str]:
    """Yield a row for each step: what the model and the processes did, and the errors."""
    yield (
        "| processes | offered a second | in time a second, model | measured | error | p50 ms, model | measured "
        "| error | p95 ms, model | measured | error | processor ms a call, model | measured | other programs |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for each in steps:
        predicted, measured, errors = each.predicted, each.measured, each.errors()
        yield (
            f"| {each.processes} | {each.rate:.0f} | {predicted.good:.0f} | {measured.good:.0f} | {errors.good:+.0%} "
            f"| {number(predicted.p50_s * 1000)} | {number(measured.p50_s * 1000)} | {errors.p50_s:+.0%} "
            f"| {number(predicted.p95_s * 1000)} | {number(measured.p95_s * 1000)} | {errors.p95_s:+.0%} "
            f"| {predicted.processor_s * 1000:.2f} | {measured.processor_s * 1000:.2f} | {each.others:.0%} |"
        )


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


async def run(*, is_short: bool) -> None:
    """Measure, and write the tables."""
    first, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, others or {first})
    machine = (
        f"Measured on {datetime.now(UTC).date()} on {os.cpu_count()} cores, the client and all backends among them."
    )
    with environment() as settings:
        (target,) = [each for each in targets("") if each.tool == TOOL]
        write(PAGE, "validation", [machine, "", *validation_table(await validate(target, settings))])
        if is_short:
            return
        os.sched_setaffinity(0, others or {first})
        found = await measure_all(settings, [first])
    write(PAGE, "costs", [machine, "", *capacity.cost_table(found)])
    write(PAGE, "backends", capacity.backend_table(found, read_pools()))
    (costs,) = [each for each in found if each.tool == TOOL]
    write(PAGE, "million", scenarios.table(costs, target.timeout_s))
    write(PAGE, "exchange", scenarios.exchange_table())


def main() -> int:
    """Measure, simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["validation"], help="compare the model with processes alone")
    arguments = parser.parse_args()
    logging.getLogger("toolaccord.call.admission").setLevel(logging.ERROR)
    asyncio.run(run(is_short=arguments.only is not None))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
