"""Wishes and topics of a question."""

from __future__ import annotations

from enum import Enum

from handlers.agents.questions import vocabulary
from handlers.agents.questions.notices import Topic
from handlers.agents.questions.reading import Reading


class Intent(Enum):
    """Wishes that a question can have."""

    PRICE = "price"
    PRICE_NOW = "price_now"
    NOW = "now"
    CHANGE = "change"
    RISK = "risk"
    VOLUME = "volume"
    COMPARE = "compare"
    HOURLY = "hourly"
    OVERVIEW = "overview"
    DIRECTION = "direction"
    MEMBERS = "members"


_PATTERNS = (
    (Intent.HOURLY, vocabulary.HOURLY),
    (Intent.NOW, vocabulary.NOW),
    (Intent.COMPARE, vocabulary.COMPARE),
    (Intent.PRICE_NOW, vocabulary.PRICE_NOW),
    (Intent.PRICE, vocabulary.PRICE),
    (Intent.VOLUME, vocabulary.VOLUME),
    (Intent.RISK, vocabulary.RISK),
    (Intent.CHANGE, vocabulary.CHANGE),
    (Intent.DIRECTION, vocabulary.DIRECTION),
    (Intent.OVERVIEW, vocabulary.OVERVIEW),
)
OVER_TIME = frozenset({Intent.CHANGE, Intent.RISK, Intent.COMPARE, Intent.HOURLY})
"""Wishes for bars."""


def read_intents(reading: Reading) -> frozenset[Intent]:
    """Return the wishes of *reading*; their words then are understood."""
    return frozenset(intent for intent, pattern in _PATTERNS if reading.take_all(pattern))


def read_topics(reading: Reading) -> tuple[Topic, ...]:
    """Return the topics of *reading* that no tool answers; their words then are understood."""
    return tuple(topic for topic, pattern in vocabulary.TOPICS.items() if reading.take_all(pattern))
