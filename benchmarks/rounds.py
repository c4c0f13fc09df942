"""The rounds, in each of which every server is measured in turn.

Each round begins with another server. So other work on the machine affects all servers alike, and the ratios of a
round are comparable.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from benchmarks.clients.messages import AnswerError, Era, call, check_answer, initialize_request, request, result
from benchmarks.clients.over_http import Connection, call_concurrently, connected, free_port
from benchmarks.clients.over_stdio import Pipes
from benchmarks.contenders import Contender
from benchmarks.figures import percentile
from benchmarks.pace import Pace
from benchmarks.program import TICK_S, Program, started
from benchmarks.servers.contract import CACHED
from benchmarks.servers.rows import every_candle, every_strategy

GREETED_S = "start to the answer of initialize"
LISTED_S = "start to the first tools/list answer"
START_PROCESSOR_S = "processor time of a start"
IDLE_MIB = "resident memory, idle"
PIPELINED, PIPELINED_CACHED = "pipelined calls", "pipelined calls from the cache"
CALL_MS, CALL_CACHED_MS = "sequential call", "sequential call from the cache"
PAGE_MS, PAGE_CACHED_MS = "page", "page from the cache"
PROCESSOR_US, PROCESSOR_CACHED_US = "processor time of a pipelined call", "the same from the cache"
HTTP = {(era, cached): f"calls over HTTP, {era.name}, cached: {cached}" for era in Era for cached in (False, True)}
"""By era, and True for calls that the cache answers."""
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
    """Numbers by measure and contender, one per round, and the ms of each sequential call."""

    samples: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    latencies: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def add(self, measure: str, contender: Contender, number: float) -> None:
        """Add the number of a round."""
        self.samples[measure][contender.name].append(number)

    def add_calls(self, measure: str, contender: Contender, durations: Sequence[float]) -> None:
        """Add the calls of a round, and their median."""
        self.latencies[measure][contender.name] += durations
        self.add(measure, contender, percentile(durations, 0.5))


def page_request(rows: int, *, cached: bool = False) -> bytes:
    """Return the request for a page of candles."""
    return call(CACHED["candles"] if cached else "candles", symbol=_SYMBOL, limit=rows)


def measure_starts(contenders: Sequence[Contender], pace: Pace, measured: Measured) -> None:
    """Start each server as a host does; measure its first answers, and its memory when idle."""
    for contender in pace.turns(contenders, "starts"):
        start = time.perf_counter()
        with started(contender.command, contender.folder, contender.settings) as program:
            pipes = Pipes.to(program)
            pipes.initialize()
            measured.add(GREETED_S, contender, time.perf_counter() - start)
            check_answer(pipes.request(request("tools/list")))
            measured.add(LISTED_S, contender, time.perf_counter() - start)
            measured.add(START_PROCESSOR_S, contender, program.processor_s())
            time.sleep(_IDLE_S)
            measured.add(IDLE_MIB, contender, program.memory_mib())


def measure_calls(contenders: Sequence[Contender], pace: Pace, measured: Measured) -> None:
    """Run all servers over stdio, and call them in turns."""
    with ExitStack() as stack:
        running = {each: stack.enter_context(on_stdio(each)) for each in contenders}
        for contender in pace.turns(contenders, "calls over stdio"):
            program, pipes = running[contender]
            for measure, message in ((CALL_MS, TOP), (CALL_CACHED_MS, TOP_CACHED)):
                measured.add_calls(measure, contender, time_calls(pipes, message, _CALLS))
            for cached, measure in ((False, PAGE_MS), (True, PAGE_CACHED_MS)):
                measured.add_calls(
                    measure, contender, time_calls(pipes, page_request(PAGE_ROWS, cached=cached), _PAGES)
                )
            for measure, costs, message in (
                (PIPELINED, PROCESSOR_US, TOP),
                (PIPELINED_CACHED, PROCESSOR_CACHED_US, TOP_CACHED),
            ):
                before = program.processor_s()
                answered, seconds = pipes.call_pipelined(message, WINDOW, _SLICE_S)
                measured.add(measure, contender, answered / seconds)
                measured.add(costs, contender, _each_us(program, before, answered))


def measure_calls_over_http(contenders: Sequence[Contender], pace: Pace, measured: Measured) -> None:
    """Run all servers over HTTP, and call them in turns."""
    with ExitStack() as stack:
        running = {each: stack.enter_context(on_http(each)) for each in contenders}
        for contender in pace.turns(contenders, "calls over HTTP"):
            program, port = running[contender]
            for era, measure in HTTP_CALL_MS.items():
                with connected(port) as connection:
                    measured.add_calls(measure, contender, time_calls(connection, TOPS[era, False], _CALLS // 2))
            for kind, measure in HTTP.items():
                before = program.processor_s()
                durations, seconds = call_concurrently(port, TOPS[kind], CALLERS, _SLICE_S)
                measured.add(measure, contender, len(durations) / seconds)
                measured.add(HTTP_PROCESSOR_US[kind], contender, _each_us(program, before, len(durations)))


def _each_us(program: Program, before: float, calls: int) -> float:
    """Return the µs of processor time per call since *before*, of at least a tick in total."""
    return max(program.processor_s() - before, TICK_S) / calls * 1e6


def time_calls(connection: Pipes | Connection, message: bytes, count: int) -> list[float]:
    """Return the ms of each of *count* sequential calls."""
    durations: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        answer = connection.request(message)
        durations.append((time.perf_counter() - start) * 1000)
        check_answer(answer)
    return durations


@contextmanager
def on_stdio(contender: Contender) -> Iterator[tuple[Program, Pipes]]:
    """Yield a warm server whose answers were checked."""
    with started(contender.command, contender.folder, contender.settings) as program:
        pipes = Pipes.to(program)
        pipes.initialize()
        check(contender, pipes)
        yield program, pipes


@contextmanager
def on_http(contender: Contender) -> Iterator[tuple[Program, int]]:
    """Yield a warm server over HTTP, and its port: idle connections would be closed."""
    port = free_port()
    with started(contender.over_http(port), contender.folder, contender.settings) as program:
        with connected(port) as connection:
            connection.request(initialize_request())
            check(contender, connection)
            for message in TOPS.values():
                time_calls(connection, message, _WARM_UP_CALLS // 4)
                result(connection.request(message))
        yield program, port


def check(contender: Contender, connection: Pipes | Connection) -> None:
    """Warm a server up, and check its answers against the rows, as data and as text.

    Raises:
        AnswerError: It answers with other rows.
    """
    for message in (TOP, TOP_CACHED):
        time_calls(connection, message, _WARM_UP_CALLS)
    for message, name, expected in (
        (TOP, "score", [row["score"] for row in every_strategy()]),
        (TOP_CACHED, "score", [row["score"] for row in every_strategy()]),
        (page_request(PAGE_ROWS), "close", [row["close"] for row in every_candle()[:PAGE_ROWS]]),
        (page_request(PAGE_ROWS, cached=True), "close", [row["close"] for row in every_candle()[:PAGE_ROWS]]),
    ):
        answer = result(connection.request(message))
        data = answer["structuredContent"]
        items = data.get("data", data)["items"]
        if [item[name] for item in items] != expected or not answer["content"][0]["text"].count(name) == len(expected):
            raise AnswerError(f"{contender.name} answers with other rows: {answer}"[:500])
