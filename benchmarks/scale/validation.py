"""The model beside 1, 2 and 4 real processes of risk-mcp, under the same calls.

The calls are independent (Poisson), sent whether others were answered or not. The model gets the times at which they
were really sent, and latencies count from there, so that the lag of the client is in none of them. One process has a
core of its own, and client and backends have the others. Several processes share all cores with them, and the model has
the same cores.

Each step runs several times, and the median counts. Its interval is what a repetition of all may measure (bootstrap
over runs and their seconds).
"""

from __future__ import annotations

import asyncio
import gc
import math
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import TypeAlias

from benchmarks.clients import paced
from benchmarks.figures import percentile
from benchmarks.pace import log_progress
from benchmarks.scale.capacity import describe
from benchmarks.scale.costs import (
    CONNECTIONS,
    ROOT,
    TRACED_S,
    Calibration,
    Costs,
    Target,
    Tracing,
    caches_off,
    find_backends,
    measure,
    poisson,
    tracing,
)
from benchmarks.scale.model import SLICE_S, Layout, Outcome, Simulation, Work
from benchmarks.scale.traces import Traced, draw_alike, with_processors
from benchmarks.scale.usage import count_connections, find_family, place, read_machine_s, read_usage
from tests.services.served import Served, serving

TOOL = "risk.position_limits_check"
PROCESSES = (1, 2, 4)
LOADS = (0.3, 0.5, 0.7)
"""Rates of calls, as shares of what the costs allow."""
SECONDS, RUNS = 6.0, 4
"""Seconds of each run, and runs of each rate; the one in the middle counts."""
POOL = 10
"""Connections to PostgreSQL of all processes of the server together, as in the contract."""
RESAMPLES = 500
ATTEMPTS = 3
"""Calibrations of which one must succeed."""
SURE = 0.95
"""The share of resamples within an interval."""
Statistic: TypeAlias = Callable[[Iterable[float]], float]
"""Finds a number in the latencies of calls."""
ALL, SERVER, REST = "all cores", "core of the server", "other cores"


@dataclass(frozen=True, slots=True)
class Run:
    """Calls that were sent for some seconds, of the model or of real processes."""

    sent_s: Sequence[float]
    """Seconds from the begin of the run at which each call was sent, in ascending order."""
    latencies_s: Sequence[float]
    """Seconds from there until the result of each call; infinity without one."""
    processor_s: float
    """Processor time of the server for a call, whatever its outcome."""
    connections: Sequence[int] = ()
    """Connections that each process had accepted."""
    others: float = 0.0
    """Share of the machine's processor time that other programs took."""
    lag_s: float = 0.0
    """95th percentile of the time by which calls were sent too late."""

    def blocks(self) -> Sequence[Sequence[float]]:
        """Return the latencies of the calls of each second."""
        found: dict[int, list[float]] = {}
        for sent_s, latency_s in zip(self.sent_s, self.latencies_s, strict=True):
            found.setdefault(int(sent_s), []).append(latency_s)
        return list(found.values())


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of the model beside what was measured."""

    predicted: float
    measured: float
    interval: tuple[float, float]
    """The interval of repeated measurements."""

    @property
    def error(self) -> float:
        """The prediction's error, as a share of what was measured."""
        return self.predicted / self.measured - 1 if self.measured else math.inf

    @property
    def is_repeatable(self) -> bool:
        """True if a repeated measurement may have the predicted number."""
        low, high = self.interval
        return low <= self.predicted <= high


@dataclass(frozen=True, slots=True)
class Step:
    """One rate, predicted and measured, several times each."""

    processes: int
    rate: float
    timeout_s: float
    predicted: Sequence[Run]
    measured: Sequence[Run]

    def compared(self) -> tuple[Compared, Compared, Compared]:
        """Return the results in time a second, the median and the 95th percentile of latencies."""
        good, p50, p95 = (self._compare(each) for each in (self._count_in_time, quantile(0.5), quantile(0.95)))
        return good, p50, p95

    def _compare(self, statistic: Statistic) -> Compared:
        predicted, measured = (
            median(statistic(run.latencies_s) for run in runs) for runs in (self.predicted, self.measured)
        )
        return Compared(predicted, measured, interval(self.measured, statistic))

    def _count_in_time(self, latencies_s: Iterable[float]) -> float:
        return sum(each <= self.timeout_s for each in latencies_s) / SECONDS


def quantile(share: float) -> Statistic:
    """Return the function that finds a percentile of the results' latencies."""

    def find(latencies_s: Iterable[float]) -> float:
        return percentile([each for each in latencies_s if each < math.inf] or [math.inf], share)

    return find


