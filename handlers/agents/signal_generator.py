"""Handler of contracts/agents/signal_generator.json."""

from __future__ import annotations

from generated.agents.signal_generator.agent import SignalGeneratorCall
from generated.agents.signal_generator.models import Signal, SignalRequest
from handlers.agents.evidence import gather_evidence
from handlers.agents.judgement import judge
from handlers.agents.narration import narrate


async def answer(request: SignalRequest, call: SignalGeneratorCall) -> Signal:
    """Return the signal of a symbol, after publishing it.

    A failed tool makes the signal less confident. A model may explain the signal, and changes nothing else. Raises
    InvalidSymbol if a server rejects the symbol, and SymbolNotFound if it has no strategies.
    """
    evidence = await gather_evidence(request.symbol, call)
    for tool in evidence.missing:
        call.missing.add(tool)
    judged_at, penalty = call.read_clock(), call.missing.confidence_penalty
    signal = judge(evidence, penalty, judged_at)
    if words := await narrate(signal, call.model):
        signal = judge(evidence, penalty, judged_at, words)
    # One from complete data is final, and replaces a degraded one of its minute.
    final = None if evidence.missing else signal.model_copy(update={"revision": 2})
    publication = await call.raw_signal.publish(signal, message_id=signal.signal_id, revision=final)
    return final if final and publication == "replaced" else signal
