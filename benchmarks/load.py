"""Measure the latency of three replicas behind HAProxy, while one of them stops.

200 clients call. Run with `./run bench -- load`; it takes a minute. `./run load` makes the same run, and fails if a
call is lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp

import sandbox
from benchmarks.clients.load import ExpectedCall, Record, call_each_second, over_rest, without_metadata
from benchmarks.figures import number, percentile
from tests.services.haproxy import proxy
from tests.services.served import Served, free_port, serving

ROOT = Path(__file__).parents[1]
REPLICAS, CLIENTS, SECONDS = 3, 200, 30
SYMBOLS = ("BTC/USD", "ETH/USD", "SOL/USD")
METRICS = ("sharpe", "accuracy", "return")
UNCACHED = {
    f"{tool}_CACHE_TTL_S": "0" for tool in ("GET_TOP_STRATEGIES", "GET_STRATEGY_SIGNAL", "GET_STRATEGY_CONSENSUS")
}
"""Each call reads from PostgreSQL."""
SETTINGS = UNCACHED | {"MCP_DRAIN_S": "5", "MCP_GRACE_S": "10"}


@dataclass(frozen=True, slots=True)
class LoadRun:
    """A finished run."""

    record: Record
    exit_code: int
    """The exit code of the replica that stopped."""


async def run_load(haproxy: Path, folder: Path) -> LoadRun:
    """Call replicas through HAProxy for SECONDS, and stop one halfway; *folder* is HAProxy's."""
    async with _started_replicas() as replicas:
        calls = await _expected_calls(replicas[0].url)
        addresses = [replica.url.removeprefix("http://") for replica in replicas]
        with proxy(haproxy, folder, free_port(), addresses) as url:
            await _wait_until_ready(url)
            calling = asyncio.create_task(call_each_second(url, CLIENTS, SECONDS, calls))
            await asyncio.sleep(SECONDS / 2)
            replicas[1].signal(signal.SIGTERM)
            record = await calling
            return LoadRun(record, await replicas[1].ended())


@asynccontextmanager
async def _started_replicas() -> AsyncIterator[list[Served]]:
    """Start replicas of strategy-mcp on one database of the sandbox."""
    with sandbox.environment(["DATABASE_URL"]) as database:
        async with AsyncExitStack() as stack:
            module, settings = "generated.tradestream.strategy", {**database, **SETTINGS}
            yield [await stack.enter_async_context(serving(module, ROOT, env=settings)) for _ in range(REPLICAS)]


async def _wait_until_ready(url: str) -> None:
    """Wait until the proxy has a ready replica. Raises TimeoutError after 30 s."""
    async with asyncio.timeout(30), aiohttp.ClientSession(url) as client:
        while not await _is_ready(client):  # noqa: ASYNC110 - another process decides
            await asyncio.sleep(0.05)


async def _is_ready(client: aiohttp.ClientSession) -> bool:
    try:
        async with client.get("/ready") as response:
            return response.status == 200
    except aiohttp.ClientConnectionError:
        return False


async def _expected_calls(url: str) -> list[ExpectedCall]:
    """Return calls of all three tools, with the answers of the idle server at *url*."""
    async with aiohttp.ClientSession(url) as client:

        async def expected(tool: str, **arguments: object) -> ExpectedCall:
            return ExpectedCall(tool, arguments, without_metadata(await over_rest(client, tool, arguments)))

        top = [
            await expected("get_top_strategies", symbol=symbol, metric=metric)
            for symbol in SYMBOLS
            for metric in METRICS
        ]
        consensus = [await expected("get_strategy_consensus", symbol=symbol) for symbol in SYMBOLS]
        strategies = {
            item["strategy_id"]: call.arguments["symbol"] for call in top for item in call.answer["data"]["items"]
        }
        signals = [
            await expected("get_strategy_signal", strategy_id=strategy, symbol=symbol)
            for strategy, symbol in strategies.items()
        ]
        return [*top, *consensus, *signals]


def _objectives_ms() -> Mapping[str, int]:
    """Return the contract's objective for the 95th percentile of each tool, in milliseconds."""
    contract = json.loads((ROOT / "contracts/tradestream/strategy.json").read_text(encoding="utf-8"))
    return {tool["name"]: tool["deadline"]["p95_ms"] for tool in contract["tools"]}


def table(record: Record) -> Iterator[str]:
    """Yield a line for each tool: calls, percentiles of the latency, and the objective."""
    objectives = _objectives_ms()
    yield f"{'tool':<24} {'calls':>6} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'p95 objective, ms':>18}"
    for tool, seconds in sorted(record.latencies_s.items()):
        p50, p95, p99 = (number(percentile(seconds, share) * 1000) for share in (0.5, 0.95, 0.99))
        yield f"{tool:<24} {len(seconds):>6} {p50:>8} {p95:>8} {p99:>8} {objectives[tool]:>18}"


def main() -> int:
    """Measure, and print the table; return 1 where HAProxy is missing or a call was lost."""
    argparse.ArgumentParser(prog="./run bench -- load", description=__doc__).parse_args()
    fetching = subprocess.run([ROOT / ".ci/services", "haproxy"], stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if fetching.returncode != 0:
        return 1
    with TemporaryDirectory() as folder:
        record = asyncio.run(run_load(Path(fetching.stdout.strip()), Path(folder))).record
    print(*table(record), *record.failures, sep="\n")
    return 1 if record.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
