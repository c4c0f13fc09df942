"""Judgement of a symbol: the signal that follows from the results of tools alone."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from generated.agents.signal_generator.models import Signal, StrategySignal, TopStrategy
from handlers.agents.confidence import calculate_confidence
from handlers.agents.evidence import Evidence
from handlers.agents.market_context import build_market_context
from handlers.agents.reasoning import explain


def judge(evidence: Evidence, penalty: float, judged_at: datetime, words: str = "") -> Signal:
    """Return the signal that follows from *evidence*.

    *penalty* is the share of the confidence that `evidence.missing` costs, and *judged_at* the present, in UTC. The
    *words* are a model's; they come first in the reasoning, and change nothing else.
    """
    votes = evidence.votes
    breakdown = [
        StrategySignal(name=strategy.name, signal=current.signal, score=strategy.score)
        for strategy, current in evidence.voters
    ]
    context = build_market_context(evidence)
    return Signal(
        signal_id=_build_id(evidence.symbol, evidence.requested_at),
        symbol=evidence.symbol,
        action=votes.action,
        confidence=calculate_confidence(votes, [each.score for each in breakdown], penalty),
        strategies_analyzed=votes.total,
        strategies_bullish=votes.bullish,
        strategies_bearish=votes.bearish,
        strategies_neutral=votes.neutral,
        top_strategy=_find_top_strategy(evidence),
        strategy_breakdown=breakdown,
        reasoning=explain(votes, breakdown, context, evidence, penalty, words),
        market_context=context,
        is_degraded=True if evidence.missing else None,
        timestamp=max(judged_at, evidence.as_of),
    )


def _find_top_strategy(evidence: Evidence) -> TopStrategy | None:
    """Return the best strategy with a current signal, else the best; None without strategies."""
    for strategy, current in (*evidence.voters, *evidence.ranked):
        top = TopStrategy(name=strategy.name, score=strategy.score)
        return (
            top
            if current is None
            else top.model_copy(update={"signal": current.signal, "parameters": current.parameters})
        )
    return None


def _build_id(symbol: str, requested_at: datetime) -> str:
    """Return the id of a signal, equal for one symbol in one minute; *requested_at* is in UTC."""
    minute = requested_at.strftime("%Y-%m-%dT%H:%MZ")
    return f"sig-{sha256(f'{symbol} {minute}'.encode()).hexdigest()[:12]}"
