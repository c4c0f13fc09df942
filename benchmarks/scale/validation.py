"""The model beside 1, 2 and 4 real processes of risk-mcp, under the same calls.

The calls are independent (Poisson), sent at their times whether others were answered or not. Model and processes get
the same times. One process has a core of its own, and client and backends have the others. Several processes share all
cores with them, and the model has the same cores.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from random import Random
from statistics import mean

from benchmarks.clients import paced
from benchmarks.figures import percentile
from benchmarks.pace import log_progress
from benchmarks.scale.capacity import describe
from benchmarks.scale.costs import ROOT, Costs, Target, caches_off, find_backends, measure
from benchmarks.scale.model import Layout, Outcome, Simulation, Visit, Work
from benchmarks.scale.samplers import empirical
from benchmarks.scale.usage import find_family, place, read_machine_s, read_usage
from tests.services.served import Served, serving

TOOL = "risk.position_limits_check"
PROCESSES = (1, 2, 4)
LOADS = (0.3, 0.6, 0.8, 1.3)
"""Rates of calls, as shares of what the costs allow."""
SECONDS = 8.0
CONNECTIONS = 128
"""Connections of the client, shared out evenly among the processes."""
POOL = 10
"""Connections to PostgreSQL of all processes of the server together, as in the contract."""
TIMER_S = 0.001
"""Most time by which a timer of the client is late: epoll counts whole milliseconds."""
ALL, SERVER, REST = "all cores", "core of the server", "other cores"


@dataclass(frozen=True, slots=True)
class Seen:
    """Calls at one rate, of the model or of real processes."""

    good: float
    """Results in time, a second."""
    p50_s: float
    p95_s: float
    processor_s: float
    """Processor time of the server for a call, whatever its outcome."""


@dataclass(frozen=True, slots=True)
class Step:
    """One rate, predicted and measured."""

    processes: int
    rate: float
    predicted: Seen
    measured: Seen
    others: float
    """Share of the machine's processor time that other programs took."""

    def errors(self) -> Seen:
        """Return the prediction's errors, as shares of what was measured."""
        pairs = zip(astuple(self.predicted), astuple(self.measured), strict=True)
        return Seen(*(predicted / measured - 1 if measured else math.inf for predicted, measured in pairs))


def work_of(costs: Costs, timeout_s: float) -> Work:
    """Return what the model needs to know of a tool.

    What a call alone waits beyond processor times belongs to its visits, or to the network if it makes none.
    """
    alone_s, visits = mean(costs.alone_s), _list_visits(costs)
    others_s = sum(share.processor_s for share in costs.backends.values()) + costs.client.base_s
    waits_s = [
        max(latency_s - processor_s - others_s, 0.0) / max(len(visits), 1)
        for latency_s, processor_s in zip(costs.latencies_s, costs.alone_s, strict=True)
    ]
    return Work(
        timeout_s=timeout_s,
        server=empirical([each * costs.effort.base_s / alone_s for each in costs.alone_s]),
        visits=[Visit(name, processor_s, empirical(waits_s)) for name, processor_s in visits],
        wake_s=costs.effort.wake_s,
        rejection_s=costs.rejection_s,
        client_s=costs.client.base_s,
        client_wake_s=costs.client.wake_s,
        client_lag_s=TIMER_S,
    )


def _list_visits(costs: Costs) -> Sequence[tuple[str, float]]:
    """Return backend and processor time of each visit; the store of rate limits comes first."""
    return [
        (name, share.processor_s / max(round(share.visits), 1))
        for name, share in sorted(costs.backends.items(), key=lambda each: each[0] != "Redis")
        for _ in range(max(round(share.visits), 1))
    ]


def layout_of(processes: int, cores: int) -> Layout:
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
        connections=CONNECTIONS // processes,
    )


def capacity(costs: Costs, processes: int, cores: int) -> float:
    """Return the calls a second at which the first core is busy all the time."""
    rest_s = costs.client.base_s + sum(each.processor_s for each in costs.backends.values())
    if processes == 1:
        return 1 / max(costs.loaded_s, rest_s / (cores - 1))
    return cores / (costs.loaded_s + rest_s)


def poisson(rate: float, seconds: float, seed: int) -> Sequence[float]:
    """Return times of independent calls."""
    random, times, now = Random(seed), [], 0.0  # noqa: S311 - a model
    while (now := now + random.expovariate(rate)) < seconds:
        times.append(now)
    return times


