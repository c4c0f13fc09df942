"""The calls of backtest-mcp."""

from datetime import UTC, datetime, timedelta

from sandbox.demo.calls import Arguments, Recorder
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
