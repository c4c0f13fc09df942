"""The calls of portfolio-mcp."""

from typing import Any

from sandbox.demo.answers import Answer
from sandbox.demo.calls import UNKNOWN_TOOL, Arguments, Recorder


async def call_portfolio_tools(recorder: Recorder) -> None:
    """Call every tool of portfolio-mcp: positions, balance, and the risk rules for a trade."""
    held = await recorder.call("open positions", "result fresh", "get_positions", {"limit": 3})
    await recorder.call("positions are never cached", "result fresh", "get_positions", {"limit": 3})
    await recorder.call("page two", "result fresh", "get_positions", {"limit": 3, "offset": 3})
    await recorder.call("past the end: the total all the same", "result fresh", "get_positions", {"offset": 1000})
    await recorder.call("of one symbol", "result fresh", "get_positions", {"symbol": "ETH/USD"})
    await recorder.call("the balance", "result fresh", "get_balance", {})
    await _trades(recorder, held)
    await _bad_trades(recorder)


async def _trades(recorder: Recorder, held: Answer) -> None:
    trade: Arguments = {"symbol": "ETH/USD", "side": "BUY", "size": 1, "price": 3000}
    await recorder.call("within a tenth of the balance", "result fresh", "validate_trade", trade)
    await recorder.call("more than a tenth: not valid", "result fresh", "validate_trade", trade | {"size": 10})
    await recorder.call("more than the balance", "INSUFFICIENT_BALANCE", "validate_trade", trade | {"size": 1000})
    items: list[dict[str, Any]] = held.body.get("data", {}).get("items", [])
    for position in items[:1]:
        side = "SELL" if position["side"] == "LONG" else "BUY"
        closing: Arguments = {"symbol": position["symbol"], "side": side, "size": position["size"]}
        await recorder.call("a trade that closes a position is exempt", "result fresh", "validate_trade", closing)
    unknown: Arguments = {"symbol": "ZZZ/USD", "side": "BUY", "size": 1}
    await recorder.call("without a known price", "result fresh", "validate_trade", unknown)


async def _bad_trades(recorder: Recorder) -> None:
    trade: Arguments = {"symbol": "ETH/USD", "side": "BUY", "size": 1}
    await recorder.call("an invalid side", "INVALID_SIDE", "validate_trade", trade | {"side": "HOLD"})
    await recorder.call("an invalid size", "INVALID_SIZE", "validate_trade", trade | {"size": -1})
    await recorder.call("an invalid symbol", "INVALID_SYMBOL", "validate_trade", trade | {"symbol": "eth"})
    await recorder.call("an invalid price", "INVALID_PARAMETER", "validate_trade", trade | {"price": 0})
    await recorder.call("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def call_with_unknown_account(recorder: Recorder) -> None:
    """Call portfolio-mcp for an account that does not exist."""
    await recorder.call("an unknown account", "ACCOUNT_NOT_FOUND", "get_balance", {})
