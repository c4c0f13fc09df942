"""Tables of what a core and many replicas do, and of the backends that give out first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from benchmarks.figures import number
from benchmarks.scale.costs import Costs

TARGET = 0.7
"""Share of a core that is planned for calls: the autoscaler's target."""
CORES, REPLICAS = 8, 50
"""The machine and the number of replicas for which the tables are."""
REQUEST = 0.25
"""The cores that a pod of the manifests requests."""
BACKEND_CORES = {"PostgreSQL": 8, "Redis": 1, "NATS": 8, "InfluxDB": 8}
"""Cores of each backend in the tables. Redis has one thread for commands."""
CONNECTIONS = {"PostgreSQL": 97, "Redis": 10_000, "NATS": 65_536}
"""Connections of a backend with its default settings, without those kept for superusers."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The first limit that more and more replicas meet."""

    backend: str
    what: str
    replicas: float
    """The number of replicas that reach it, each at TARGET of a core."""


def calls_a_core(costs: Costs) -> float:
    """Return the calls a second of one busy core."""
    return 1 / costs.loaded_s


def limits(costs: Costs, pools: Mapping[str, int]) -> Sequence[Limit]:
    """Return the limits of the backends of a tool, the first one first."""
    found = []
    for name, share in costs.backends.items():
        a_replica = TARGET * calls_a_core(costs)
        found.append(Limit(name, "processor", BACKEND_CORES[name] / share.processor_s / a_replica))
        if name in CONNECTIONS and name in pools:
            found.append(Limit(name, "connections", CONNECTIONS[name] // pools[name]))
    return sorted(found, key=lambda each: each.replicas)


def cost_table(found: Sequence[Costs]) -> Iterator[str]:
    """Yield a row for each tool: its costs, and the calls a second that they allow."""
    yield (
        f"| tool | server ms | p95 ms alone | cached ms | backends, ms | a core | {CORES} cores at {TARGET:.0%} "
        f"| {REPLICAS} replicas at {TARGET:.0%} | a pod of {REQUEST * 1000:.0f}m at {TARGET:.0%} |"
    )
    yield "|---|---:|---:|---:|---|---:|---:|---:|---:|"
    for each in found:
        core = calls_a_core(each)
        backends = ", ".join(f"{name} {number(share.processor_s * 1000)}" for name, share in each.backends.items())
        latencies = sorted(each.latencies_s)
        p95 = latencies[math.ceil(0.95 * len(latencies)) - 1]
        yield (
            f"| `{each.tool}` | {number(each.loaded_s * 1000)} | {number(p95 * 1000)} "
            f"| {number(each.hit_s * 1000) if each.hit_s else ''} | {backends} | {_round(core)} "
            f"| {_round(TARGET * CORES * core)} | {_round(TARGET * REPLICAS * core)} "
            f"| {_round(TARGET * REQUEST * core)} |"
        )


def backend_table(found: Sequence[Costs], pools: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield a row for each tool and backend: what fills it, and the first limit.

    *pools* are the connections of a replica to each backend, by server.
    """
    yield (
        "| tool | backend | a core of it, calls a second | replicas that fill its cores | cores for "
        f"{REPLICAS} replicas | connections of {REPLICAS} replicas | gives out first |"
    )
    yield "|---|---|---:|---:|---:|---:|---|"
    for each in found:
        every = limits(each, pools.get(each.server, {}))
        for name, share in each.backends.items():
            a_replica = TARGET * calls_a_core(each)
            processor = next(limit for limit in every if (limit.backend, limit.what) == (name, "processor"))
            pool = pools.get(each.server, {}).get(name)
            first = every[0]
            mark = f"{first.what}, at {_round(first.replicas)} replicas" if first.backend == name else ""
            yield (
                f"| `{each.tool}` | {name} | {_round(1 / share.processor_s)} | {_round(processor.replicas)} "
                f"| {number(REPLICAS * a_replica * share.processor_s)} | {pool * REPLICAS if pool else ''} | {mark} |"
            )


def describe(each: Costs) -> str:
    """Return a line about the costs of a tool, for the log."""
    backends = {
        name: (f"{share.processor_s * 1e3:.3f}", round(share.visits, 1)) for name, share in each.backends.items()
    }
    return (
        f"{each.tool}: alone {mean(each.alone_s) * 1e3:.2f} of {mean(each.latencies_s) * 1e3:.2f} ms, "
        f"without a pause {each.loaded_s * 1e3:.2f}, {each.effort}, rejected {each.rejection_s * 1e3:.2f}, "
        f"client {each.client}, {backends}"
    )


def _round(value: float) -> str:
    """Format a number with two significant digits."""
    digits = max(0, math.floor(math.log10(value)) - 1)
    return f"{round(value, -digits):,.0f}"
