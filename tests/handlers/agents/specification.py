"""The confidence of the specification, computed in fractions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

PENALTIES = {"strategies": Fraction("0.20"), "market_context": Fraction("0.10"), "volatility": Fraction("0.05")}


def specified_confidence(
    signals: Sequence[str], scores: Sequence[float | Fraction], requested: int | None = None
) -> Fraction:
    """Return the confidence as the specification's code has it; 0.30 without a signal.

    It is that of all *requested* strategies; by default, none lacks a signal.
    """
    if not signals:
        return Fraction("0.30")
    total = requested or len(signals)
    ratio = Fraction(max(signals.count(each) for each in ("BUY", "SELL", "HOLD")), total)
    base = (
        Fraction("0.85")
        if ratio >= Fraction("0.8")
        else Fraction("0.70")
        if ratio >= Fraction("0.6")
        else Fraction("0.50")
    )
    mean = sum((Fraction(min(1, max(0, score))) for score in scores), Fraction()) / total
    return min(Fraction("0.95"), max(Fraction("0.30"), base * (Fraction("0.8") + Fraction("0.2") * mean)))


def partial_confidence(
    signals: Sequence[str], scores: Sequence[float], requested: int, missing: Collection[str]
) -> Fraction:
    """Return the confidence without the *missing* data.

    docs/decisions/0032-partial-data-and-publication.md gives the rules.
    """
    penalty = sum((PENALTIES[label] for label in missing), Fraction())
    return max(Fraction("0.30"), specified_confidence(signals, scores, requested) * (1 - penalty))


def specified_action(signals: Sequence[str], requested: int) -> str:
    """Return the action that no missing answer could change, else HOLD."""
    absent = requested - len(signals)
    counts = {each: signals.count(each) for each in ("BUY", "SELL", "HOLD")}
    for action in ("BUY", "SELL"):
        if all(counts[action] > counts[other] + absent for other in counts if other != action):
            return action
    return "HOLD"
