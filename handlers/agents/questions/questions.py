"""Understanding of a question: its subject, period and kind, and what is not understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum

from handlers.agents.questions.catalogue import Catalogue
from handlers.agents.questions.intents import Intent
from handlers.agents.questions.notices import Notice, NoticeKind, Topic
from handlers.agents.questions.periods import Period
from handlers.agents.questions.rejections import find_rejection, not_offered, not_understood, topic_notices
from handlers.agents.questions.securities import Named
from handlers.agents.questions.understanding import Understood, read_text

MAX_SECURITIES = 5
"""Largest number of securities in one answer, one for each step of a plan."""
REMEMBERED = 10
"""Number of earlier messages that can give the subject."""


class Kind(Enum):
    """Kinds of questions."""

    SECURITY = "security"
    """One security."""
    COMPARISON = "comparison"
    """Several securities."""
    INDEX = "index"
    """Indices, perhaps with securities in them."""
    REJECTED = "rejected"
    """A question without an answer, for the reasons of its notices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An understood question, or a rejected one."""

    kind: Kind
    securities: tuple[str, ...] = ()
    """Tickers, in the order of the question, at most MAX_SECURITIES."""
    indices: tuple[str, ...] = ()
    """IMOEX or RTSI, or both."""
    period: Period | None = None
    """None if the question names none."""
    sessions: int | None = None
    """Number of the last trading days, in place of a period."""
    prices: bool = False
    """True if the current prices of the securities are requested."""
    bars: bool = False
    """True if the securities over the period, or the last month, are requested."""
    hourly: bool = False
    """True for hourly bars."""
    catalogue: Catalogue = field(compare=False, repr=False)
    """The list that has the securities."""
    notices: tuple[Notice, ...] = ()
    """Corrections, and parts of the question that are not answered."""


def understand(texts: Sequence[str], today: date, catalogue: Catalogue) -> Question:
    """Return the last of a user's *texts* as a question about securities of *catalogue*.

    An earlier one gives the subject that it lacks. *today* is the day in Moscow.
    """
    understood = read_text(texts[-1] if texts else "", today, catalogue)
    if _lacks_subject(understood):
        for text in reversed(texts[-REMEMBERED - 1 : -1]):
            earlier = read_text(text, today, catalogue)
            if earlier.securities or earlier.indices:
                named = Named(found=[*earlier.named.found], notices=understood.named.notices)
                understood = replace(understood, named=named, indices=earlier.indices)
                break
    understood = _explain_index(understood)
    rejection = find_rejection(understood)
    if rejection:
        return Question(kind=Kind.REJECTED, catalogue=catalogue, notices=rejection)
    return _build(understood, today, catalogue)


def _lacks_subject(understood: Understood) -> bool:
    """Return whether a question speaks of something that it does not name."""
    if understood.securities or understood.indices or understood.named.notices or understood.leftovers.names:
        return False
    return bool(understood.has_period or understood.intents or understood.topics or understood.found.notices)


def _explain_index(understood: Understood) -> Understood:
    """Return *understood* with a wish for members where an index is compared or explained."""
    is_reason = Topic.NEWS in understood.topics
    if understood.securities or not understood.indices or not (is_reason or Intent.COMPARE in understood.intents):
        return understood
    topics = tuple(topic for topic in understood.topics if topic is not Topic.NEWS)
    return replace(understood, topics=topics, intents=understood.intents | {Intent.MEMBERS})


def _build(it: Understood, today: date, catalogue: Catalogue) -> Question:
    notices = [*it.named.notices, *it.found.notices, *it.leftovers.names]
    notices += topic_notices(it)
    if it.indices and it.securities and it.wants_bars:
        notices.append(not_offered(Topic.INDEX_LEVEL))
    notices += not_understood(it.leftovers.others)
    if beyond := it.securities[MAX_SECURITIES:]:
        notices.append(Notice(NoticeKind.SHORTENED, beyond))
    is_hourly_today = Intent.HOURLY in it.intents and Intent.NOW in it.intents and not it.has_period
    several = Kind.COMPARISON if len(it.securities) > 1 else Kind.SECURITY
    return Question(
        kind=Kind.INDEX if it.indices else several,
        securities=it.securities[:MAX_SECURITIES],
        indices=it.indices,
        period=Period(today, today) if is_hourly_today else it.found.period,
        sessions=it.found.sessions,
        prices=it.wants_prices,
        bars=it.wants_bars,
        hourly=Intent.HOURLY in it.intents,
        catalogue=catalogue,
        notices=tuple(notices),
    )
