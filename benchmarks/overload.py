"""Measure the goodput of risk-mcp at rates below and beyond its capacity.

Run with `./run bench -- overload`; it takes two minutes, and writes the table into docs/overload.md. With
`--against DIR` it measures the server of another checkout side by side, and writes nothing. The calls are distinct
and by many callers, so neither the cache nor a rate limit answers them. Each is sent at its intended time, whether
others were answered or not, and its latency counts from that time. A good answer is a result within the deadline.

The server has one core of its own, and the client and the backends the others. A rate is measured again while other
programs hold the server up.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import sandbox
from benchmarks.clients import paced
from benchmarks.figures import percentile
from benchmarks.page import marked
from benchmarks.program import read_processor_s, read_queued_s
from tests.services.served import Served, serving

ROOT = Path(__file__).parents[1]
TOOL = "risk.position_limits_check"
RATES = (50, 100, 200, 300, 400, 450, 500, 600, 800)
SECONDS, WARM_UP_S, PAUSE_S = 8.0, 2.0, 1.0
CALLERS = 100
"""Callers among whom the calls are divided, so that none reaches its rate limit."""
CONNECTIONS = 128
"""Connections of the client; a call that waits for one is late."""
ATTEMPTS, DISTURBED = 4, 0.03
"""Measurements of a rate, while the server is held up for more than this share."""
ENVIRONMENT = ("RISK_DATABASE_URL", "REDIS_URL", "NATS_URL")
_QUANTITIES = count(1)


@dataclass(frozen=True, slots=True)
class Step:
    """The answers to calls at one rate."""

    rate: int
    latencies_s: Sequence[float]
    """Of each result, from its intended time."""
    codes: Counter[str]
    """Number of answers by code; "" is a result."""
    processor: float
    """Share of the time in which the server ran."""
    held_up: float
    """Share of the time in which the server could run, and another program had its core."""

    def good(self, deadline_s: float) -> float:
        """Return the results within the deadline, a second."""
        return sum(each <= deadline_s for each in self.latencies_s) / SECONDS


def read_deadline_s() -> float:
    """Return the tool's deadline in seconds."""
    contract = json.loads((ROOT / "contracts/platform/risk.json").read_text(encoding="utf-8"))
    timeout_ms: int = next(tool["deadline"]["timeout_ms"] for tool in contract["tools"] if tool["name"] == TOOL)
    return timeout_ms / 1000


async def offer(server: Served, rate: int, seconds: float) -> Step:
    """Send calls at *rate* a second, evenly; return their answers."""
    port = int(server.url.rpartition(":")[2])
    requests = [_request(next(_QUANTITIES)) for _ in range(math.ceil(rate * seconds))]
    before, waited, start = read_processor_s(server.pid), read_queued_s(server.pid), time.perf_counter()
    responses = await paced.offer(port, requests, rate, CONNECTIONS)
    took_s = time.perf_counter() - start
    return Step(
        rate,
        [each.latency_s for each in responses if each.status == 200],
        Counter(map(_code, responses)),
        (read_processor_s(server.pid) - before) / took_s,
        (read_queued_s(server.pid) - waited) / took_s,
    )


def _request(number: int) -> bytes:
    order = {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": number, "direction": "long"}
    return paced.post(f"/mcp/tools/{TOOL}", order, {"User-Agent": f"bench-{number % CALLERS}"})


def _code(response: paced.Response) -> str:
    """Return the code of an error; empty for a result."""
    if response.status == 200:
        return ""
    return str(json.loads(response.body)["error"]["code"]) if response.body else "lost"


async def measure(checkouts: Sequence[Path], rates: Sequence[int]) -> list[list[Step]]:
    """Return the steps of the server of each checkout, measured in turn at each rate."""
    first, *others = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, others or {first})
    with sandbox.environment(ENVIRONMENT) as settings:
        async with AsyncExitStack() as stack:
            module = "generated.platform.risk"
            started = [
                await stack.enter_async_context(serving(module, each, "--log-level=warning", env=settings))
                for each in checkouts
            ]
            for server in started:
                os.sched_setaffinity(server.pid, {first})
                await offer(server, RATES[0], WARM_UP_S)
            steps: list[list[Step]] = [[] for _ in checkouts]
            for rate in rates:
                for server, found in zip(started, steps, strict=True):
                    found.append(await _offer_undisturbed(server, rate))
            return steps


async def _offer_undisturbed(server: Served, rate: int) -> Step:
    """Return the least disturbed step of some."""
    steps: list[Step] = []
    while not steps or (steps[-1].held_up > DISTURBED and len(steps) < ATTEMPTS):
        steps.append(await offer(server, rate, SECONDS))
        await asyncio.sleep(PAUSE_S)
    return min(steps, key=lambda step: step.held_up)


def table(steps: Sequence[Step], deadline_s: float) -> Iterator[str]:
    """Yield the lines of a table in Markdown: a row for each rate."""
    peak = max(step.good(deadline_s) for step in steps)
    yield "| offered a second | results in time a second | share of the peak | rejected | other errors | p50 ms | p95 ms | core of the server | held up |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for step in steps:
        calls = step.codes.total()
        p50, p95 = (percentile(step.latencies_s or [math.nan], share) * 1000 for share in (0.5, 0.95))
        rejected = step.codes["MCP-013"]
        others = calls - rejected - step.codes[""]
        good = step.good(deadline_s)
        yield (
            f"| {step.rate} | {good:.0f} | {good / peak:.0%} | {rejected / calls:.1%} | {others / calls:.1%} "
            f"| {p50:.0f} | {p95:.0f} | {step.processor:.0%} | {step.held_up:.1%} |"
        )


def main() -> int:
    """Measure, print the tables, and write that of this checkout alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, metavar="DIR", help="another checkout, measured side by side")
    parser.add_argument("--rates", type=int, nargs="+", default=RATES, help="calls a second")
    arguments = parser.parse_args()
    against, rates = arguments.against, arguments.rates
    checkouts = [*([against.resolve()] if against else []), ROOT]
    deadline_s = read_deadline_s()
    tables = [list(table(steps, deadline_s)) for steps in asyncio.run(measure(checkouts, rates))]
    for checkout, lines in zip(checkouts, tables, strict=True):
        print(checkout, *lines, "", sep="\n")
    if not against and rates == RATES:
        marked.write("overload", tables[0])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
