"""Notices: how a question was read, and what of it is not answered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class NoticeKind(Enum):
    """Kinds of notices."""

    CORRECTED = "corrected"
    """A mistake of typing: the word, and the ticker that it was read as."""
    SHORTENED = "shortened"
    """Securities beyond those that one answer takes."""
    REVERSED = "reversed"
    """A period with its days in the wrong order."""
    ENDS_TODAY = "ends_today"
    """A period whose last day has not come."""
    NOT_OFFERED = "not_offered"
    """A Topic."""
    UNKNOWN_NAME = "unknown_name"
    """A name that is not on the exchange's list, and tickers that look like it."""
    AMBIGUOUS = "ambiguous"
    """A name, and the tickers of which it can be one."""
    NO_PREFERRED = "no_preferred"
    """A company without preferred shares."""
    NO_SUCH_DAY = "no_such_day"
    """A day that no calendar has."""
    UNKNOWN_PERIOD = "unknown_period"
    """Words about time."""
    FUTURE = "future"
    """A period that has not begun."""
    EXCLUSION = "exclusion"
    """A word that leaves something out."""
    NEEDS_TWO = "needs_two"
    """A comparison of one security."""
    NO_SUBJECT = "no_subject"
    """A question about no security and no index."""
    NOT_UNDERSTOOD = "not_understood"
    """Other words."""
    HELP = "help"
    """No question at all."""


class Topic(Enum):
    """Subjects of questions that no tool answers."""

    DIVIDENDS = "dividends"
    FORECASTS = "forecasts"
    MARKET_CAP = "market_cap"
    FUNDAMENTALS = "fundamentals"
    NEWS = "news"
    ADVICE = "advice"
    OTHER_MARKETS = "other_markets"
    CURRENCY = "currency"
    INDICATORS = "indicators"
    ORDER_BOOK = "order_book"
    EXTREMES = "extremes"
    INDEX_LEVEL = "index_level"
    OTHER_INDICES = "other_indices"


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice, with the words that it is about."""

    kind: NoticeKind
    words: tuple[str, ...] = ()
