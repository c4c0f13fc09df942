"""The growth of costs with rows, tools, callers, and contracts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks.clients.messages import check_answer, request
from benchmarks.clients.over_http import call_concurrently
from benchmarks.clients.over_stdio import Pipes
from benchmarks.contenders import Contender, contenders
from benchmarks.figures import percentile, spread
from benchmarks.pace import Pace
from benchmarks.processes import Cost
from benchmarks.program import started
from benchmarks.rounds import TOP, on_http, on_stdio, page_request, time_calls

ROWS = (1, 10, 100, 1000, 10_000)
TOOLS = (4, 20, 100, 400)
CALLERS = (1, 4, 16, 64)
CONTRACTS = {1: 3, 3: 1, 10: 1}
"""The number of runs, by multiple of the repository's contracts."""
COMPILED = ("generate, from nothing", "generate, after an edit of a schema", "check, nothing changed")
_PAGES = 5
_SECONDS = 0.6


@dataclass(frozen=True, slots=True)
class Growth:
    """A measure at several sizes: by name, a number for each size."""

    title: str
    unit: str
    sizes: Sequence[int]
    numbers: dict[str, list[float]] = field(default_factory=dict)


def rows_a_page(measured: Sequence[Contender], pace: Pace) -> Growth:
    """Measure the median time of a page, in ms."""
    found = Growth("Rows a page", "ms a page, p50", ROWS)
    with ExitStack() as stack:
        running = {each: stack.enter_context(on_stdio(each))[1] for each in measured}
        for rows in ROWS:
            durations: dict[str, list[float]] = {each.name: [] for each in measured}
            for contender in pace.turns(measured, f"{rows:,} rows a page"):
                time_calls(running[contender], page_request(rows), 1)  # warms the buffers up for this size
                durations[contender.name] += time_calls(running[contender], page_request(rows), _PAGES)
            _note(found, durations)
    return found


def tools_a_server(pace: Pace) -> Growth:
    """Measure the median time from start to the first `tools/list` answer, in s."""
    found = Growth("Tools a server", "s from start to the first `tools/list` answer", TOOLS)
    for tools in TOOLS:
        with contenders(tools - TOOLS[0]) as measured:
            durations: dict[str, list[float]] = {each.name: [] for each in measured}
            for contender in pace.turns(measured, f"{tools} tools a server"):
                durations[contender.name].append(_listed_s(contender))
            _note(found, durations)
    return found


def callers_at_once(measured: Sequence[Contender], pace: Pace) -> tuple[Growth, Growth]:
    """Measure the calls a second over HTTP, and the 95th percentile of their latency, in ms."""
    rate = Growth("Callers at once over HTTP", "calls a second", CALLERS)
    p95 = Growth("Callers at once over HTTP", "ms a call, p95", CALLERS)
    with ExitStack() as stack:
        ports = {each: stack.enter_context(on_http(each))[1] for each in measured}
        for callers in CALLERS:
            rates: dict[str, list[float]] = {each.name: [] for each in measured}
            durations: dict[str, list[float]] = {each.name: [] for each in measured}
            for contender in pace.turns(measured, f"{callers} callers at once"):
                calls, seconds = call_concurrently(ports[contender], TOP, callers, _SECONDS)
                rates[contender.name].append(len(calls) / seconds)
                durations[contender.name] += calls
            _note(rate, rates)
            for name, calls in durations.items():
                p95.numbers.setdefault(name, []).append(percentile(calls, 0.95) * 1000)
    return rate, p95


def contracts_a_run(costs: Mapping[int, Mapping[str, Cost]]) -> Growth:
    """Return the processor seconds of the compiler's steps, by multiple of the contracts."""
    found = Growth("Contracts a run of the compiler", "s of processor time", list(costs))
    for measured in costs.values():
        for step in COMPILED:
            found.numbers.setdefault(step, []).append(measured[step].processor_s)
    return found


def _note(found: Growth, collected: dict[str, list[float]]) -> None:
    """Add the medians of a size."""
    for name, numbers in collected.items():
        found.numbers.setdefault(name, []).append(spread(numbers).median)


def _listed_s(contender: Contender) -> float:
    start = time.perf_counter()
    with started(contender.command, contender.folder, contender.settings) as program:
        pipes = Pipes.to(program)
        pipes.initialize()
        check_answer(pipes.request(request("tools/list")))
        return time.perf_counter() - start
