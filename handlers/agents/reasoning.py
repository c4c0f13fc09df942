"""Explanation of a signal in plain English, always the same for the same results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from generated.agents.signal_generator.models import MarketContext, StrategySignal
from handlers.agents.evidence import Evidence, Outcome
from handlers.agents.synthesis import Votes

_MAX_LENGTH = 8000


def explain(
    votes: Votes,
    breakdown: Sequence[StrategySignal],
    context: MarketContext | None,
    evidence: Evidence,
    penalty: float,
    words: str = "",
) -> str:
    """Return the reasons for a signal, at most 8000 characters.

    They name the votes, missing data with its *penalty*, the market, and the signal and score of each strategy. The
    *words* of a model come first, in the place of sentences about the market.
    """
    sentences = [*([words] if words else ()), _describe_votes(votes, evidence), *_describe_missing(evidence, penalty)]
    if context is not None and not words:
        sentences.extend(_describe_market(context))
    if breakdown:
        parts = (f"{each.name} {each.signal} (score {each.score:.2f})" for each in breakdown)
        sentences.append(f"Strategies: {', '.join(parts)}.")
    return shorten(" ".join(sentences))


def shorten(text: str) -> str:
    """Return *text* with at most 8000 characters."""
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def _describe_votes(votes: Votes, evidence: Evidence) -> str:
    """Return a sentence about the action and the strategies for it."""
    if not votes.total:
        cause = (
            "The signals of the strategies are unknown"
            if evidence.has_failed_strategies
            else "No strategy has a current signal"
        )
        return f"{cause}, so the action is HOLD."
    counts = f"{votes.bullish} BUY, {votes.bearish} SELL and {votes.neutral} HOLD"
    counts += f", {votes.absent} without a vote" if votes.absent else ""
    leaders = (votes.bullish, votes.bearish, votes.neutral).count(votes.agreement)
    if leaders > 1:
        return f"No signal prevails among the top strategies ({counts}), so the action is HOLD."
    sentence = f"{votes.agreement} of {votes.requested} top strategies signal {votes.leader} ({counts})."
    if votes.action == votes.leader:
        return sentence
    return f"{sentence} The others could change that, so the action is HOLD."


def _describe_missing(evidence: Evidence, penalty: float) -> Iterator[str]:
    """Yield sentences about results that could not be had, and their effect."""
    failed = {_describe_outcome(outcome): None for outcome in evidence.outcomes if outcome.is_missing}
    if failed:
        yield f"Degraded signal due to unavailable tools: {', '.join(failed)}."
    elif evidence.missing:
        yield "Degraded signal, because most strategies have no current signal."
    if evidence.missing:
        yield f"The penalty for it is {penalty:.0%}."


def _describe_outcome(outcome: Outcome[Any]) -> str:
    """Return the name of a tool and the cause of its absence."""
    if outcome.stale_age_s is not None:
        return f"{outcome.tool.name} (result of {outcome.stale_age_s:.0f} s ago)"
    return f"{outcome.tool.name} ({outcome.reason})"


def _describe_market(context: MarketContext) -> Iterator[str]:
    """Yield sentences about the known members of *context*."""
    if context.current_price is not None:
        yield f"The price is {context.current_price:.10g}{_describe_change(context.price_change_1h)}."
    if context.volume_ratio is not None:
        yield f"The volume of the last hour is {context.volume_ratio:.2f} times the mean of the day before."
    if context.volatility_1h is not None:
        yield f"Hourly returns vary by {context.volatility_1h:.2%}."


def _describe_change(change: float | None) -> str:
    """Return the end of a sentence about the price, with its change as a fraction."""
    if change is None:
        return ""
    return f", {'down' if change < 0 else 'up'} {abs(change):.2%} in the last hour"
