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
from sandbox.demo.backtests import backtests, nobody
from sandbox.demo.decisions import decisions
from sandbox.demo.exchange import exchange
from sandbox.demo.markets import markets, silence
from sandbox.demo.portfolio import portfolio, stranger
from sandbox.demo.report import conclusion, table
from sandbox.demo.scenes import Scene, Stage, outage, strategies
from sandbox.demo.specs import specs
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

Story = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A server, and the calls that the demo makes to it."""

    title: str
    module: str
    story: Story
    environment: Mapping[str, str]
    why_long: str = ""


class BrokenConversationError(Exception):
    """A server did not start, or ended before its last call."""


def main() -> int:
    """Run the demo; return the exit code."""
    console = Console() if sys.stdout.isatty() else Console(width=PLAIN_WIDTH)
    with step("loading the client's validator"):
        importlib.import_module(
            "jsonschema"
        )  # the client would import it within the first call, and its time would count
    try:
        with sandbox.environment(sandbox.PROVIDERS.keys()) as environment:
            scenes = asyncio.run(perform(console, environment))
    except (SandboxError, BrokenConversationError) as error:
        console.print(Text(str(error), style="red"))
        return 1
    console.print(conclusion(scenes))
    return 0 if all(scene.as_expected for scene in scenes) else 1


async def perform(console: Console, environment: Mapping[str, str]) -> list[Scene]:
    """Run every chapter on a server of its own, print each as a table, and return all scenes."""
    scenes: list[Scene] = []
    for chapter in _chapters(environment):
        with step(f"talking to {chapter.title}{chapter.why_long}"):
            told = await tell(chapter)
        console.print(table(chapter.title, told))
        scenes += told
    return scenes


def _chapters(environment: Mapping[str, str]) -> tuple[Chapter, ...]:
    deserted = {**environment, "BACKTESTER_TARGET": "127.0.0.1:9"}
    unknown = {**environment, "PORTFOLIO_ACCOUNT_ID": "nobody"}
    slow = ", which waits 8 s for an exchange that does not answer"
    return (
        Chapter(title="strategy-mcp", module=STRATEGY, story=strategies, environment=environment),
        Chapter(title="strategy-mcp without its database", module=STRATEGY, story=outage, environment=NOWHERE),
        Chapter(title="market-data-mcp", module=MARKETS, story=markets, environment=environment),
        Chapter(title="market-data-mcp without InfluxDB", module=MARKETS, story=silence, environment=NOWHERE),
        Chapter(title="backtest-mcp", module=BACKTESTS, story=backtests, environment=environment),
        Chapter(title="backtest-mcp without its backtester", module=BACKTESTS, story=nobody, environment=deserted),
        Chapter(title="portfolio-mcp", module=PORTFOLIO, story=portfolio, environment=environment),
        Chapter(title="portfolio-mcp of nobody", module=PORTFOLIO, story=stranger, environment=unknown),
        Chapter(title="decisions-mcp", module=DECISIONS, story=decisions, environment=environment),
        Chapter(title="strategy-db-mcp", module=SPECS, story=specs, environment=environment),
        Chapter(title="moex-iss-mcp", module=EXCHANGE, story=exchange, environment=environment, why_long=slow),
    )


async def tell(chapter: Chapter) -> list[Scene]:
    """Start the chapter's server as a host does, make its calls, and return the scenes.

    Raises BrokenConversationError with the server's log, which is discarded otherwise.
    """
    how = StdioServerParameters(
        command=sys.executable, args=["-m", chapter.module], env=dict(chapter.environment), cwd=CHECKOUT
    )
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        try:
            async with Client(stdio_client(how, errlog=log)) as client:
                await client.list_tools()
                stage = Stage(client)
                await chapter.story(stage)
                return stage.scenes
        except Exception as error:
            raise BrokenConversationError(f"{chapter.title} broke off. Its standard error:\n{_written(log)}") from error


def _written(log: IO[str]) -> str:
    log.seek(0)
    return log.read()


if __name__ == "__main__":
    raise SystemExit(main())
