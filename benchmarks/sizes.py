"""How cost grows with size: rows a page, tools a server, callers at once, contracts a run of the compiler."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks.contenders import Contender, contenders
from benchmarks.figures import percentile, spread
from benchmarks.messages import judged, request
from benchmarks.over_http import loaded
from benchmarks.over_stdio import Pipes
from benchmarks.pace import Pace
from benchmarks.processes import Cost
from benchmarks.program import started
from benchmarks.rounds import TOP, on_http, on_stdio, page, sequential

ROWS = (1, 10, 100, 1000, 10_000)
TOOLS = (4, 20, 100, 400)
CALLERS = (1, 4, 16, 64)
CONTRACTS = {1: 3, 3: 1, 10: 1}
"""Times the contracts of this repository, and how often each is measured."""
COMPILED = ("generate, from nothing", "generate, after an edit of a schema", "check, nothing changed")
_PAGES = 5
_SECONDS = 0.6


@dataclass(frozen=True, slots=True)
class Growth:
    """What is measured at each of some sizes: by name, one number a size."""

    title: str
    unit: str
    sizes: Sequence[int]
    numbers: dict[str, list[float]] = field(default_factory=dict)


def rows_a_page(measured: Sequence[Contender], pace: Pace) -> Growth:
    """The median time of a page, in ms."""
    found = Growth("Rows a page", "ms a page, p50", ROWS)
    with ExitStack() as stack:
        running = {each: stack.enter_context(on_stdio(each))[1] for each in measured}
        for rows in ROWS:
            took: dict[str, list[float]] = {each.name: [] for each in measured}
            for contender in pace.turns(measured, f"{rows:,} rows a page"):
                sequential(running[contender], page(rows), 1)  # the first of a size makes room for it
                took[contender.name] += sequential(running[contender], page(rows), _PAGES)
            _note(found, took)
    return found


def tools_a_server(pace: Pace) -> Growth:
    """The median time from start to the first list of tools, in s."""
    found = Growth("Tools a server", "s from start to the first `tools/list` answer", TOOLS)
    for tools in TOOLS:
        with contenders(tools - TOOLS[0]) as measured:
            took: dict[str, list[float]] = {each.name: [] for each in measured}
            for contender in pace.turns(measured, f"{tools} tools a server"):
                took[contender.name].append(_listed_s(contender))
            _note(found, took)
    return found


def callers_at_once(measured: Sequence[Contender], pace: Pace) -> tuple[Growth, Growth]:
    """Calls a second over HTTP, and the time below which 95 of 100 of them stay, in ms."""
    rate = Growth("Callers at once over HTTP", "calls a second", CALLERS)
    p95 = Growth("Callers at once over HTTP", "ms a call, p95", CALLERS)
    with ExitStack() as stack:
        ports = {each: stack.enter_context(on_http(each))[1] for each in measured}
        for callers in CALLERS:
            rates: dict[str, list[float]] = {each.name: [] for each in measured}
            took: dict[str, list[float]] = {each.name: [] for each in measured}
            for contender in pace.turns(measured, f"{callers} callers at once"):
                calls, seconds = loaded(ports[contender], TOP, callers, _SECONDS)
                rates[contender.name].append(len(calls) / seconds)
                took[contender.name] += calls
            _note(rate, rates)
            for name, calls in took.items():
                p95.numbers.setdefault(name, []).append(percentile(calls, 0.95) * 1000)
    return rate, p95


def contracts_a_run(costs: Mapping[int, Mapping[str, Cost]]) -> Growth:
    """The processor time of the compiler, in s, of what each step cost over so many times the contracts."""
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
    begun = time.perf_counter()
    with started(contender.command, contender.folder, contender.settings) as program:
        pipes = Pipes.to(program)
        pipes.greet()
        judged(pipes.ask(request("tools/list")))
        return time.perf_counter() - begun
