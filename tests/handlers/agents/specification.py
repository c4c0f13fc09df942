"""The confidence of the specification, computed in fractions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

PENALTIES = {"strategies": Fraction("0.20"), "market_context": Fraction("0.10"), "volatility": Fraction("0.05")}


def specified_confidence(signals: Sequence[str], scores: Sequence[float | Fraction]) -> Fraction:
    """Return the confidence as the specification's code has it; 0.30 without a signal."""
    if not signals:
        return Fraction("0.30")
    bullish, bearish, total = signals.count("BUY"), signals.count("SELL"), len(signals)
    ratio = Fraction(max(bullish, bearish, total - bullish - bearish), total)
    base = (
        Fraction("0.85")
        if ratio >= Fraction("0.8")
        else Fraction("0.70")
        if ratio >= Fraction("0.6")
        else Fraction("0.50")
    )
    mean = sum((Fraction(score) for score in scores), Fraction()) / total
    return min(Fraction("0.95"), max(Fraction("0.30"), base * (Fraction("0.8") + Fraction("0.2") * mean)))


def partial_confidence(signals: Sequence[str], scores: Sequence[float], missing: Collection[str]) -> Fraction:
    """Return the confidence without the *missing* data.

    docs/decisions/0021-signal-generator.md gives the rules.
    """
    penalty = sum((PENALTIES[label] for label in missing), Fraction())
    if "strategies" in missing and not signals:
        return max(Fraction("0.30"), (Fraction("0.70") - penalty) * (1 - penalty))
    return max(Fraction("0.27"), specified_confidence(signals, scores) * (1 - penalty))
