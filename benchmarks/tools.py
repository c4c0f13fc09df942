"""Measure throughput and latency of each tool, with 50 callers over stdio.

Run with `nox -s bench -- tools`. Each server is a process of its own, without rate limits, and so is the sandbox. The
calls come from this process, on the same machine, so all share its cores. All calls of a row are equal, but alerts are
numbered. Cached: the cache answers all but the first. Fresh: the server has no caches. Target: the contract's p95. A
row has the growth of the server's memory from the first to the last tenth of its time. A tool that answers with an
error has that instead.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.clients.messages import NUMBERED, AnswerError, call, request, result
from benchmarks.clients.over_stdio import Pipes
from benchmarks.figures import percentile
from benchmarks.program import Program, started
from sandbox.seeded_random import SEED
from sandbox.tradestream.strategies import find_signalling_strategy

ROOT = Path(__file__).parents[1]

CALLERS = 50
SECONDS = float(os.environ.get("TOOLS_SECONDS", "5"))
"""The seconds of each row; TOOLS_SECONDS=30 makes it an endurance test."""
SYMBOL = "BTC/USD"
MEASURE = "--measure"
"""Measures servers with the settings of the environment."""
Object = dict[str, Any]


def tradestream(strategy_id: str, spec_id: str) -> dict[str, dict[str, Object]]:
    """Return the measured arguments of each tool of TradeStream, by server."""
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


def platform_tools() -> dict[str, dict[str, Object]]:
    """Return the measured arguments of each tool of the platform, by server."""
    now = datetime.now(UTC)
    hour = {"start": (now - timedelta(hours=2)).isoformat(), "end": (now - timedelta(hours=1)).isoformat()}
    features = ["sma", "ema", "rsi", "macd", "bollinger", "volatility", "volume_profile"]
    state = {"corr_id": "bench", "key": "state"}
    return {
        "features": {
            "features.ohlcv_window": {"symbol": SYMBOL, **hour, "interval": "1m", "features": features},
            "features.live_market_data": {"symbol": SYMBOL, "lookback_minutes": 1},
        },
        "risk": {
            "risk.position_limits_check": {
                "portfolio_id": "port_123",
                "symbol": "EURUSD",
                "quantity": 100,
                "direction": "long",
            },
            "risk.trigger_alert": {"violation_type": "position_limit", "severity": "warning", "message": NUMBERED},
        },
        "execution": {
            "execution.sim_quote": {"instrument": SYMBOL, "side": "buy", "qty": 0.1, "timestamp": now.isoformat()}
        },
        "storage": {"storage.shared_state.set": {**state, "value": {"side": "buy"}}, "storage.shared_state.get": state},
    }


def rows() -> Iterator[str]:
    """Yield a row for each tool, or two, cached and fresh, where it has a cache."""
    with started(_command("tradestream.strategy_db"), ROOT, {}) as program:
        pipes = _initialized(program)
        spec_id = result(pipes.request(call("get_top_specs")))["structuredContent"]["data"]["items"][0]["spec_id"]
    systems = {
        "tradestream": tradestream(find_signalling_strategy(SEED, SYMBOL), spec_id),
        "platform": platform_tools(),
    }
    for system, servers in systems.items():
        for server, tools in servers.items():
            yield from _measure_server(f"{system}.{server}", tools)


def _measure_server(server: str, tools: Mapping[str, Object]) -> Iterator[str]:
    """Yield the rows of a server: of the tools that have a cache, and of all without it."""
    contract = json.loads((ROOT / "contracts" / f"{server.replace('.', '/')}.json").read_text(encoding="utf-8"))
    declared = {tool["name"]: tool for tool in contract["tools"]}
    unlimited = _zeros(tools, "RATE_LIMIT_CALLS")
    uncached = unlimited | _zeros(tools, "CACHE_TTL_S") | _zeros(tools, "CACHE_PROVISIONAL_TTL_S")
    for kind, overrides in (("cached", unlimited), ("fresh", uncached)):
        for tool in (each for each in tools if kind == "fresh" or "cache" in declared[each]):
            with started(_command(server), ROOT, overrides) as program:
                figures = _measure(program, call(tool, **tools[tool]))
            yield f"{tool:<28} {kind:<6} {declared[tool]['deadline'].get('p95_ms', 'none'):>9} {figures}"


def _zeros(tools: Iterable[str], number: str) -> dict[str, str]:
    """Return the overrides that set a number of each tool to 0."""
    return {f"{re.sub('[^A-Z0-9]', '_', tool.upper())}_{number}": "0" for tool in tools}


def _command(server: str) -> tuple[str, ...]:
    return (sys.executable, "-m", f"generated.{server}", "--log-level=warning")


def _initialized(program: Program) -> Pipes:
    pipes = Pipes.to(program)
    pipes.initialize()
    return pipes


def _measure(program: Program, message: bytes) -> str:
    """Let all callers call for SECONDS; return the row's figures, or the first error."""
    pipes = _initialized(program)
    for first in (request("tools/list"), message):  # after the list, the server loads what calls need
        pipes.request(first)
    durations: list[float] = []
    memory: list[float] = []
    start = time.perf_counter()
    try:
        for _ in range(10):
            durations += pipes.call_concurrently(message, CALLERS, SECONDS / 10, first=len(durations) + 1)
            memory.append(program.memory_mib())
    except AnswerError as error:
        return f"fails: {error}"[:200]
    a_second = len(durations) / (time.perf_counter() - start)
    return f"{percentile(durations, 0.95) * 1000:>9.1f} {a_second:>9.0f} {memory[-1]:>7.0f} {memory[-1] - memory[0]:>+6.0f}"


def main() -> int:
    """Measure, and print the table; without MEASURE, start that below the sandbox's process."""
    parser = argparse.ArgumentParser(prog="./run bench -- tools", description=__doc__)
    parser.add_argument(MEASURE, action="store_true", help=argparse.SUPPRESS)
    if not parser.parse_args().measure:
        command = (sys.executable, "-m", "sandbox", sys.executable, "-m", "benchmarks.tools", MEASURE)
        return subprocess.run(command, cwd=ROOT, check=False).returncode
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {CALLERS} callers, {SECONDS:g} s a row\n")
    print(f"{'tool':<28} {'':<6} {'target ms':>9} {'p95 ms':>9} {'calls/s':>9} {'MiB':>7} {'grown':>6}")
    for row in rows():
        print(row, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
