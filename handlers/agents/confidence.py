"""Confidence of a signal, by the formulas of the signal generator's specification."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.agents.synthesis import Votes

_LOWEST, _HIGHEST = 0.30, 0.95
"""Bounds of a confidence from complete data."""
_LOWEST_PARTIAL = 0.27
"""Confidence of the weakest signal without its market context, 0.30 * (1 - 0.10)."""
_DEGRADED_BASE = 0.70


def calculate_confidence(votes: Votes, scores: Sequence[float]) -> float:
    """Return the confidence from consensus and mean score, from 0.30 to 0.95.

    It is 0.30 without a vote. *scores* are those of the strategies that vote, from 0 to 1.
    """
    if not scores:
        return _LOWEST
    # A share such as 4 of 5 is exactly the literal 0.8, because both are the nearest double.
    ratio = votes.agreement / votes.total
    base = 0.85 if ratio >= 0.8 else 0.70 if ratio >= 0.6 else 0.50
    return min(_HIGHEST, max(_LOWEST, base * (0.8 + 0.2 * sum(scores) / len(scores))))


def reduce_confidence(confidence: float, penalty: float) -> float:
    """Return *confidence* less the share *penalty* of it, for missing data; at least 0.27."""
    return max(_LOWEST_PARTIAL, confidence * (1 - penalty))


def degraded_confidence(penalty: float) -> float:
    """Return the confidence of a signal whose strategies are unknown, at least 0.30.

    The *penalty* of all missing data counts twice, as in the specification: once as points, once as a share.
    """
    return max(_LOWEST, (_DEGRADED_BASE - penalty) * (1 - penalty))
