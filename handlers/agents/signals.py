"""Handlers of contracts/agents/signals.json: one coroutine for each tool."""

from __future__ import annotations

from generated.agents import errors
from generated.agents.signal_generator.models import Signal
from generated.agents.signals import models
from generated.agents.signals.server import CollectEvidenceCall, SignalsCall
from generated.tradestream.errors import InvalidSymbol, SymbolNotFound
from handlers.agents.claimed_values import find_differences
from handlers.agents.evidence import gather_evidence
from handlers.agents.evidence_clients import AGENT, open_evidence_call
from handlers.agents.judgement import judge
from handlers.agents.kept_evidence import LIFETIME, find_evidence, keep_evidence, take_evidence
from handlers.agents.narration import find_false_words
from handlers.agents.reasoning import shorten
from handlers.agents.words import keep_visible
from toolaccord.agent.missing import MissingLabels


async def collect_evidence(
    request: models.CollectEvidenceRequest, call: CollectEvidenceCall
) -> models.CollectEvidenceResult:
    """Judge a symbol by the results of tools, and keep the signal for its publication."""
    signal = await _judge(request.symbol, call)
    evidence_id = await keep_evidence(call.bus, signal)
    return models.CollectEvidenceResult(
        evidence_id=evidence_id,
        expires_at=call.now + LIFETIME,
        raw_signal=models.CollectEvidenceResultRawSignal.model_validate(signal.model_dump(exclude_unset=True)),
    )


async def publish_signal(request: models.PublishSignalRequest, call: SignalsCall) -> models.PublishSignalResult:
    """Publish the signal of evidence once, with words that the evidence supports.

    A minute has one signal: a further one is not sent, unless it is complete and replaces a degraded one.
    """
    signal = await find_evidence(call.bus, request.evidence_id)
    if signal is None or signal.symbol != request.symbol:
        raise _not_found(request)
    if request.claim is not None and (members := ", ".join(find_differences(request.claim, signal))):
        raise errors.EvidenceMismatch(f"The evidence differs in {members}.", members=members)
    words = " ".join(keep_visible(request.reasoning).split())
    if not words or (false := find_false_words(words, signal)):
        parts = ", ".join(false) if words else "everything"
        raise errors.UnsupportedWords(f"The evidence does not support: {parts}.", parts=parts)
    if not await take_evidence(call.bus, request.evidence_id):
        raise _not_found(request)
    published = signal.model_copy(update={"reasoning": shorten(f"{words} {signal.reasoning}")})
    payload = models.RawSignal.model_validate(published.model_dump(exclude_unset=True))
    final = None if signal.is_degraded else payload.model_copy(update={"revision": 2})
    publication = await call.raw_signal.publish(payload, message_id=signal.signal_id, revision=final)
    return models.PublishSignalResult.model_validate(
        {"signal_id": signal.signal_id, "channel": call.raw_signal.address, "publication": publication}
    )


async def _judge(symbol: str, call: CollectEvidenceCall) -> Signal:
    """Return the signal of *symbol* by the agent's judgement. Raises as declared."""
    try:
        async with open_evidence_call(call.settings, call.now) as evidence_call:
            evidence = await gather_evidence(symbol, evidence_call)
            judged_at = evidence_call.read_clock()
    except InvalidSymbol as error:
        raise errors.InvalidSymbol(str(error)) from error
    except SymbolNotFound as error:
        raise errors.SymbolNotFound(str(error), symbol=symbol) from error
    missing = MissingLabels(AGENT.uses)
    for tool in evidence.missing:
        missing.add(tool)
    return judge(evidence, missing.confidence_penalty, judged_at)


def _not_found(request: models.PublishSignalRequest) -> errors.EvidenceNotFound:
    return errors.EvidenceNotFound(
        f"There is no evidence {request.evidence_id} for {request.symbol}; collect it.", evidence_id=request.evidence_id
    )
