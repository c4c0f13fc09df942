"""Start the sandbox, the servers and the agents, call every tool, and show the answers.

Run with `python -m sandbox.demo`. Exits with 1 where an answer is not of the expected kind.
"""

import asyncio
import importlib
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.text import Text

import sandbox
from sandbox.demo.agents import (
    call_analyst,
    call_generator,
    call_generator_without_data,
    connect_analyst,
    connect_generator,
)
from sandbox.demo.backtests import call_backtest_tools, call_without_backtester
from sandbox.demo.calls import RecordedCall, Recorder
from sandbox.demo.connections import Command, Connect, connect_framed, connect_mcp
from sandbox.demo.decisions import call_decision_tools
from sandbox.demo.exchange import call_exchange_tools
from sandbox.demo.gateway import call_framed_gateway, call_gateway_tools, call_gateway_without_guardian
from sandbox.demo.markets import call_market_tools, call_without_influxdb
from sandbox.demo.platform import (
    call_execution_tools,
    call_execution_without_influxdb,
    call_features_tools,
    call_risk_tools,
    call_risk_without_database,
    call_storage_tools,
    call_storage_without_redis,
)
from sandbox.demo.portfolio import call_portfolio_tools, call_with_unknown_account
from sandbox.demo.report import build_table, summarise
from sandbox.demo.signals import call_signal_tools, call_signals_without_redis
from sandbox.demo.specs import call_spec_tools
from sandbox.demo.strategies import call_strategy_tools, call_without_database
from sandbox.errors import SandboxError
from toolpact.testing.progress import step

CHECKOUT = Path(__file__).parents[2]
PLAIN_WIDTH = 230
"""Columns of the output to a pipe or a file."""
NOWHERE = {
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "INFLUXDB_URL": "http://127.0.0.1:9",
    "RISK_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "REDIS_URL": "redis://127.0.0.1:9",
    "SWIMMY_MCP_ZMQ_ENDPOINT": "tcp://127.0.0.1:9",
}
"""Addresses at the discard port, where no server listens."""
NOBODY = {"PORTFOLIO_ACCOUNT_ID": "nobody"}
BACKTESTERLESS = {"BACKTESTER_TARGET": "127.0.0.1:9"}

MakeCalls = Callable[[Recorder], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Section:
    """A server or an agent, and the calls that the demo makes to it."""

    title: str
    server: str
    make_calls: MakeCalls
    changes: Mapping[str, str] = field(default_factory=dict)
    """Its differences from the sandbox's environment."""
    delay_reason: str = ""
    connect: Connect = connect_mcp


SLOW = ", which waits 8 s for an exchange that does not answer"
SECTIONS = (
    Section("strategy-mcp", "tradestream.strategy", call_strategy_tools),
    Section("strategy-mcp without its database", "tradestream.strategy", call_without_database, NOWHERE),
    Section("market-data-mcp", "tradestream.market_data", call_market_tools),
    Section("market-data-mcp without InfluxDB", "tradestream.market_data", call_without_influxdb, NOWHERE),
    Section("backtest-mcp", "tradestream.backtest", call_backtest_tools),
    Section("backtest-mcp without its backtester", "tradestream.backtest", call_without_backtester, BACKTESTERLESS),
    Section("portfolio-mcp", "tradestream.portfolio", call_portfolio_tools),
    Section("portfolio-mcp of nobody", "tradestream.portfolio", call_with_unknown_account, NOBODY),
    Section("decisions-mcp", "tradestream.decisions", call_decision_tools),
    Section("strategy-db-mcp", "tradestream.strategy_db", call_spec_tools),
    Section("features-mcp", "platform.features", call_features_tools),
    Section("risk-mcp", "platform.risk", call_risk_tools),
    Section("risk-mcp without its database", "platform.risk", call_risk_without_database, NOWHERE),
    Section("execution-mcp", "platform.execution", call_execution_tools),
    Section("execution-mcp without InfluxDB", "platform.execution", call_execution_without_influxdb, NOWHERE),
    Section("storage-mcp", "platform.storage", call_storage_tools),
    Section("storage-mcp without Redis", "platform.storage", call_storage_without_redis, NOWHERE),
    Section("signal-mcp", "agents.signals", call_signal_tools),
    Section("signal-mcp without Redis", "agents.signals", call_signals_without_redis, NOWHERE),
    Section("moex-iss-mcp", "moex.iss", call_exchange_tools, delay_reason=SLOW),
    Section("swimmy-mcp", "gateway.swimmy", call_gateway_tools),
    Section("swimmy-mcp over Content-Length", "gateway.swimmy", call_framed_gateway, connect=connect_framed),
    Section("swimmy-mcp without the Guardian", "gateway.swimmy", call_gateway_without_guardian, NOWHERE),
    Section("signal-generator", "agents.signal_generator", call_generator, connect=connect_generator),
    Section(
        "signal-generator without databases",
        "agents.signal_generator",
        call_generator_without_data,
        {name: NOWHERE[name] for name in ("DATABASE_URL", "INFLUXDB_URL")},
        delay_reason=", which calls three times",
        connect=connect_generator,
    ),
    Section("moex-analyst", "agents.moex_analyst", call_analyst, connect=connect_analyst),
)


class ServerFailedError(Exception):
    """A server did not start, or ended before its last call."""


def main() -> int:
    """Run the demo; return the exit code."""
    console = Console() if sys.stdout.isatty() else Console(width=PLAIN_WIDTH)
    with step("loading the client's validator"):
        importlib.import_module(
            "jsonschema"
        )  # the client would import it within the first call, and its time would count
    try:
        with sandbox.environment(sandbox.NAMES) as environment:
            calls = asyncio.run(_run_sections(console, environment))
    except (SandboxError, ServerFailedError) as error:
        console.print(Text(str(error), style="red"))
        return 1
    console.print(summarise(calls))
    return 0 if all(call.is_expected for call in calls) else 1


async def _run_sections(console: Console, environment: Mapping[str, str]) -> list[RecordedCall]:
    """Run every section on a server of its own, print each as a table, and return all calls."""
    calls: list[RecordedCall] = []
    for section in SECTIONS:
        with step(f"calling {section.title}{section.delay_reason}"):
            answered = await _run_section(section, environment)
        console.print(build_table(section.title, answered))
        calls += answered
    return calls


async def _run_section(section: Section, environment: Mapping[str, str]) -> list[RecordedCall]:
    """Start the section's server as a host does, make its calls, and return these.

    Raises ServerFailedError with the server's log, which is discarded otherwise.
    """
    command = Command(
        [sys.executable, "-m", f"generated.{section.server}"], {**environment, **section.changes}, CHECKOUT
    )
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        try:
            async with section.connect(command, log) as send:
                recorder = Recorder(send)
                await section.make_calls(recorder)
                return recorder.calls
        except Exception as error:
            raise ServerFailedError(f"{section.title} failed. Its standard error:\n{_read_log(log)}") from error


def _read_log(log: TextIO) -> str:
    log.seek(0)
    return log.read()


if __name__ == "__main__":
    raise SystemExit(main())
