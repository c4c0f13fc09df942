"""The calls of signal-mcp: evidence behind a signal, and its publication."""

from sandbox.demo.calls import Arguments, Recorder

COLLECT, PUBLISH = "collect_evidence", "publish_signal"
SYMBOL = {"symbol": "ETH/USD"}


async def call_signal_tools(recorder: Recorder) -> None:
    """Call every tool of signal-mcp: a signal that is published once, and two that it rejects."""
    evidence = await recorder.call("the signal of a symbol, by its tools", "result", COLLECT, SYMBOL)
    signal = _publication(evidence.data["evidence_id"])
    lie = signal | {"reasoning": "A gain of 40% is certain."}
    await recorder.call("words without evidence", "UNSUPPORTED_WORDS", PUBLISH, lie)
    await recorder.call("published with the words", "result", PUBLISH, signal)
    await recorder.call("sent again: published once", "result", PUBLISH, signal)
    await recorder.call("unknown evidence", "EVIDENCE_NOT_FOUND", PUBLISH, _publication("sig-unknown"))


async def call_signals_without_redis(recorder: Recorder) -> None:
    """Call signal-mcp while its Redis is down."""
    await recorder.call("Redis is down", "DATABASE_ERROR", PUBLISH, _publication("sig-unknown"))


def _publication(evidence_id: str) -> Arguments:
    """Return the arguments that publish evidence."""
    return {**SYMBOL, "evidence_id": evidence_id, "reasoning": "The strategies were weighed against the market."}
