"""The scenes of backtest-mcp."""

from datetime import UTC, datetime, timedelta

from sandbox.demo.scenes import Arguments, Stage
from sandbox.tradestream import SEED
from sandbox.tradestream.strategies import implementations

SYMBOL = "ETH/USD"


async def backtests(stage: Stage) -> None:
    """Call every tool of backtest-mcp: backtests on the sandbox's candles, and past performance."""
    asked: Arguments = {"strategy_id": _strategy(), "symbol": SYMBOL}
    today = datetime.now(UTC).date()
    last_week = {"start_date": str(today - timedelta(days=8)), "end_date": str(today - timedelta(days=1))}
    last_year = {"start_date": str(today - timedelta(days=365))}
    await stage.play("the last 30 days", "result fresh", "run_backtest", asked)
    await stage.play("a week", "result fresh", "run_backtest", asked | last_week)
    await stage.play("on another symbol", "result fresh", "run_backtest", asked | last_week | {"symbol": "BTC/USD"})
    await stage.play("more than there are candles", "INSUFFICIENT_DATA", "run_backtest", asked | last_year)
    backwards = {"start_date": last_week["end_date"], "end_date": last_week["start_date"]}
    await stage.play("a range that ends first", "INVALID_DATE_RANGE", "run_backtest", asked | backwards)
    await stage.play("a symbol of another form", "INVALID_SYMBOL", "run_backtest", asked | {"symbol": "ethusd"})
    unknown = asked | {"strategy_id": _strategy("FRAMA")}
    await stage.play("what the backtester has no rules for", "STRATEGY_NOT_FOUND", "run_backtest", unknown)
    await _performance(stage, _strategy())


async def _performance(stage: Stage, strategy: str) -> None:
    """Call for the performance of *strategy* in several periods."""
    asked: Arguments = {"strategy_id": strategy}
    tool = "get_historical_performance"
    await stage.play("three months", "result fresh", tool, asked)
    await stage.play("a hit", "result cached", tool, asked)
    await stage.play("a year, by month", "result fresh", tool, asked | {"period": "1y"})
    await stage.play("a period nobody has", "INVALID_PERIOD", tool, asked | {"period": "2y"})
    elsewhere = asked | {"symbol": "BTC/USD"}
    await stage.play("never measured on this symbol", "NO_PERFORMANCE_DATA", tool, elsewhere)
    await stage.play("an unknown strategy", "STRATEGY_NOT_FOUND", tool, {"strategy_id": "no-such-strategy"})


async def nobody(stage: Stage) -> None:
    """Call backtest-mcp while its backtester is down."""
    asked: Arguments = {"strategy_id": _strategy(), "symbol": SYMBOL}
    await stage.play("the backtester is down", "GRPC_ERROR", "run_backtest", asked)


def _strategy(spec: str | None = None) -> str:
    """Return the first strategy of the sample on SYMBOL, or of *spec* on any symbol."""
    return next(
        str(each.strategy_id)
        for each in implementations(SEED)
        if each.is_strategy
        and (each.spec.name == spec if spec else each.symbol == SYMBOL and each.spec.name != "FRAMA")
    )