def interval(runs: Sequence[Run], statistic: Statistic) -> tuple[float, float]:
    """Return the interval in which the median of a statistic of repeated runs lies.

    Runs are drawn with replacement, and seconds within each.
    """
    random, blocks = Random(1), [run.blocks() for run in runs]  # noqa: S311 - statistics

    def resample() -> Iterator[float]:
        for seconds in random.choices(blocks, k=len(blocks)):
            yield statistic([each for block in random.choices(seconds, k=len(seconds)) for each in block])

    found = sorted(median(resample()) for _ in range(RESAMPLES))
    edge = int((1 - SURE) / 2 * RESAMPLES)
    return found[edge], found[-1 - edge]


def work_of(costs: Costs, calibration: Calibration, traced: Sequence[Traced], timeout_s: float) -> Work:
    """Return what the model needs to know of a tool."""
    backends_s = {name: calibration.backend_s(name) for name in costs.backends}
    return Work(
        timeout_s=timeout_s,
        draw=draw_alike(with_processors(traced, backends_s), calibration.loaded_s),
        rejection_s=costs.rejection_s,
        client_s=calibration.client.base_s,
        client_wake_s=calibration.client.wake_s,
        hit_s=costs.hit_s or 0.0,
    )


def layout_of(processes: int, cores: int, connections: Sequence[int] = ()) -> Layout:
    """Return the layout in which real processes are measured."""
    alone = processes == 1
    rest = REST if alone else ALL
    return Layout(
        replicas=[SERVER if alone else ALL] * processes,
        cores={SERVER: 1, REST: cores - 1} if alone else {ALL: cores},
        backends=dict.fromkeys(("PostgreSQL", "Redis", "NATS", "InfluxDB"), rest),
        threads={"Redis": 1},
        pools={"PostgreSQL": POOL // processes},
        client=rest,
        connections=connections or CONNECTIONS // processes,
        slice_s=os.sched_rr_get_interval(0) or SLICE_S,
    )


def capacity(costs: Costs, processes: int, cores: int) -> float:
    """Return the calls a second at which the first core is busy all the time."""
    rest_s = costs.client.base_s + sum(each.processor_s for each in costs.backends.values())
    if processes == 1:
        return 1 / max(costs.loaded_s, rest_s / (cores - 1))
    return cores / (costs.loaded_s + rest_s)


def predict(work: Work, layout: Layout, sent_s: Sequence[float]) -> Run:
    """Return what the model says of calls that are sent at some times."""
    simulation = Simulation(work, layout)
    simulation.offer(sent_s)
    ended = sorted(simulation.run(), key=lambda each: each.intended)
    latencies_s = [each.latency_s if each.outcome is Outcome.RESULT else math.inf for each in ended]
    return Run(sent_s, latencies_s, simulation.server_busy_s / len(ended))


async def validate(target: Target, settings: Mapping[str, str], processes: Iterable[int] = PROCESSES) -> Sequence[Step]:
    """Return a step for each number of processes and each load.

    A traced server is calibrated just before each run: other programs change what a call costs.
    """
    return [step for number in processes for step in await _validate(target, settings, number)]


async def _validate(target: Target, settings: Mapping[str, str], processes: int) -> Sequence[Step]:
    every = sorted(os.sched_getaffinity(os.getppid()))
    costs = await measure_one(target, settings)
    runs: list[tuple[float, Calibration, Run]] = []
    with TemporaryDirectory(prefix="traces-") as folder:
        async with (
            tracing(target, settings, every[:1], Path(folder)) as traced,
            _serving(target, settings, processes) as server,
        ):
            for load in sorted(LOADS * RUNS):
                rate = load * capacity(costs, processes, len(every))
                log_progress(f"{processes} processes, {rate:.0f} calls a second")
                _place(server, 1)
                calibration = await _calibrate(traced)
                _place(server, processes)
                times_s = poisson(rate, SECONDS, seed=round(100 * load))
                runs.append((rate, calibration, await _run(server, target, times_s, len(every))))
        return [
            _step(target, costs, processes, [each for each in runs if each[0] == rate], traced)
            for rate in sorted({rate for rate, _, _ in runs})
        ]


async def _calibrate(traced: Tracing, seconds: float = TRACED_S) -> Calibration:
    """Return a calibration in which no calls missed their deadlines.

    A server without a pause keeps Linux's own threads from their core, and may then wait for them.
    Raises RuntimeError if some missed them at each attempt.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return await traced.calibrate(seconds)
        except RuntimeError as error:
            log_progress(f"  again, because {error}")
            await asyncio.sleep(1)
    return await traced.calibrate(seconds)


def _step(
    target: Target, costs: Costs, processes: int, runs: Sequence[tuple[float, Calibration, Run]], tracing: Tracing
) -> Step:
    """Return the runs of one rate, and what the model says of each after its calibration."""
    cores, predicted = len(os.sched_getaffinity(os.getppid())), []
    for _, calibration, run in runs:
        work = work_of(costs, calibration, tracing.read(calibration), target.timeout_s)
        predicted.append(predict(work, layout_of(processes, cores, run.connections), run.sent_s))
    return Step(processes, runs[0][0], target.timeout_s, predicted, [run for _, _, run in runs])


async def measure_work(target: Target, settings: Mapping[str, str]) -> Work:
    """Return the work of a tool, from a long calibration."""
    first, *_ = sorted(os.sched_getaffinity(os.getppid()))
    costs = await measure_one(target, settings)
    with TemporaryDirectory(prefix="traces-") as folder:
        async with tracing(target, settings, [first], Path(folder)) as traced:
            calibration = await _calibrate(traced, 4 * TRACED_S)
        return work_of(costs, calibration, traced.read(calibration), target.timeout_s)


async def measure_one(target: Target, settings: Mapping[str, str]) -> Costs:
    """Return the costs of a tool, whose server has a core of its own."""
    first, *others = sorted(os.sched_getaffinity(os.getppid()))
    place([*find_family(os.getpid()), *_of_backends()], others or [first])
    gc.collect()
    gc.freeze()
    costs = await measure(target, settings, [first])
    log_progress(describe(costs))
    return costs


@asynccontextmanager
async def _serving(target: Target, settings: Mapping[str, str], processes: int) -> AsyncIterator[Served]:
    """Start the processes, and place them."""
    options = ["--log-level=warning", *([f"--workers={processes}"] if processes > 1 else [])]
    env = {**settings, **caches_off(target.tool)}
    async with serving(f"generated.{target.server}", ROOT, *options, env=env) as server:
        await _wait_for_workers(server, processes)
        await _offer(server, target, poisson(100 * processes, 2, 0))
        yield server


async def _run(server: Served, target: Target, times_s: Sequence[float], cores: int) -> Run:
    """Send calls at some times to the processes."""
    family = list(find_family(server.pid))
    ours, machine_s = [*find_family(os.getpid()), *_of_backends()], read_machine_s()
    before, served = read_usage(set(ours)), read_usage(family)
    looking = asyncio.create_task(_count_connections(server, family))
    responses = await _offer(server, target, times_s)
    processor_s = (read_usage(family) - served).processor_s / len(times_s)
    spent_s = (read_usage({*find_family(os.getpid()), *_of_backends()}) - before).processor_s
    elsewhere = (read_machine_s() - machine_s - spent_s) / (SECONDS * cores)
    ordered = sorted(responses, key=lambda each: each.sent)
    begin = min(each.intended for each in ordered) - times_s[0]
    latencies_s = [each.received - each.sent if each.status == 200 else math.inf for each in ordered]
    run = Run(
        sent_s=[each.sent - begin for each in ordered],
        latencies_s=latencies_s,
        processor_s=processor_s,
        connections=await looking,
        others=elsewhere,
        lag_s=percentile([each.sent - each.intended for each in ordered], 0.95),
    )
    codes = Counter(each.status for each in responses)
    found = ", ".join(f"p{share} {quantile(share / 100)(latencies_s) * 1000:.2f}" for share in (50, 95))
    log_progress(
        f"  statuses {dict(codes)}, {found} ms, lag {run.lag_s * 1000:.2f} ms, others {elsewhere:.0%}, {run.connections}"
    )
    await asyncio.sleep(0.5)
    return run


async def _count_connections(server: Served, family: Iterable[int]) -> Sequence[int]:
    """Return the connections of each process, once all are open."""
    await asyncio.sleep(SECONDS / 2)
    return [each for each in count_connections(family, _port(server)) if each]


async def _offer(server: Served, target: Target, times_s: Sequence[float]) -> Sequence[paced.Response]:
    requests = [target.request() for _ in times_s]
    return await paced.offer_at(times_s, _port(server), requests, CONNECTIONS)


def _port(server: Served) -> int:
    return int(server.url.rpartition(":")[2])


async def _wait_for_workers(server: Served, processes: int) -> None:
    """Wait until all workers of a server accept connections. Raises TimeoutError after a minute."""
    async with asyncio.timeout(60):
        while processes > 1 and len(find_family(server.pid)) <= processes:  # noqa: ASYNC110 - other processes decide
            await asyncio.sleep(0.2)
        await asyncio.sleep(3)


def _place(server: Served, processes: int) -> None:
    """Give one process a core of its own; several share all cores with client and backends."""
    first, *others = every = sorted(os.sched_getaffinity(os.getppid()))
    is_apart = processes == 1 and bool(others)
    place([os.getpid(), *_of_backends()], others if is_apart else every)
    place(find_family(server.pid), [first] if is_apart else every)


def _of_backends() -> Iterator[int]:
    for pids in find_backends().values():
        yield from pids
