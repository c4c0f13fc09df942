"""Measure the goodput of risk-mcp at rates below and beyond its capacity.

Run with `./run bench -- overload`; it takes two minutes, and writes the table into docs/overload.md. With
`--against DIR` it measures the server of another checkout side by side, and writes nothing. The calls are distinct
and by many callers, so neither the cache nor a rate limit answers them. Each is sent at its intended time, whether
others were answered or not, and its latency counts from that time. A good answer is a result within the deadline.
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
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import aiohttp

import sandbox
from benchmarks.figures import percentile
from benchmarks.program import read_processor_s
from tests.services.served import Served, serving

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/overload.md"
BEGIN, END = "<!-- written by ./run bench -- overload -->\n", "<!-- end -->\n"
TOOL = "risk.position_limits_check"
RATES = (50, 100, 200, 300, 350, 400, 450, 500, 600)
SECONDS, WARM_UP_S, PAUSE_S = 8.0, 2.0, 1.0
CALLERS = 100
"""Callers among whom the calls are divided, so that none reaches its rate limit."""
CONNECTIONS = 256
"""Connections of the client; a call that waits for one is late."""
ENVIRONMENT = ("RISK_DATABASE_URL", "REDIS_URL", "NATS_URL")
_QUANTITIES = count(1)


@dataclass(slots=True)
class Step:
    """The answers to calls at one rate."""

    rate: int
    latencies_s: list[float] = field(default_factory=list)
    """Of each result, from its intended time."""
    codes: Counter[str] = field(default_factory=Counter)
    """Number of answers by code; "" is a result."""
    processor_s: float = 0.0
    """Processor time of the server."""

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
    step = Step(rate)
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(server.url, connector=connector) as client, asyncio.TaskGroup() as calls:
        before, start = read_processor_s(server.pid), time.perf_counter()
        for number in range(math.ceil(rate * seconds)):
            intended = start + number / rate
            if (wait_s := intended - time.perf_counter()) > 0:
                await asyncio.sleep(wait_s)
            calls.create_task(_call(client, step, intended))
    step.processor_s = read_processor_s(server.pid) - before
    return step


async def _call(client: aiohttp.ClientSession, step: Step, intended: float) -> None:
    number = next(_QUANTITIES)
    order = {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": number, "direction": "long"}
    headers = {"User-Agent": f"bench-{number % CALLERS}"}
    try:
        async with client.post(f"/mcp/tools/{TOOL}", json=order, headers=headers) as response:
            body = await response.json()
    except aiohttp.ClientError as error:
        body = {"error": {"code": type(error).__name__}}
    step.codes[body["error"]["code"] if "error" in body else ""] += 1
    if "error" not in body:
        step.latencies_s.append(time.perf_counter() - intended)


async def measure(checkouts: Sequence[Path]) -> list[list[Step]]:
    """Return the steps of the server of each checkout, measured in turn at each rate."""
    with sandbox.environment(ENVIRONMENT) as settings:
        async with AsyncExitStack() as stack:
            module = "generated.platform.risk"
            started = [
                await stack.enter_async_context(serving(module, each, "--log-level=warning", env=settings))
                for each in checkouts
            ]
            for server in started:
                await offer(server, RATES[0], WARM_UP_S)
            steps: list[list[Step]] = [[] for _ in checkouts]
            for rate in RATES:
                for server, found in zip(started, steps, strict=True):
                    found.append(await offer(server, rate, SECONDS))
                    await asyncio.sleep(PAUSE_S)
            return steps


def table(steps: Sequence[Step], deadline_s: float) -> Iterator[str]:
    """Yield the lines of a table in Markdown: a row for each rate."""
    peak = max(step.good(deadline_s) for step in steps)
    yield "| offered a second | results in time a second | share of the peak | rejected | other errors | p50 ms | p95 ms | processor ms a call |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|"
    for step in steps:
        calls = step.codes.total()
        p50, p95 = (percentile(step.latencies_s or [math.nan], share) * 1000 for share in (0.5, 0.95))
        rejected = step.codes["MCP-013"]
        others = calls - rejected - step.codes[""]
        good = step.good(deadline_s)
        yield (
            f"| {step.rate} | {good:.0f} | {good / peak:.0%} | {rejected / calls:.1%} | {others / calls:.1%} "
            f"| {p50:.0f} | {p95:.0f} | {step.processor_s / calls * 1000:.2f} |"
        )


def _write(lines: Sequence[str]) -> None:
    """Replace the table in the page."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    measured = (
        f"Measured on {datetime.now(UTC).date()} on {os.cpu_count()} cores, the client and all backends among them."
    )
    PAGE.write_text("\n".join([f"{head}{BEGIN}", measured, "", *lines, "", f"{END}{tail}"]), encoding="utf-8")


def main() -> int:
    """Measure, print the tables, and write that of this checkout alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, metavar="DIR", help="another checkout, measured side by side")
    against = parser.parse_args().against
    checkouts = [*([against.resolve()] if against else []), ROOT]
    deadline_s = read_deadline_s()
    tables = [list(table(steps, deadline_s)) for steps in asyncio.run(measure(checkouts))]
    for checkout, lines in zip(checkouts, tables, strict=True):
        print(checkout, *lines, "", sep="\n")
    if not against:
        _write(tables[0])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
