"""docs/benchmarks.md: the numbers beside their targets, on what they were measured, and how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks import rounds
from benchmarks.contenders import TOOLPACT
from benchmarks.figures import percentile, ratios, spread
from benchmarks.machine import Machine
from benchmarks.method import METHOD
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth
from benchmarks.targets import TARGETS

_ROWS = {
    "Start to the answer of `initialize`, s": rounds.GREETED_S,
    "Start to the first `tools/list` answer, s": rounds.LISTED_S,
    "Processor time of that start, s": rounds.START_PROCESSOR_S,
    "Resident memory, idle, MiB": rounds.IDLE_MIB,
    "stdio, pipelined, cached, calls/s": rounds.PIPELINED_CACHED,
    "stdio, pipelined, handler, calls/s": rounds.PIPELINED,
    "Processor time of such a call, cached, µs": rounds.PROCESSOR_CACHED_US,
    "Processor time of such a call, handler, µs": rounds.PROCESSOR_US,
    "HTTP, 8 callers, cached, calls/s": rounds.HTTP_CACHED,
    "HTTP, 8 callers, handler, calls/s": rounds.HTTP,
}
_LATENCIES = {
    "stdio, cached": rounds.CALL_CACHED_MS,
    "stdio, handler": rounds.CALL_MS,
    "HTTP, handler": rounds.HTTP_CALL_MS,
    "stdio, 1,000 candles, cached": rounds.PAGE_CACHED_MS,
    "stdio, 1,000 candles, handler": rounds.PAGE_MS,
}


def report(machine: Machine, measured: Measured, growths: Sequence[Growth], count: int) -> str:
    """The page, measured in *count* rounds."""
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "What a call costs on toolpact, on the MCP SDK's low-level server, on its MCPServer and on FastMCP, with the same tools and rows.",
            "This page and its picture are written by one command, `./run bench`, which takes ten to twenty minutes; nothing here is written by hand.",
            "",
            *_where(machine, count),
            "",
            "![Throughput, latency, start, memory, and how they grow](benchmarks.svg)",
            "",
            "## Targets",
            "",
            "A ratio is that of two numbers of the same round; the table has the median of the rounds, and between what half of them lie.",
            "",
            *_targets(measured),
            "",
            "## All numbers",
            "",
            "Medians of the rounds, and between what half of them lie.",
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


def number(value: float) -> str:
    """Three digits that matter."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def _where(machine: Machine, count: int) -> Iterator[str]:
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    yield f"* {machine.date}, commit {machine.commit}, {count} rounds"
    yield f"* {machine.processor}, {machine.cores} cores, {machine.memory_gib:.0f} GiB; {machine.system}; {machine.python}"
    yield f"* {packages}"
    yield (
        f"* {machine.load} processes wanted one of the {machine.cores} cores when it began. More than none is other work, which makes"
        " absolute numbers worse than they need be; it falls on all servers in turn, and so disturbs ratios and processor time less"
    )


def _targets(measured: Measured) -> Iterator[str]:
    yield "| | toolpact | beside it | ratio | target | met |"
    yield "|---|---:|---:|---:|---:|---|"
    for target in TARGETS:
        samples = measured.samples[target.measure]
        found = spread(ratios(samples, TOOLPACT, target))
        rivals = "; ".join(f"{name} {number(spread(samples[name]).median)}" for name in target.rivals)
        yield (
            f"| {target.title} | {number(spread(samples[TOOLPACT]).median)} | {rivals}"
            f" | **{number(found.median)}** ({number(found.low)} to {number(found.high)})"
            f" | {target.bound.value} {target.ratio:g} | {'yes' if target.met(found.median) else 'no'} |"
        )


def _numbers(measured: Measured) -> Iterator[str]:
    names = list(measured.samples[rounds.LISTED_S])
    yield from _head(names)
    for title, measure in _ROWS.items():
        spreads = [spread(measured.samples[measure][name]) for name in names]
        cells = (f"{number(each.median)} ({number(each.low)} to {number(each.high)})" for each in spreads)
        yield f"| {title} | {' | '.join(cells)} |"


def _latencies(measured: Measured) -> Iterator[str]:
    names = list(measured.samples[rounds.LISTED_S])
    yield from _head(names)
    for title, measure in _LATENCIES.items():
        took = measured.latencies[measure]
        cells = (" / ".join(number(percentile(took[name], share)) for share in (0.5, 0.95, 0.99)) for name in names)
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
