"""Measure throughput and latency of each tool of TradeStream, with 50 callers over stdio.

Run with `nox -s bench -- tools`. Each server is a process of its own on the sandbox's data. The
calls come from this process, on the same machine, so both share its cores. Cached: all calls are equal, and the cache
answers all but the first. Fresh: every call has `force_refresh`, or the tool has no cache. A row has the number of
errors, and the growth of the server's memory from the first to the last tenth of its time.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sandbox import environment
from sandbox.tradestream import SEED
from sandbox.tradestream.strategies import find_signalling_strategy

ROOT = Path(__file__).parents[1]

CALLERS = 50
SECONDS = float(os.environ.get("TOOLS_SECONDS", "5"))
"""The seconds of each row; TOOLS_SECONDS=30 makes it an endurance test."""
SETTINGS = ("BACKTESTER_TARGET", "DATABASE_URL", "INFLUXDB_URL", "PORTFOLIO_ACCOUNT_ID")
SYMBOL = "BTC/USD"
Object = dict[str, Any]


@dataclass(slots=True)
class Connection:
    """A server's process, and its unanswered requests."""

    process: asyncio.subprocess.Process
    waiting: dict[int, asyncio.Future[Object]] = field(default_factory=dict)
    last_id: int = 0

    async def request(self, method: str, params: Object) -> Object:
        """Send a request and return its answer."""
        self.last_id += 1
        number = self.last_id
        answer = self.waiting[number] = asyncio.get_running_loop().create_future()
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        assert self.process.stdin
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        await self.process.stdin.drain()
        received: Object = await answer
        return received

    async def call(self, tool: str, arguments: Object) -> Object:
        """Call a tool and return its result."""
        answer = await self.request("tools/call", {"name": tool, "arguments": arguments})
        result: Object = answer["result"]
        return result

    async def listen(self) -> None:
        """Resolve the future of each answer's request."""
        assert self.process.stdout
        async for line in self.process.stdout:
            answer = json.loads(line)
            self.waiting.pop(answer["id"]).set_result(answer)

    def memory_mb(self) -> float:
        """Return the resident set of the process, in MB."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE") / 1e6


@asynccontextmanager
async def connected(server: str, settings: Mapping[str, str]) -> AsyncIterator[Connection]:
    """Start a server and a session; stop the server at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        f"generated.tradestream.{server}",
        "--log-level=warning",
        cwd=ROOT,
        env={**os.environ, **settings},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    connection = Connection(process)
    listening = asyncio.create_task(connection.listen())
    who = {"name": "bench", "version": "1"}
    await connection.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who})
    try:
        yield connection
    finally:
        process.terminate()
        await process.wait()
        listening.cancel()


async def measure(connection: Connection, tool: str, arguments: Object) -> str:
    """Let all callers call for SECONDS; return the row's figures."""
    durations: list[float] = []
    memory: list[float] = []
    failed = 0
    end = time.perf_counter() + SECONDS

    async def caller() -> None:
        nonlocal failed
        while time.perf_counter() < end:
            start = time.perf_counter()
            result = await connection.call(tool, arguments)
            durations.append(time.perf_counter() - start)
            failed += bool(result["isError"])

    async def watcher() -> None:
        while time.perf_counter() < end:
            memory.append(connection.memory_mb())
            await asyncio.sleep(SECONDS / 10)

    start = time.perf_counter()
    await asyncio.gather(watcher(), *(caller() for _ in range(CALLERS)))
    a_second = len(durations) / (time.perf_counter() - start)
    p95 = statistics.quantiles(durations, n=20)[-1] * 1000
    return f"{a_second:>9.0f} {p95:>9.1f} {failed:>7} {memory[-1]:>7.0f} {memory[-1] - memory[0]:>+6.0f}"


async def rows(settings: Mapping[str, str]) -> AsyncIterator[str]:
    """Yield a row for each tool, or two, cached and fresh, where it has a cache."""
    async with connected("strategy", settings) as server:
        strategy: Object = {"strategy_id": find_signalling_strategy(SEED, SYMBOL), "symbol": SYMBOL}
        for tool, arguments in (
            ("get_top_strategies", {"symbol": SYMBOL}),
            ("get_strategy_signal", strategy),
            ("get_strategy_consensus", {"symbol": SYMBOL}),
        ):
            yield f"{tool:<28} cached {await measure(server, tool, arguments)}"
            yield f"{tool:<28} fresh  {await measure(server, tool, arguments | {'force_refresh': True})}"
    async with connected("strategy_db", settings) as server:
        spec = (await server.call("get_top_specs", {}))["structuredContent"]["data"]["items"][0]["spec_id"]
        for tool, arguments in (("get_top_specs", {}), ("get_implementations", {"spec_id": spec, "status": "ALL"})):
            yield f"{tool:<28} cached {await measure(server, tool, arguments)}"
            yield f"{tool:<28} fresh  {await measure(server, tool, arguments | {'force_refresh': True})}"
    async with connected("market_data", settings) as server:
        for tool in ("get_candles", "get_current_price", "get_volatility"):
            yield f"{tool:<28} cached {await measure(server, tool, {'symbol': SYMBOL})}"
            yield f"{tool:<28} fresh  {await measure(server, tool, {'symbol': SYMBOL, 'force_refresh': True})}"
    async with connected("portfolio", settings) as server:
        trade = {"symbol": SYMBOL, "side": "BUY", "size": 0.001}
        for tool, arguments in (("get_positions", {}), ("get_balance", {}), ("validate_trade", trade)):
            yield f"{tool:<28} fresh  {await measure(server, tool, arguments)}"
    async with connected("decisions", settings) as server:
        decision = {"symbol": SYMBOL, "action": "HOLD", "confidence": 0.5, "reasoning": "measured"}
        yield f"{'get_recent_decisions':<28} cached {await measure(server, 'get_recent_decisions', {})}"
        yield f"{'get_recent_decisions':<28} fresh  {await measure(server, 'get_recent_decisions', {'force_refresh': True})}"
        yield f"{'save_decision':<28} fresh  {await measure(server, 'save_decision', decision)}"
    async with connected("backtest", settings) as server:
        month = {"strategy_id": strategy["strategy_id"], "period": "1y"}
        yield f"{'get_historical_performance':<28} cached {await measure(server, 'get_historical_performance', month)}"
        fresh = month | {"force_refresh": True}
        yield f"{'get_historical_performance':<28} fresh  {await measure(server, 'get_historical_performance', fresh)}"
        today = datetime.now(UTC).date()
        days = {"start_date": str(today - timedelta(days=2)), "end_date": str(today - timedelta(days=1))}
        yield f"{'run_backtest (a day)':<28} fresh  {await measure(server, 'run_backtest', strategy | days)}"


async def _report(settings: Mapping[str, str]) -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {CALLERS} callers, {SECONDS:g} s a row\n")
    print(f"{'tool':<28} {'':<6} {'calls/s':>9} {'p95 ms':>9} {'errors':>7} {'MB':>7} {'grown':>6}")
    async for row in rows(settings):
        print(row, flush=True)


def main() -> int:
    """Start the sandbox, measure, and print the table."""
    with environment(SETTINGS) as settings:
        asyncio.run(_report(settings))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
