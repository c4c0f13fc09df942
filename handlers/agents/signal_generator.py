"""Handler of contracts/agents/signal_generator.json."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from generated.agents.signal_generator.agent import SignalGeneratorCall
from generated.agents.signal_generator.models import Signal, SignalRequest, StrategySignal, TopStrategy
from handlers.agents.confidence import calculate_confidence, degraded_confidence, reduce_confidence
from handlers.agents.evidence import Evidence, gather_evidence
from handlers.agents.market_context import build_market_context
from handlers.agents.narration import narrate
from handlers.agents.reasoning import explain
from handlers.agents.synthesis import Votes, count_votes


async def answer(request: SignalRequest, call: SignalGeneratorCall) -> Signal:
    """Return the signal of a symbol, after publishing it.

    A failed tool makes the signal less confident. A model may explain the signal, and changes nothing else. Raises
    InvalidSymbol if a server rejects the symbol, SymbolNotFound if it has no strategies, and SourceError if the signal
    cannot be published.
    """
    evidence = await gather_evidence(request.symbol, call)
    evidence.note_missing(call.missing)
    signal = _build_signal(request.symbol, call, evidence)
    if words := await narrate(signal, call.model):
        signal = _build_signal(request.symbol, call, evidence, words)
    await call.raw_signal.publish(signal, message_id=signal.signal_id)
    return signal


def _build_signal(symbol: str, call: SignalGeneratorCall, evidence: Evidence, words: str = "") -> Signal:
    """Return the signal that follows from *evidence*; the *words* are a model's."""
    breakdown = [
        StrategySignal(name=strategy.name, signal=current.signal, score=strategy.score)
        for strategy, current in evidence.votes
    ]
    votes = count_votes(each.signal for each in breakdown)
    context = build_market_context(evidence)
    penalty = call.missing.confidence_penalty
    return Signal(
        signal_id=_build_id(symbol, call.now),
        symbol=symbol,
        action=votes.action,
        confidence=_find_confidence(votes, breakdown, evidence, penalty),
        strategies_analyzed=votes.total,
        strategies_bullish=votes.bullish,
        strategies_bearish=votes.bearish,
        strategies_neutral=votes.neutral,
        top_strategy=_find_top_strategy(evidence),
        strategy_breakdown=breakdown,
        reasoning=explain(votes, breakdown, context, evidence, penalty, words),
        market_context=context,
        is_degraded=True if call.missing.labels else None,
        timestamp=call.now,
    )


def _find_confidence(votes: Votes, breakdown: list[StrategySignal], evidence: Evidence, penalty: float) -> float:
    """Return the confidence, reduced by the *penalty* of missing data."""
    if evidence.lacks_strategies and not votes.total:
        return degraded_confidence(penalty)
    return reduce_confidence(calculate_confidence(votes, [each.score for each in breakdown]), penalty)


def _find_top_strategy(evidence: Evidence) -> TopStrategy | None:
    """Return the best strategy with a current signal; None without one."""
    if not evidence.votes:
        return None
    strategy, current = evidence.votes[0]
    return TopStrategy(name=strategy.name, score=strategy.score, signal=current.signal, parameters=current.parameters)


def _build_id(symbol: str, now: datetime) -> str:
    """Return the id of a signal, equal for one symbol in one minute; *now* is in UTC."""
    minute = now.strftime("%Y-%m-%dT%H:%MZ")
    return f"sig-{sha256(f'{symbol} {minute}'.encode()).hexdigest()[:12]}"
