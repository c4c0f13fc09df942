"""The calls of decisions-mcp."""

import secrets

from sandbox.demo.calls import UNKNOWN_TOOL, Arguments, Recorder


async def call_decision_tools(recorder: Recorder) -> None:
    """Call every tool of decisions-mcp: history by page and filter, idempotent saving."""
    page: Arguments = {"limit": 3}
    await recorder.call("a miss: PostgreSQL answers", "result fresh", "get_recent_decisions", page)
    await recorder.call("a hit: the cache answers", "result cached", "get_recent_decisions", page)
    await recorder.call("page two", "result fresh", "get_recent_decisions", page | {"offset": 3})
    await recorder.call("on one symbol", "result fresh", "get_recent_decisions", page | {"symbol": "ETH/USD"})
    await recorder.call("of one action", "result fresh", "get_recent_decisions", page | {"action": "SELL"})
    await _saving(recorder)
    await recorder.call("the saved decision, at once", "result fresh", "get_recent_decisions", page)
    await recorder.call("past the cache", "result fresh", "get_recent_decisions", page | {"force_refresh": True})
    await recorder.call("an invalid action", "INVALID_ACTION", "get_recent_decisions", {"action": "WAIT"})
    await recorder.call("an unknown tool", UNKNOWN_TOOL, "get_rich_quickly", {})


async def _saving(recorder: Recorder) -> None:
    decision: Arguments = {"symbol": "ETH/USD", "action": "BUY", "confidence": 0.72, "reasoning": "It was a demo."}
    key = f"demo-{secrets.token_hex(8)}"
    saved = await recorder.call("a decision, under a key", "result fresh", "save_decision", decision, key=key)
    again = "sent again: the same decision"
    await recorder.call(again, "result fresh", "save_decision", decision, key=key, repeats=saved)
    other = decision | {"action": "SELL"}
    await recorder.call("another one under the key", "IDEMPOTENCY_CONFLICT", "save_decision", other, key=key)
    percent = decision | {"confidence": 72}
    await recorder.call("a percentage instead of a fraction", "INVALID_CONFIDENCE", "save_decision", percent)
    endless = decision | {"reasoning": "because " * 1300}
    await recorder.call("too long a reasoning", "REASONING_TOO_LONG", "save_decision", endless)
    await recorder.call("an invalid symbol", "INVALID_SYMBOL", "save_decision", decision | {"symbol": "eth"})
