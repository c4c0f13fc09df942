"""Start the sandbox and the servers, call every tool, and show the answers.

Run with `python -m sandbox.demo`. Exits with 1 where an answer is not of the expected kind.
"""

import asyncio
import importlib
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from rich.console import Console
from rich.text import Text

import sandbox
from sandbox.demo.backtests import call_backtest_tools, call_without_backtester
from sandbox.demo.calls import RecordedCall, Recorder
from sandbox.demo.decisions import call_decision_tools
from sandbox.demo.exchange import call_exchange_tools
from sandbox.demo.markets import call_market_tools, call_without_influxdb
from sandbox.demo.portfolio import call_portfolio_tools, call_with_unknown_account
from sandbox.demo.report import build_table, summarise
from sandbox.demo.specs import call_spec_tools
from sandbox.demo.strategies import call_strategy_tools, call_without_database
from sandbox.errors import SandboxError
from sandbox.progress import step

CHECKOUT = Path(__file__).parents[2]
PLAIN_WIDTH = 230
"""Columns of the output to a pipe or a file."""
NOWHERE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing", "INFLUXDB_URL": "http://127.0.0.1:9"}
"""Addresses at the discard port, where no server listens."""
STRATEGY = "generated.tradestream.strategy"
MARKETS = "generated.tradestream.market_data"
BACKTESTS = "generated.tradestream.backtest"
PORTFOLIO = "generated.tradestream.portfolio"
DECISIONS = "generated.tradestream.decisions"
SPECS = "generated.tradestream.strategy_db"
EXCHANGE = "generated.moex.iss"

MakeCalls = Callable[[Recorder], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A server, and the calls that the demo makes to it."""

    title: str
    module: str
    make_calls: MakeCalls
    environment: Mapping[str, str]
    delay_reason: str = ""


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
    for section in _sections(environment):
        with step(f"calling {section.title}{section.delay_reason}"):
            answered = await _run_section(section)
        console.print(build_table(section.title, answered))
        calls += answered
    return calls


def _sections(environment: Mapping[str, str]) -> tuple[Section, ...]:
    deserted = {**environment, "BACKTESTER_TARGET": "127.0.0.1:9"}
    unknown = {**environment, "PORTFOLIO_ACCOUNT_ID": "nobody"}
    slow = ", which waits 8 s for an exchange that does not answer"
    return (
        Section(title="strategy-mcp", module=STRATEGY, make_calls=call_strategy_tools, environment=environment),
        Section(
            title="strategy-mcp without its database",
            module=STRATEGY,
            make_calls=call_without_database,
            environment=NOWHERE,
        ),
        Section(title="market-data-mcp", module=MARKETS, make_calls=call_market_tools, environment=environment),
        Section(
            title="market-data-mcp without InfluxDB",
            module=MARKETS,
            make_calls=call_without_influxdb,
            environment=NOWHERE,
        ),
        Section(title="backtest-mcp", module=BACKTESTS, make_calls=call_backtest_tools, environment=environment),
        Section(
            title="backtest-mcp without its backtester",
            module=BACKTESTS,
            make_calls=call_without_backtester,
            environment=deserted,
        ),
        Section(title="portfolio-mcp", module=PORTFOLIO, make_calls=call_portfolio_tools, environment=environment),
        Section(
            title="portfolio-mcp of nobody", module=PORTFOLIO, make_calls=call_with_unknown_account, environment=unknown
        ),
        Section(title="decisions-mcp", module=DECISIONS, make_calls=call_decision_tools, environment=environment),
        Section(title="strategy-db-mcp", module=SPECS, make_calls=call_spec_tools, environment=environment),
        Section(
            title="moex-iss-mcp",
            module=EXCHANGE,
            make_calls=call_exchange_tools,
            environment=environment,
            delay_reason=slow,
        ),
    )


async def _run_section(section: Section) -> list[RecordedCall]:
    """Start the section's server as a host does, make its calls, and return these.

    Raises BrokenConversationError with the server's log, which is discarded otherwise.
    """
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", section.module], env=dict(section.environment), cwd=CHECKOUT
    )
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        try:
            async with Client(stdio_client(parameters, errlog=log)) as client:
                await client.list_tools()
                recorder = Recorder(client)
                await section.make_calls(recorder)
                return recorder.calls
        except Exception as error:
            raise ServerFailedError(f"{section.title} failed. Its standard error:\n{_read_log(log)}") from error


def _read_log(log: IO[str]) -> str:
    log.seek(0)
    return log.read()


if __name__ == "__main__":
    raise SystemExit(main())
