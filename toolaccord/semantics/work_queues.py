"""Times of work queues, which contracts are checked against."""

from __future__ import annotations

ANSWER_S = 3
"""Seconds after a request's timeout in which its worker tells the queue of the outcome."""


def redelivery_s(timeout_ms: float) -> float:
    """Return the seconds after which the message of a worker that died is delivered again."""
    return timeout_ms / 1000 + ANSWER_S
