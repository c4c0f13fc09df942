"""The rounds: in each, every server has its turn at everything, and the next round begins with another one.

So whatever else the machine does meanwhile falls on all of them alike, and a ratio of one round means something.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from benchmarks.contenders import Contender
from benchmarks.figures import percentile
from benchmarks.messages import Era, Failed, call, hello, judged, request, result
from benchmarks.over_http import Connection, connected, free_port, loaded
from benchmarks.over_stdio import Pipes
from benchmarks.pace import Pace
from benchmarks.program import TICK_S, Program, started
from benchmarks.served.contract import CACHED
from benchmarks.served.rows import every_candle, every_strategy

GREETED_S = "start to the answer of initialize"
LISTED_S = "start to the first tools/list answer"
START_PROCESSOR_S = "processor time of a start"
IDLE_MIB = "resident memory, idle"
PIPELINED, PIPELINED_CACHED = "pipelined calls", "pipelined calls from the cache"
CALL_MS, CALL_CACHED_MS = "sequential call", "sequential call from the cache"
PAGE_MS, PAGE_CACHED_MS = "page", "page from the cache"
PROCESSOR_US, PROCESSOR_CACHED_US = "processor time of a pipelined call", "the same from the cache"
HTTP = {(era, cached): f"calls over HTTP, {era.name}, cached: {cached}" for era in Era for cached in (False, True)}
"""By era, and by whether they come from the cache."""
HTTP_PROCESSOR_US = {kind: f"processor time of {measure}" for kind, measure in HTTP.items()}
HTTP_CALL_MS = {era: f"sequential call over HTTP, {era.name}" for era in Era}

PAGE_ROWS = 1000
WINDOW = 64
CALLERS = 8
_IDLE_S = 2.0
_SLICE_S = 0.6
_WARM_UP_CALLS = 100
_CALLS = 200
_PAGES = 15
_SYMBOL = "ETH/USD"
TOPS = {
    (era, cached): call(CACHED["top_strategies"] if cached else "top_strategies", era, symbol=_SYMBOL)
    for era in Era
    for cached in (False, True)
}
TOP, TOP_CACHED = TOPS[Era.HANDSHAKE, False], TOPS[Era.HANDSHAKE, True]


@dataclass(slots=True)
class Measured:
    """Numbers by measure and contender, one a round; and by both, what every single sequential call took, in ms."""

    samples: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    latencies: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def add(self, measure: str, contender: Contender, number: float) -> None:
        """Note the number of a round."""
        self.samples[measure][contender.name].append(number)

    def sequential(self, measure: str, contender: Contender, took: Sequence[float]) -> None:
        """Note the calls of a round."""
        self.latencies[measure][contender.name] += took
        self.add(measure, contender, percentile(took, 0.5))


def page(rows: int, *, cached: bool = False) -> bytes:
    """The request for a page of candles."""
    return call(CACHED["candles"] if cached else "candles", symbol=_SYMBOL, limit=rows)


def starts(contenders: Sequence[Contender], pace: Pace, measured: Measured) -> None:
    """Start each server as a host does, time its first answers, leave it alone for a while, and weigh it."""
    for contender in pace.turns(contenders, "starts"):
        begun = time.perf_counter()
        with started(contender.command, contender.folder, contender.settings) as program:
            pipes = Pipes.to(program)
            pipes.greet()
            measured.add(GREETED_S, contender, time.perf_counter() - begun)
            judged(pipes.ask(request("tools/list")))
            measured.add(LISTED_S, contender, time.perf_counter() - begun)
            measured.add(START_PROCESSOR_S, contender, program.processor_s())
            time.sleep(_IDLE_S)
            measured.add(IDLE_MIB, contender, program.memory_mib())


def calls(contenders: Sequence[Contender], pace: Pace, measured: Measured) -> None:
    """Have all servers run on stdio, and call them in turns."""
    with ExitStack() as stack:
        running = {each: stack.enter_context(on_stdio(each)) for each in contenders}
        for contender in pace.turns(contenders, "calls over stdio"):
            program, pipes = running[contender]
            for measure, message in ((CALL_MS, TOP), (CALL_CACHED_MS, TOP_CACHED)):
                measured.sequential(measure, contender, sequential(pipes, message, _CALLS))
            for cached, measure in ((False, PAGE_MS), (True, PAGE_CACHED_MS)):
                measured.sequential(measure, contender, sequential(pipes, page(PAGE_ROWS, cached=cached), _PAGES))
            for measure, costs, message in (
                (PIPELINED, PROCESSOR_US, TOP),
                (PIPELINED_CACHED, PROCESSOR_CACHED_US, TOP_CACHED),
            ):
                before = program.processor_s()
                answered, seconds = pipes.pipelined(message, WINDOW, _SLICE_S)
                measured.add(measure, contender, answered / seconds)
                measured.add(costs, contender, _each_us(program, before, answered))


def calls_over_http(contenders: Sequence[Contender], pace: Pace, measured: Measured) -> None:
    """Have all servers run over HTTP, and call them in turns."""
    with ExitStack() as stack:
        running = {each: stack.enter_context(on_http(each)) for each in contenders}
        for contender in pace.turns(contenders, "calls over HTTP"):
            program, port = running[contender]
            for era, measure in HTTP_CALL_MS.items():
                with connected(port) as connection:
                    measured.sequential(measure, contender, sequential(connection, TOPS[era, False], _CALLS // 2))
            for kind, measure in HTTP.items():
                before = program.processor_s()
                took, seconds = loaded(port, TOPS[kind], CALLERS, _SLICE_S)
                measured.add(measure, contender, len(took) / seconds)
                measured.add(HTTP_PROCESSOR_US[kind], contender, _each_us(program, before, len(took)))


def _each_us(program: Program, before: float, calls: int) -> float:
    """The processor time of each of some calls since; that of all is at least a tick of the system's count."""
    return max(program.processor_s() - before, TICK_S) / calls * 1e6


