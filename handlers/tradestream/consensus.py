"""The consensus of the current signals of a symbol."""

from typing import Literal, TypeAlias

from generated.tradestream.strategy.queries import CurrentSignalsRow

Consensus: TypeAlias = Literal["STRONG_BUY", "BUY", "NEUTRAL", "SELL", "STRONG_SELL"]


def find_consensus(signals: CurrentSignalsRow) -> tuple[Consensus, float]:
    """Return the consensus, and the mean confidence of its side.

    For NEUTRAL it is the confidence of all signals. Without signals it is 0.
    """
    count = signals.bullish + signals.bearish + signals.neutral
    # Integers, since 7 of 10 is not exactly 0.7 in binary.
    if 2 * signals.bullish > count:
        return ("STRONG_BUY" if 10 * signals.bullish >= 7 * count else "BUY"), signals.bullish_confidence or 0.0
    if 2 * signals.bearish > count:
        return ("STRONG_SELL" if 10 * signals.bearish >= 7 * count else "SELL"), signals.bearish_confidence or 0.0
    return "NEUTRAL", signals.mean_confidence or 0.0
