"""What many signals say together."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Consensus: TypeAlias = Literal["STRONG_BUY", "BUY", "NEUTRAL", "SELL", "STRONG_SELL"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The current signals of a symbol: one for each strategy that has one."""

    bullish: int
    bearish: int
    neutral: int
    bullish_confidence: float | None
    """The mean confidence, 0 to 1, of the bullish ones; None if there are none. The next two likewise."""
    bearish_confidence: float | None
    mean_confidence: float | None


def judge(signals: Signals) -> tuple[Consensus, float]:
    """The consensus, and the mean confidence of its side: of all signals when neutral, 0 when there are none."""
    count = signals.bullish + signals.bearish + signals.neutral
    # Whole numbers: 7 of 10 is 0.7, whatever binary fractions make of it.
    if 2 * signals.bullish > count:
        return ("STRONG_BUY" if 10 * signals.bullish >= 7 * count else "BUY"), signals.bullish_confidence or 0.0
    if 2 * signals.bearish > count:
        return ("STRONG_SELL" if 10 * signals.bearish >= 7 * count else "SELL"), signals.bearish_confidence or 0.0
    return "NEUTRAL", signals.mean_confidence or 0.0
