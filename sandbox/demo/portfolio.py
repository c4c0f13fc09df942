"""The scenes of portfolio-mcp."""

from typing import Any

from sandbox.demo.answers import Answer
from sandbox.demo.scenes import UNKNOWN_TOOL, Arguments, Stage


async def portfolio(stage: Stage) -> None:
    """Call every tool of portfolio-mcp: positions, balance, and the risk rules for a trade."""
    held = await stage.play("what is held", "result fresh", "get_positions", {"limit": 3})
    await stage.play("never from the cache", "result fresh", "get_positions", {"limit": 3})
    await stage.play("page two", "result fresh", "get_positions", {"limit": 3, "offset": 3})
    await stage.play("past the end: the total all the same", "result fresh", "get_positions", {"offset": 1000})
    await stage.play("of one symbol", "result fresh", "get_positions", {"symbol": "ETH/USD"})
    await stage.play("what is free", "result fresh", "get_balance", {})
    await _trades(stage, held)
    await _bad_trades(stage)


async def _trades(stage: Stage, held: Answer) -> None:
    trade: Arguments = {"symbol": "ETH/USD", "side": "BUY", "size": 1, "price": 3000}
    await stage.play("within a tenth of what is free", "result fresh", "validate_trade", trade)
    await stage.play("more than that: not valid", "result fresh", "validate_trade", trade | {"size": 10})
    await stage.play("more than there is", "INSUFFICIENT_BALANCE", "validate_trade", trade | {"size": 1000})
    items: list[dict[str, Any]] = held.body.get("data", {}).get("items", [])
    for position in [item for item in items if item["side"] == "LONG"][:1]:
        closing: Arguments = {"symbol": position["symbol"], "side": "SELL", "size": position["size"]}
        await stage.play("what closes a position is not judged", "result fresh", "validate_trade", closing)
    unknown: Arguments = {"symbol": "ZZZ/USD", "side": "BUY", "size": 1}
    await stage.play("no price is known, none is made up", "result fresh", "validate_trade", unknown)


async def _bad_trades(stage: Stage) -> None:
    trade: Arguments = {"symbol": "ETH/USD", "side": "BUY", "size": 1}
    await stage.play("a side that is none", "INVALID_SIDE", "validate_trade", trade | {"side": "HOLD"})
    await stage.play("a size that is none", "INVALID_SIZE", "validate_trade", trade | {"size": -1})
    await stage.play("a symbol that is none", "INVALID_SYMBOL", "validate_trade", trade | {"symbol": "eth"})
    await stage.play("a price that is none", "INVALID_PARAMETER", "validate_trade", trade | {"price": 0})
    await stage.play("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def stranger(stage: Stage) -> None:
    """Call portfolio-mcp for an account that does not exist."""
    await stage.play("an account that does not exist", "ACCOUNT_NOT_FOUND", "get_balance", {})
