"""The scenes of decisions-mcp."""

import secrets

from sandbox.demo.scenes import UNKNOWN_TOOL, Arguments, Stage


async def decisions(stage: Stage) -> None:
    """Call every tool of decisions-mcp: history by page and filter, idempotent saving."""
    page: Arguments = {"limit": 3}
    await stage.play("a miss: PostgreSQL answers", "result fresh", "get_recent_decisions", page)
    await stage.play("a hit: the cache answers", "result cached", "get_recent_decisions", page)
    await stage.play("page two", "result fresh", "get_recent_decisions", page | {"offset": 3})
    await stage.play("on one symbol", "result fresh", "get_recent_decisions", page | {"symbol": "ETH/USD"})
    await stage.play("to do one thing", "result fresh", "get_recent_decisions", page | {"action": "SELL"})
    await _saving(stage)
    await stage.play("it is there", "result fresh", "get_recent_decisions", page | {"force_refresh": True})
    await stage.play("an action that is none", "INVALID_ACTION", "get_recent_decisions", {"action": "WAIT"})
    await stage.play("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def _saving(stage: Stage) -> None:
    decision: Arguments = {"symbol": "ETH/USD", "action": "BUY", "confidence": 0.72, "reasoning": "It was a demo."}
    key = f"demo-{secrets.token_hex(8)}"
    await stage.play("a decision, under a key", "result fresh", "save_decision", decision, key=key)
    await stage.play("sent again: the same decision", "result fresh", "save_decision", decision, key=key)
    other = decision | {"action": "SELL"}
    await stage.play("another one under the key", "IDEMPOTENCY_CONFLICT", "save_decision", other, key=key)
    percent = decision | {"confidence": 72}
    await stage.play("percent where a fraction is asked for", "INVALID_CONFIDENCE", "save_decision", percent)
    endless = decision | {"reasoning": "because " * 1300}
    await stage.play("more than anybody reads", "REASONING_TOO_LONG", "save_decision", endless)
    await stage.play("a symbol that is none", "INVALID_SYMBOL", "save_decision", decision | {"symbol": "eth"})