def sequential(connection: Pipes | Connection, message: bytes, count: int) -> list[float]:
    """What each of *count* calls took, one after the other, in ms."""
    took: list[float] = []
    for _ in range(count):
        begun = time.perf_counter()
        answer = connection.ask(message)
        took.append((time.perf_counter() - begun) * 1000)
        judged(answer)
    return took


@contextmanager
def on_stdio(contender: Contender) -> Iterator[tuple[Program, Pipes]]:
    """A server that has answered rightly, and is warm."""
    with started(contender.command, contender.folder, contender.settings) as program:
        pipes = Pipes.to(program)
        pipes.greet()
        check(contender, pipes)
        yield program, pipes


@contextmanager
def on_http(contender: Contender) -> Iterator[tuple[Program, int]]:
    """The same over HTTP, and its port; connections that are idle until their next turn would be closed."""
    port = free_port()
    with started(contender.over_http(port), contender.folder, contender.settings) as program:
        with connected(port) as connection:
            connection.ask(hello())
            check(contender, connection)
            for message in TOPS.values():
                sequential(connection, message, _WARM_UP_CALLS // 4)
                result(connection.ask(message))
        yield program, port


def check(contender: Contender, connection: Pipes | Connection) -> None:
    """Warm a server up, and see that it answers with the rows, as data and as text.

    Raises:
        Failed: It answers something else.
    """
    for message in (TOP, TOP_CACHED):
        sequential(connection, message, _WARM_UP_CALLS)
    for message, name, expected in (
        (TOP, "score", [row["score"] for row in every_strategy()]),
        (TOP_CACHED, "score", [row["score"] for row in every_strategy()]),
        (page(PAGE_ROWS), "close", [row["close"] for row in every_candle()[:PAGE_ROWS]]),
        (page(PAGE_ROWS, cached=True), "close", [row["close"] for row in every_candle()[:PAGE_ROWS]]),
    ):
        told = result(connection.ask(message))
        data = told["structuredContent"]
        items = data.get("data", data)["items"]
        if [item[name] for item in items] != expected or not told["content"][0]["text"].count(name) == len(expected):
            raise Failed(f"{contender.name} answers with other rows: {told}"[:500])
