"""The calls of the trading platform's servers."""

import secrets
from datetime import UTC, datetime, timedelta

from sandbox.demo.calls import Arguments, Recorder


async def call_features_tools(recorder: Recorder) -> None:
    """Call every tool of features-mcp: a window of bars, and rejected ones."""
    now = datetime.now(UTC)
    window: Arguments = {
        "symbol": "ETH/USD",
        "start": (now - timedelta(hours=3)).isoformat(),
        "end": (now - timedelta(hours=1)).isoformat(),
        "interval": "15m",
        "features": ["sma", "rsi", "macd", "volatility", {"feature": "atr", "period": 14}],
    }
    await recorder.call("two hours and their features", "result", "features.ohlcv_window", window)
    backwards = window | {"start": window["end"], "end": window["start"]}
    await recorder.call("a window that ends before it starts", "MCP-001", "features.ohlcv_window", backwards)
    unknown = window | {"symbol": "ZZZ/USD"}
    await recorder.call("a symbol without candles", "MCP-010", "features.ohlcv_window", unknown)
    ticks: Arguments = {"symbol": "ETH/USD", "limit": 3}
    await recorder.call("ticks of the last minutes", "result", "features.live_market_data", ticks)
    nothing = ticks | {"symbol": "ZZZ/USD"}
    await recorder.call("a symbol without ticks", "MCP-010", "features.live_market_data", nothing)


async def call_risk_tools(recorder: Recorder) -> None:
    """Call every tool of risk-mcp: orders within the limits and beyond, and rejected ones."""
    order: Arguments = {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": 10_000, "direction": "long"}
    await recorder.call("an order within the limits", "result", "risk.position_limits_check", order)
    await recorder.call("an order beyond them", "result", "risk.position_limits_check", order | {"quantity": 90_000})
    held = order | {"current_positions": {"EURUSD": 90_000, "SPY": 20}, "direction": "short"}
    await recorder.call("an order that reduces a position", "result", "risk.position_limits_check", held)
    sold = order | {"direction": "sell"}
    await recorder.call("a side of an older version", "MCP-001", "risk.position_limits_check", sold)
    unknown = order | {"portfolio_id": "port_7"}
    await recorder.call("a portfolio without limits", "MCP-011", "risk.position_limits_check", unknown)
    alert: Arguments = {"violation_type": "exposure_limit", "severity": "warning", "message": "It was a demo."}
    await recorder.call("an alert, published", "result", "risk.trigger_alert", alert)
    await recorder.call("an unknown severity", "MCP-001", "risk.trigger_alert", alert | {"severity": "loud"})


async def call_risk_without_database(recorder: Recorder) -> None:
    """Call risk-mcp while its database is down."""
    order: Arguments = {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": 10_000, "direction": "long"}
    await recorder.call("the database is down", "MCP-003", "risk.position_limits_check", order)


async def call_execution_tools(recorder: Recorder) -> None:
    """Call every tool of execution-mcp: orders of each type, and rejected ones."""
    order: Arguments = {"instrument": "ETH/USD", "side": "buy", "qty": 5, "timestamp": _format_minute()}
    limit = order | {"order_type": "limit"}
    await recorder.call("a market order", "result", "execution.sim_quote", order)
    await recorder.call("a limit below the market", "result", "execution.sim_quote", limit | {"limit_price": 1000})
    stop = order | {"side": "sell", "order_type": "stop", "stop_price": 1000}
    await recorder.call("a stop far from the market", "result", "execution.sim_quote", stop)
    await recorder.call("a limit order without a limit", "MCP-001", "execution.sim_quote", limit)
    await recorder.call("more than is traded", "MCP-012", "execution.sim_quote", order | {"qty": 1e9})
    unknown = order | {"instrument": "ZZZ/USD"}
    await recorder.call("an instrument without candles", "MCP-010", "execution.sim_quote", unknown)


async def call_execution_without_influxdb(recorder: Recorder) -> None:
    """Call execution-mcp while its InfluxDB is down."""
    order: Arguments = {"instrument": "ETH/USD", "side": "buy", "qty": 5, "timestamp": _format_minute()}
    await recorder.call("InfluxDB is down", "MCP-003", "execution.sim_quote", order)


async def call_storage_tools(recorder: Recorder) -> None:
    """Call every tool of storage-mcp: a value that is written once, read, and missing."""
    state: Arguments = {"corr_id": f"demo-{secrets.token_hex(8)}", "key": "plan"}
    value, key = {"side": "buy", "qty": 5}, f"demo-{secrets.token_hex(8)}"
    write = state | {"value": value, "ttl_seconds": 60}
    await recorder.call("a value, under a key", "result", "storage.shared_state.set", write, key=key)
    await recorder.call("sent again: the same answer", "result", "storage.shared_state.set", write, key=key)
    other = write | {"value": None}
    await recorder.call("another value under the key", "MCP-005", "storage.shared_state.set", other, key=key)
    await recorder.call("the value", "result", "storage.shared_state.get", state)
    await recorder.call("no value is no error", "result", "storage.shared_state.get", state | {"key": "another"})
    large = state | {"value": "x" * (1 << 20)}
    await recorder.call("a value of more than 1 MiB", "MCP-014", "storage.shared_state.set", large)


async def call_storage_without_redis(recorder: Recorder) -> None:
    """Call storage-mcp while its Redis is down."""
    state = {"corr_id": "demo", "key": "plan"}
    # On a busy machine the deadline of 50 ms ends before the connection is refused.
    await recorder.call("Redis is down", "MCP-003|MCP-004", "storage.shared_state.get", state)


def _format_minute() -> str:
    """Return the time a minute ago."""
    return (datetime.now(UTC) - timedelta(minutes=1)).isoformat()
