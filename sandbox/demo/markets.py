"""The scenes of market-data-mcp."""

from sandbox.demo.scenes import UNKNOWN_TOOL, Arguments, Stage


async def markets(stage: Stage) -> None:
    """Call every tool of market-data-mcp: candles, price, volatility, and rejected arguments."""
    hours: Arguments = {"symbol": "ETH/USD", "limit": 3}
    await stage.play("a miss: the store aggregates minutes to hours", "result fresh", "get_candles", hours)
    await stage.play("a hit", "result cached", "get_candles", hours)
    await stage.play("force_refresh", "result fresh", "get_candles", hours | {"force_refresh": True})
    await stage.play("the page before", "result fresh", "get_candles", hours | {"offset": 3})
    await stage.play("minutes", "result fresh", "get_candles", hours | {"timeframe": "1m"})
    await stage.play("days", "result fresh", "get_candles", hours | {"timeframe": "1d", "limit": 30})
    await stage.play("the price now; changes are fractions", "result fresh", "get_current_price", {"symbol": "BTC/USD"})
    await stage.play("a hit", "result cached", "get_current_price", {"symbol": "BTC/USD"})
    await stage.play("how much it moves in an hour", "result fresh", "get_volatility", {"symbol": "BTC/USD"})
    days: Arguments = {"symbol": "BTC/USD", "timeframe": "1d"}
    await stage.play("how much it moves in a day", "result fresh", "get_volatility", days)
    await _rejected(stage)


async def _rejected(stage: Stage) -> None:
    injected: Arguments = {"symbol": "ETH/USD' OR '1'='1"}
    await stage.play("a symbol that would be a query", "INVALID_SYMBOL", "get_candles", injected)
    odd: Arguments = {"symbol": "ETH/USD", "timeframe": "2h"}
    await stage.play("a width that there is not", "INVALID_TIMEFRAME", "get_candles", odd)
    minutes: Arguments = {"symbol": "ETH/USD", "timeframe": "1m"}
    await stage.play("a width that is too small to measure", "INVALID_TIMEFRAME", "get_volatility", minutes)
    much: Arguments = {"symbol": "ETH/USD", "limit": 5000}
    await stage.play("an argument out of range", "INVALID_PARAMETER", "get_candles", much)
    nowhere: Arguments = {"symbol": "ZZZ/USD"}
    await stage.play("no candles", "NO_DATA", "get_candles", nowhere)
    await stage.play("no price", "SYMBOL_NOT_FOUND", "get_current_price", nowhere)
    await stage.play("no bars to measure", "INSUFFICIENT_DATA", "get_volatility", nowhere)
    await stage.play("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def silence(stage: Stage) -> None:
    """Call market-data-mcp while its InfluxDB is down."""
    await stage.play("InfluxDB is down", "DATABASE_ERROR", "get_current_price", {"symbol": "BTC/USD"})
