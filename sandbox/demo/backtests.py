"""The calls of backtest-mcp."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TextIO

from generated.tradestream.backtest.client import BacktestClient
from generated.tradestream.backtest.models import RunBacktestRequest
from sandbox.demo.answers import Answer, read_body
from sandbox.demo.calls import Arguments, Recorder
from sandbox.demo.connections import Command
from sandbox.seeded_random import SEED
from sandbox.tradestream.strategies import generate_implementations

SYMBOL = "ETH/USD"


async def call_backtest_tools(recorder: Recorder) -> None:
    """Call every tool of backtest-mcp: backtests on the sandbox's candles, and past performance."""
    arguments: Arguments = {"strategy_id": _strategy(), "symbol": SYMBOL}
    today = datetime.now(UTC).date()
    last_week = {"start_date": str(today - timedelta(days=8)), "end_date": str(today - timedelta(days=1))}
    last_year = {"start_date": str(today - timedelta(days=365))}
    await recorder.call("the last 30 days", "result fresh", "run_backtest", arguments)
    await recorder.call("a week", "result fresh", "run_backtest", arguments | last_week)
    await recorder.call(
        "on another symbol", "result fresh", "run_backtest", arguments | last_week | {"symbol": "BTC/USD"}
    )
    await recorder.call("a range with too few candles", "INSUFFICIENT_DATA", "run_backtest", arguments | last_year)
    backwards = {"start_date": last_week["end_date"], "end_date": last_week["start_date"]}
    await recorder.call(
        "a range that ends before it starts", "INVALID_DATE_RANGE", "run_backtest", arguments | backwards
    )
    await recorder.call("a symbol of another form", "INVALID_SYMBOL", "run_backtest", arguments | {"symbol": "ethusd"})
    unknown = arguments | {"strategy_id": "no-such-strategy"}
    await recorder.call("an unknown strategy", "STRATEGY_NOT_FOUND", "run_backtest", unknown)
    await _performance(recorder, _strategy())


@asynccontextmanager
async def connect_tasks(command: Command, log: TextIO) -> AsyncIterator[Recorder]:
    """Make a task of each call of backtest-mcp, and find it again by its id."""
    program, *arguments = command.arguments
    environment, folder = command.environment, command.folder
    async with BacktestClient.stdio(*arguments, command=program, env=environment, cwd=folder, stderr=log) as client:

        async def send(_tool: str, arguments: Arguments, _meta: Any) -> Answer:
            started = await client.start_run_backtest(RunBacktestRequest.model_validate(arguments))
            states = [state.status async for state in started.progress()]
            result = await client.resume_run_backtest(started.id or "")
            data = {"status": states[-1]} | result.model_dump(mode="json", exclude_none=True)
            return read_body({"data": data}, is_error=False)

        yield Recorder(send)


async def call_backtest_task(recorder: Recorder) -> None:
    """Run a backtest as a task, with the equity at the end of each month."""
    arguments: Arguments = {"strategy_id": _strategy(), "symbol": SYMBOL, "by_month": True}
    await recorder.call("a task, and its result by its id", "result", "run_backtest", arguments)


async def _performance(recorder: Recorder, strategy: str) -> None:
    """Call for the performance of *strategy* in several periods."""
    arguments: Arguments = {"strategy_id": strategy}
    tool = "get_historical_performance"
    await recorder.call("three months", "result fresh", tool, arguments)
    await recorder.call("a hit", "result cached", tool, arguments)
    await recorder.call("a year, by month", "result fresh", tool, arguments | {"period": "1y"})
    await recorder.call("an unknown period", "INVALID_PERIOD", tool, arguments | {"period": "2y"})
    elsewhere = arguments | {"symbol": "BTC/USD"}
    await recorder.call("never measured on this symbol", "NO_PERFORMANCE_DATA", tool, elsewhere)
    await recorder.call("an unknown strategy", "STRATEGY_NOT_FOUND", tool, {"strategy_id": "no-such-strategy"})


async def call_without_backtester(recorder: Recorder) -> None:
    """Call backtest-mcp while its backtester is down."""
    arguments: Arguments = {"strategy_id": _strategy(), "symbol": SYMBOL}
    await recorder.call("the backtester is down", "GRPC_ERROR", "run_backtest", arguments)


def _strategy() -> str:
    """Return the first strategy of the sample on SYMBOL."""
    return next(
        str(each.strategy_id) for each in generate_implementations(SEED) if each.is_strategy and each.symbol == SYMBOL
    )
