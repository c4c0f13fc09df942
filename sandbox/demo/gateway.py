"""The calls of swimmy-mcp: status files, and backtests that the Guardian runs."""

import asyncio
import secrets

from sandbox.demo.answers import Answer
from sandbox.demo.calls import UNKNOWN_TOOL, Arguments, Recorder

STRATEGY: Arguments = {
    "name": "Cross-1",
    "sma_short": 10,
    "sma_long": 30,
    "sl": 0.5,
    "tp": 1,
    "volume": 0.01,
    "indicator_type": "sma",
}
BACKTEST: Arguments = {
    "strategy": STRATEGY,
    "symbol": "USDJPY",
    "timeframe": 60,
    "candles_file": "data/historical/USDJPY_M1.csv",
}
PATIENCE_S = 20
POLL_S = 0.05


async def call_gateway_tools(recorder: Recorder) -> None:
    """Call every tool of swimmy-mcp: a backtest up to its result, and rejected ones."""
    await recorder.call("the gateway answers", "result", "health.ping", {})
    await recorder.call("the status files", "result", "system.status", {})
    await recorder.call("the metrics", "result", "system.metrics", {})
    await _backtest(recorder, BACKTEST)
    await recorder.call("the latest backtest of anybody", "result", "backtest.status", {})
    order = BACKTEST | {"type": "CLOSE"}
    await recorder.call("an order in the shape of a backtest", "INVALID_PARAMS", "backtest.submit", order)
    quoted = BACKTEST | {"strategy": STRATEGY | {"name": 'x") (type . "CLOSE'}}
    await recorder.call("a name that would end its string", "INVALID_PARAMS", "backtest.submit", quoted)
    await recorder.call("an order is no tool of MCP", UNKNOWN_TOOL, "trade.submit", {})


async def call_framed_gateway(recorder: Recorder) -> None:
    """Call swimmy-mcp with a key in each request."""
    await recorder.call("the gateway answers", "result", "health.ping", {})
    await _backtest(recorder, BACKTEST | {"request_id": f"demo-{secrets.token_hex(4)}"})
    await recorder.call("another key", "UNAUTHORIZED", "health.ping", {"api_key": "another"})
    await recorder.call("an order", "TRADE_DISABLED", "trade.submit", {"symbol": "USDJPY", "side": "BUY"})
    await recorder.call("an unknown method", "METHOD_NOT_FOUND", "get_rich_quickly", {})


async def call_gateway_without_guardian(recorder: Recorder) -> None:
    """Call swimmy-mcp while nobody receives what it publishes."""
    await recorder.call("the Guardian is down", "UNAVAILABLE", "backtest.submit", BACKTEST)


async def _backtest(recorder: Recorder, arguments: Arguments) -> None:
    """Submit a backtest, and record its result once it has one."""
    submitted = await recorder.call("a backtest, sent to the Guardian", "result", "backtest.submit", arguments)
    status: Arguments = {"request_id": submitted.body.get("request_id", "none")}
    async with asyncio.timeout(PATIENCE_S):
        while _is_running(await recorder.send("backtest.status", status, None)):  # noqa: ASYNC110 - no event: another process runs it
            await asyncio.sleep(POLL_S)
    await recorder.call("its result", "result", "backtest.status", status)


def _is_running(answer: Answer) -> bool:
    return answer.body.get("state") == "pending"
