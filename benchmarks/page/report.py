"""docs/benchmarks.md: the numbers, their targets, the machine and the method."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from benchmarks import compiler, rounds
from benchmarks.clients.messages import Era
from benchmarks.contenders import TOOLACCORD
from benchmarks.figures import Target, number, percentile, processor_ratios, ratios, spread
from benchmarks.page.machine import Machine
from benchmarks.page.method import METHOD
from benchmarks.page.targets import TARGETS
from benchmarks.processes import Cost
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth

_HTTP = {(era, cached): f"{era.value}, {'cached' if cached else 'handler'}" for era, cached in rounds.HTTP}
_BUSY = 0.25
"""The share of the cores that other work may use on a machine that is fit for measuring."""
ROWS = {
    "Start to the answer of `initialize`, s": rounds.GREETED_S,
    "Start to the first `tools/list` answer, s": rounds.LISTED_S,
    "Processor time of that start, s": rounds.START_PROCESSOR_S,
    "Resident memory, idle, MiB": rounds.IDLE_MIB,
    "stdio, pipelined, cached, calls/s": rounds.PIPELINED_CACHED,
    "stdio, pipelined, handler, calls/s": rounds.PIPELINED,
    "Processor time of such a call, cached, µs": rounds.PROCESSOR_CACHED_US,
    "Processor time of such a call, handler, µs": rounds.PROCESSOR_US,
    **{f"HTTP, {_HTTP[kind]}, calls/s": measure for kind, measure in rounds.HTTP.items()},
    **{f"Processor time of such a call, {_HTTP[kind]}, µs": each for kind, each in rounds.HTTP_PROCESSOR_US.items()},
}
_LATENCIES = {
    "stdio, cached": rounds.CALL_CACHED_MS,
    "stdio, handler": rounds.CALL_MS,
    **{f"HTTP, {_HTTP[era, False]}": measure for era, measure in rounds.HTTP_CALL_MS.items()},
    "stdio, 1,000 candles, cached": rounds.PAGE_CACHED_MS,
    "stdio, 1,000 candles, handler": rounds.PAGE_MS,
}


def report(
    machine: Machine, measured: Measured, growths: Sequence[Growth], compiled: Mapping[int, Mapping[str, Cost]]
) -> str:
    """Return the page; *compiled* has the compiler's costs, by multiple of the contracts."""
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "This page compares the cost of a call on toolaccord, the MCP SDK's low-level server, its MCPServer, and FastMCP. All",
            "have the same tools and rows. `./run bench` writes the page and its picture in about ten minutes.",
            "",
            *_where(machine, measured),
            "",
            "![Throughput, latency, start, memory, and how they grow](benchmarks.svg)",
            "",
            "## Targets",
            "",
            "A ratio compares two numbers of the same round. The table shows the median of the rounds, with the bounds of the middle",
            "half. The last column is the same ratio of processor times, which other work on the machine hardly changes.",
            "",
            *_targets(measured),
            "",
            "## The compiler",
            "",
            "These are whole processes over the contracts of this repository, with Python's start. Each number is the least of a few",
            "runs, since noise only adds. *From nothing* has neither output nor the compiler's cache, *nothing changed* has both.",
            "`check` compares digests with those in its cache. `generate` writes the models of changed schemas again. Targets are for",
            "processor time.",
            "",
            *compiler.table(compiled[1], compiled[compiler.TIMES]),
            "",
            "## All numbers",
            "",
            "The numbers are medians of the rounds, with the bounds of the middle half.",
            "",
            *_numbers(measured),
            "",
            "Sequential calls, all rounds together, p50 / p95 / p99 in ms:",
            "",
            *_latencies(measured),
            "",
            "## Cost against size",
            "",
            *(line for growth in growths for line in _growth(growth)),
            METHOD,
        ]
    )


def _where(machine: Machine, measured: Measured) -> Iterator[str]:
    kinds = {
        "starts": rounds.LISTED_S,
        "calls over stdio": rounds.PIPELINED,
        "calls over HTTP": rounds.HTTP[Era.HANDSHAKE, False],
    }
    counts = ", ".join(f"{len(measured.samples[measure][TOOLACCORD])} of {name}" for name, measure in kinds.items())
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    yield f"* {machine.date}, commit {machine.commit}; rounds: {counts}"
    yield f"* {machine.processor}, {machine.cores} cores, {machine.memory_gib:.0f} GiB; {machine.system}; {machine.python}"
    yield from textwrap.wrap(f"* {packages}", 120, subsequent_indent="  ")
    busy = machine.load > _BUSY * machine.cores
    yield f"* {'**the machine was busy**: ' if busy else ''}{machine.load:.1f} processes wanted one of its {machine.cores} cores at the start"
    yield ""
    yield "Other work on the machine worsens absolute numbers. It affects all servers in turn, so ratios suffer less."


def _targets(measured: Measured) -> Iterator[str]:
    yield "| | toolaccord | compared with | ratio | target | met | by processor time |"
    yield "|---|---:|---:|---:|---:|---|---:|"
    for target in TARGETS:
        samples = measured.samples[target.measure]
        found = spread(ratios(samples, TOOLACCORD, target))
        rivals = "; ".join(f"{name} {number(spread(samples[name]).median)}" for name in target.rivals)
        yield (
            f"| {target.title} | {number(spread(samples[TOOLACCORD]).median)} | {rivals}"
            f" | **{number(found.median)}** ({number(found.low)} to {number(found.high)})"
            f" | {target.bound.value} {target.ratio:g} | {'yes' if target.met(found.median) else 'no'}"
            f" | {_by_processor(measured, target)} |"
        )


def _by_processor(measured: Measured, target: Target) -> str:
    if not target.processor:
        return ""
    return number(spread(processor_ratios(measured.samples[target.processor], TOOLACCORD, target)).median)


def _numbers(measured: Measured) -> Iterator[str]:
    names = list(measured.samples[rounds.LISTED_S])
    yield from _head(names)
    for title, measure in ROWS.items():
        spreads = [spread(measured.samples[measure][name]) for name in names]
        cells = (f"{number(each.median)} ({number(each.low)} to {number(each.high)})" for each in spreads)
        yield f"| {title} | {' | '.join(cells)} |"


def _latencies(measured: Measured) -> Iterator[str]:
    names = list(measured.samples[rounds.LISTED_S])
    yield from _head(names)
    for title, measure in _LATENCIES.items():
        durations = measured.latencies[measure]
        cells = (
            " / ".join(number(percentile(durations[name], share)) for share in (0.5, 0.95, 0.99)) for name in names
        )
        yield f"| {title} | {' | '.join(cells)} |"


def _growth(growth: Growth) -> Iterator[str]:
    yield f"{growth.title} ({growth.unit}):"
    yield ""
    yield from _head([f"{size:,}" for size in growth.sizes])
    for name, numbers in growth.numbers.items():
        yield f"| {name} | {' | '.join(number(each) for each in numbers)} |"
    yield ""


def _head(columns: Sequence[str]) -> Iterator[str]:
    yield f"| | {' | '.join(columns)} |"
    yield f"|---|{'---:|' * len(columns)}"
