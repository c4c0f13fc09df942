"""A million callers, simulated: each thinks, calls risk-mcp, and thinks again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.figures import percentile
from benchmarks.pace import log_progress
from benchmarks.scale.calls import even
from benchmarks.scale.model import Layout, Outcome, Simulation, Work
from benchmarks.scale.samplers import NOTHING
from toolaccord.timing.retrying import Retry

CALLERS, THINK_S = 1_000_000, 60.0
BEGIN_S, END_S = 4.0, 8.0
"""The simulated seconds whose calls count: by then, calls that were rejected have come back."""
POOL, POOLER = 10, 90
"""Connections of a replica to the pooler, and of the pooler to PostgreSQL."""
PROXY_CONNECTIONS = 200
"""Connections of the proxy to each replica."""
EXCHANGE_RATES = (1, 2, 3, 4, 6, 30)
EXCHANGE_S, EXCHANGE_DEADLINE_S = 600, 30


@dataclass(frozen=True, slots=True)
class Scenario:
    """The replicas and the backends that serve the callers."""

    replicas: int
    database_cores: int
    hits: float = 0.0
    """Share of the calls that the cache in memory answers."""
    stores: int = 1
    """Redis servers among which keys are divided."""


SCENARIOS = (
    Scenario(50, 16, stores=2),
    Scenario(50, 16),
    Scenario(50, 8, stores=2),
    Scenario(50, 4, stores=2),
    Scenario(30, 16, stores=2),
    Scenario(20, 16, stores=2),
    Scenario(20, 8, hits=0.5, stores=2),
)


def table(work: Work) -> Iterator[str]:
    """Yield a row for each scenario, in which calls make some work."""
    yield (
        "| replicas | cores of PostgreSQL | Redis servers | cached | calls a second | results in time a second | late "
        "| rejected at last | attempts a call | p50 ms | p95 ms | cores of the replicas | of PostgreSQL | of Redis |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for each in SCENARIOS:
        log_progress(f"{CALLERS:,} callers: {each}")
        yield _row(work, each)


def _row(work: Work, scenario: Scenario) -> str:
    served = replace(work, client_s=0.0, client_wake_s=0.0, hits=scenario.hits)
    simulation = Simulation(served, _layout(scenario), retry=Retry())
    simulation.let_think(CALLERS, THINK_S, END_S)
    ended = [each for each in simulation.run() if each.intended >= BEGIN_S]
    calls, seconds = len(ended), END_S - BEGIN_S
    outcomes = Counter(each.outcome for each in ended)
    latencies_s = [each.latency_s for each in ended if each.outcome is Outcome.RESULT]
    in_time = sum(each <= work.timeout_s for each in latencies_s)
    late = outcomes[Outcome.EXPIRED] + len(latencies_s) - in_time
    p50, p95 = (percentile(latencies_s, share) * 1000 for share in (0.5, 0.95))
    busy = {name: each / END_S for name, each in simulation.visited_s.items()}
    return (
        f"| {scenario.replicas} | {scenario.database_cores} | {scenario.stores} | {scenario.hits:.0%} "
        f"| {calls / seconds:,.0f} | {in_time / seconds:,.0f} | {late / calls:.1%} "
        f"| {outcomes[Outcome.REJECTED] / calls:.1%} | {sum(each.attempts for each in ended) / calls:.2f} "
        f"| {p50:,.0f} | {p95:,.0f} | {simulation.server_busy_s / END_S:.1f} "
        f"| {busy.get('PostgreSQL', 0.0):.1f} | {busy.get('Redis', 0.0):.1f} |"
    )


def _layout(scenario: Scenario) -> Layout:
    return Layout(
        replicas=[f"replica {number}" for number in range(scenario.replicas)],
        cores={"PostgreSQL": scenario.database_cores},
        threads={"PostgreSQL": POOLER, "Redis": scenario.stores},
        pools={"PostgreSQL": POOL},
        connections=PROXY_CONNECTIONS,
    )


def exchange_table() -> Iterator[str]:
    """Yield a row for each rate of calls to an exchange that allows three requests a second."""
    yield "| distinct calls a second | results a second | rejected | p50 s | p95 s |"
    yield "|---:|---:|---:|---:|---:|"
    work = Work(EXCHANGE_DEADLINE_S, even(NOTHING, ("ISS", 0.0, NOTHING)))
    for rate in EXCHANGE_RATES:
        simulation = Simulation(work, Layout([f"replica {number}" for number in range(50)], paces={"ISS": 3}))
        simulation.offer(number / rate for number in range(rate * EXCHANGE_S))
        ended = [each for each in simulation.run() if each.intended >= EXCHANGE_S / 2]
        latencies_s = [each.latency_s for each in ended if each.outcome is Outcome.RESULT]
        p50, p95 = (percentile(latencies_s, share) for share in (0.5, 0.95))
        yield (
            f"| {rate} | {len(latencies_s) / (EXCHANGE_S / 2):.1f} | {1 - len(latencies_s) / len(ended):.0%} "
            f"| {p50:.1f} | {p95:.1f} |"
        )
