"""Confidence of a signal, by the formula of the signal generator's specification."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from handlers.agents.synthesis import Votes

_LOWEST = 0.30


def calculate_confidence(votes: Votes, scores: Sequence[float], penalty: float = 0.0) -> float:
    """Return the confidence from consensus and mean score, from 0.30 to 0.85.

    It is 0.30 without a vote. *scores* are those of the strategies that vote; beyond 0 or 1, they count as 0 or 1.
    Requested strategies without a vote disagree, and have the score 0. Missing data costs the share *penalty*.
    Less data never gives more, as docs/decisions/0032-partial-data-and-publication.md proves.
    """
    if not votes.total:
        return _LOWEST
    # A share such as 4 of 5 is exactly the literal 0.8, because both are the nearest double.
    ratio = votes.agreement / votes.requested
    base = 0.85 if ratio >= 0.8 else 0.70 if ratio >= 0.6 else 0.50
    mean = fsum(min(1.0, max(0.0, score)) for score in scores) / votes.requested
    return max(_LOWEST, base * (0.8 + 0.2 * mean) * (1 - penalty))