def predict(costs: Costs, timeout_s: float, processes: int, times_s: Sequence[float], cores: int) -> Seen:
    """Return what the model says of calls at some times."""
    simulation = Simulation(work_of(costs, timeout_s), layout_of(processes, cores))
    simulation.offer(times_s)
    ended = simulation.run()
    latencies_s = [each.latency_s for each in ended if each.outcome is Outcome.RESULT]
    return _see(latencies_s, timeout_s, simulation.server_busy_s / len(ended))


async def validate(target: Target, settings: Mapping[str, str]) -> Sequence[Step]:
    """Return a step for each number of processes and each load.

    The costs are measured before each number of processes, always of one: other programs change them.
    """
    return [step for processes in PROCESSES for step in await _validate(target, settings, processes)]


async def _validate(target: Target, settings: Mapping[str, str], processes: int) -> Sequence[Step]:
    first, *others = sorted(os.sched_getaffinity(os.getppid()))
    cores = 1 + len(others)
    place([*find_family(os.getpid()), *_of_backends()], others or [first])
    costs = await measure(target, settings, [first])
    log_progress(describe(costs))
    options = ["--log-level=warning", *([f"--workers={processes}"] if processes > 1 else [])]
    env = {**settings, **caches_off(TOOL)}
    steps = []
    async with serving(f"generated.{target.server}", ROOT, *options, env=env) as server:
        await _wait_for_workers(server, processes)
        _place(server, processes, cores)
        await _offer(server, target, poisson(100 * processes, 2, 0))
        for load in LOADS:
            rate = load * capacity(costs, processes, cores)
            log_progress(f"{processes} processes, {rate:.0f} calls a second")
            times_s = poisson(rate, SECONDS, seed=round(100 * load))
            ours, machine_s = [*find_family(os.getpid()), *_of_backends()], read_machine_s()
            before, served = read_usage(set(ours)), read_usage(find_family(server.pid))
            responses = await _offer(server, target, times_s)
            processor_s = (read_usage(find_family(server.pid)) - served).processor_s / len(times_s)
            spent_s = read_usage({*find_family(os.getpid()), *_of_backends()}).processor_s - before.processor_s
            elsewhere = (read_machine_s() - machine_s - spent_s) / (SECONDS * cores)
            codes = Counter(each.status for each in responses)
            log_progress(f"  statuses {dict(codes)}, other programs {elsewhere:.0%}")
            measured = _see([each.latency_s for each in responses if each.status == 200], target.timeout_s, processor_s)
            steps.append(
                Step(processes, rate, predict(costs, target.timeout_s, processes, times_s, cores), measured, elsewhere)
            )
            await asyncio.sleep(1)
    return steps


def _see(latencies_s: Sequence[float], timeout_s: float, processor_s: float) -> Seen:
    """Return goodput and percentiles of the results with some latencies."""
    good = sum(each <= timeout_s for each in latencies_s) / SECONDS
    p50_s, p95_s = (percentile(latencies_s or [math.inf], share) for share in (0.5, 0.95))
    return Seen(good, p50_s, p95_s, processor_s)


async def _offer(server: Served, target: Target, times_s: Sequence[float]) -> Sequence[paced.Response]:
    requests = [target.request() for _ in times_s]
    return await paced.offer_at(times_s, int(server.url.rpartition(":")[2]), requests, CONNECTIONS)


async def _wait_for_workers(server: Served, processes: int) -> None:
    """Wait until all workers of a server accept connections. Raises TimeoutError after a minute."""
    async with asyncio.timeout(60):
        while processes > 1 and len(find_family(server.pid)) <= processes:  # noqa: ASYNC110 - other processes decide
            await asyncio.sleep(0.2)
        await asyncio.sleep(3)


def _place(server: Served, processes: int, cores: int) -> None:
    """Give one process a core of its own; several share all cores with client and backends."""
    every = os.sched_getaffinity(os.getppid())
    first, *others = sorted(every)
    place([*find_family(os.getpid()), *_of_backends()], others if processes == 1 and cores > 1 else every)
    if processes == 1:
        place([server.pid], [first])


def _of_backends() -> Iterator[int]:
    for pids in find_backends().values():
        yield from pids
