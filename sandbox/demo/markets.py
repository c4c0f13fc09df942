"""The calls of market-data-mcp."""

from sandbox.demo.calls import UNKNOWN_TOOL, Arguments, Recorder


async def call_market_tools(recorder: Recorder) -> None:
    """Call every tool of market-data-mcp: candles, price, volatility, and rejected arguments."""
    hours: Arguments = {"symbol": "ETH/USD", "limit": 3}
    await recorder.call("a miss: the store aggregates minutes to hours", "result fresh", "get_candles", hours)
    await recorder.call("a hit", "result cached", "get_candles", hours)
    await recorder.call("force_refresh", "result fresh", "get_candles", hours | {"force_refresh": True})
    await recorder.call("the page before", "result fresh", "get_candles", hours | {"offset": 3})
    await recorder.call("minutes", "result fresh", "get_candles", hours | {"timeframe": "1m"})
    await recorder.call("days", "result fresh", "get_candles", hours | {"timeframe": "1d", "limit": 30})
    await recorder.call(
        "the price now; changes are fractions", "result fresh", "get_current_price", {"symbol": "BTC/USD"}
    )
    await recorder.call("a hit", "result cached", "get_current_price", {"symbol": "BTC/USD"})
    await recorder.call("the volatility of hours", "result fresh", "get_volatility", {"symbol": "BTC/USD"})
    days: Arguments = {"symbol": "BTC/USD", "timeframe": "1d"}
    await recorder.call("the volatility of days", "result fresh", "get_volatility", days)
    await _rejected(recorder)


async def _rejected(recorder: Recorder) -> None:
    injected: Arguments = {"symbol": "ETH/USD' OR '1'='1"}
    await recorder.call("an injection into the query", "INVALID_SYMBOL", "get_candles", injected)
    odd: Arguments = {"symbol": "ETH/USD", "timeframe": "2h"}
    await recorder.call("an unknown timeframe", "INVALID_TIMEFRAME", "get_candles", odd)
    minutes: Arguments = {"symbol": "ETH/USD", "timeframe": "1m"}
    await recorder.call("a timeframe too small to measure", "INVALID_TIMEFRAME", "get_volatility", minutes)
    much: Arguments = {"symbol": "ETH/USD", "limit": 5000}
    await recorder.call("an argument out of range", "INVALID_PARAMETER", "get_candles", much)
    nowhere: Arguments = {"symbol": "ZZZ/USD"}
    await recorder.call("no candles", "NO_DATA", "get_candles", nowhere)
    await recorder.call("no price", "SYMBOL_NOT_FOUND", "get_current_price", nowhere)
    await recorder.call("no bars to measure", "INSUFFICIENT_DATA", "get_volatility", nowhere)
    await recorder.call("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def call_without_influxdb(recorder: Recorder) -> None:
    """Call market-data-mcp while its InfluxDB is down."""
    await recorder.call("InfluxDB is down", "DATABASE_ERROR", "get_current_price", {"symbol": "BTC/USD"})
