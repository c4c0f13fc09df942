"""Measure throughput and latency of each tool of TradeStream, with 50 callers over stdio.

Run with `nox -s bench -- tools`. Each server is a process of its own on the sandbox's data. The
calls come from this process, on the same machine, so both share its cores. Cached: all calls are equal, and the cache
answers all but the first. Fresh: every call has `force_refresh`, or the tool has no cache. A row has the growth of the
server's memory from the first to the last tenth of its time. An error ends the run.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.clients.messages import call, result
from benchmarks.clients.over_stdio import Pipes
from benchmarks.figures import percentile
from benchmarks.program import Program, started
from sandbox import environment
from sandbox.tradestream import SEED
from sandbox.tradestream.strategies import find_signalling_strategy

ROOT = Path(__file__).parents[1]

CALLERS = 50
SECONDS = float(os.environ.get("TOOLS_SECONDS", "5"))
"""The seconds of each row; TOOLS_SECONDS=30 makes it an endurance test."""
SETTINGS = ("BACKTESTER_TARGET", "DATABASE_URL", "INFLUXDB_URL", "PORTFOLIO_ACCOUNT_ID")
SYMBOL = "BTC/USD"
FRESH = {"force_refresh": True}
UNCACHED = ("get_positions", "get_balance", "validate_trade", "save_decision", "run_backtest")
Object = dict[str, Any]


def arguments(strategy_id: str, spec_id: str) -> dict[str, dict[str, Object]]:
    """Return the measured arguments of each tool, by server."""
    symbol, strategy = {"symbol": SYMBOL}, {"strategy_id": strategy_id, "symbol": SYMBOL}
    today = datetime.now(UTC).date()
    days = {"start_date": str(today - timedelta(days=2)), "end_date": str(today - timedelta(days=1))}
    decision = {"action": "HOLD", "confidence": 0.5, "reasoning": "measured"}
    return {
        "strategy": {
            "get_top_strategies": symbol,
            "get_strategy_signal": strategy,
            "get_strategy_consensus": symbol,
        },
        "strategy_db": {"get_top_specs": {}, "get_implementations": {"spec_id": spec_id, "status": "ALL"}},
        "market_data": {"get_candles": symbol, "get_current_price": symbol, "get_volatility": symbol},
        "portfolio": {
            "get_positions": {},
            "get_balance": {},
            "validate_trade": {**symbol, "side": "BUY", "size": 0.001},
        },
        "decisions": {"get_recent_decisions": {}, "save_decision": symbol | decision},
        "backtest": {
            "get_historical_performance": {"strategy_id": strategy_id, "period": "1y"},
            "run_backtest": strategy | days,
        },
    }


def rows(settings: Mapping[str, str]) -> Iterator[str]:
    """Yield a row for each tool, or two, cached and fresh, where it has a cache."""
    with started(_command("strategy_db"), ROOT, settings) as program:
        pipes = _initialized(program)
        spec_id = result(pipes.request(call("get_top_specs")))["structuredContent"]["data"]["items"][0]["spec_id"]
    for server, tools in arguments(find_signalling_strategy(SEED, SYMBOL), spec_id).items():
        with started(_command(server), ROOT, settings) as program:
            pipes = _initialized(program)
            for tool, given in tools.items():
                kinds = {"fresh": given} if tool in UNCACHED else {"cached": given, "fresh": given | FRESH}
                for kind, each in kinds.items():
                    yield f"{tool:<28} {kind:<6} {_measure(program, pipes, call(tool, **each))}"


def _command(server: str) -> tuple[str, ...]:
    return (sys.executable, "-m", f"generated.tradestream.{server}", "--log-level=warning")


def _initialized(program: Program) -> Pipes:
    pipes = Pipes.to(program)
    pipes.initialize()
    return pipes


def _measure(program: Program, pipes: Pipes, message: bytes) -> str:
    """Let all callers call for SECONDS; return the row's figures."""
    durations: list[float] = []
    memory: list[float] = []
    start = time.perf_counter()
    for _ in range(10):
        durations += pipes.call_concurrently(message, CALLERS, SECONDS / 10)
        memory.append(program.memory_mib())
    a_second = len(durations) / (time.perf_counter() - start)
    return f"{a_second:>9.0f} {percentile(durations, 0.95) * 1000:>9.1f} {memory[-1]:>7.0f} {memory[-1] - memory[0]:>+6.0f}"


def main() -> int:
    """Start the sandbox, measure, and print the table."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {CALLERS} callers, {SECONDS:g} s a row\n")
    print(f"{'tool':<28} {'':<6} {'calls/s':>9} {'p95 ms':>9} {'MiB':>7} {'grown':>6}")
    with environment(SETTINGS) as settings:
        for row in rows(settings):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
