"""The calls of signal-mcp: a raw signal for the sandbox's Redis."""

from datetime import UTC, datetime

from sandbox.demo.calls import Arguments, Recorder

PUBLISH = "publish_signal"


async def call_signal_tools(recorder: Recorder) -> None:
    """Call every tool of signal-mcp: a signal that is published once, and an invalid one."""
    signal = _make_signal()
    await recorder.call("a signal", "result", PUBLISH, signal)
    await recorder.call("sent again: published once", "result", PUBLISH, signal)
    await recorder.call("too confident", "INVALID_PARAMETER", PUBLISH, signal | {"confidence": 1})


async def call_signals_without_redis(recorder: Recorder) -> None:
    """Call signal-mcp while its Redis is down."""
    await recorder.call("Redis is down", "DATABASE_ERROR", PUBLISH, _make_signal())


def _make_signal() -> Arguments:
    """Return a signal of this moment."""
    now = datetime.now(UTC)
    counts = {f"strategies_{name}": 0 for name in ("analyzed", "bullish", "bearish", "neutral")}
    return {
        "signal_id": f"sig-{now:%Y%m%d%H%M%S%f}",
        "symbol": "ETH/USD",
        "action": "HOLD",
        "confidence": 0.3,
        **counts,
        "strategy_breakdown": [],
        "reasoning": "A signal of the demo, without strategies.",
        "timestamp": now.isoformat(),
    }
