"""Reasons for which a question has no answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handlers.agents.questions import vocabulary
from handlers.agents.questions.intents import Intent
from handlers.agents.questions.notices import Notice, NoticeKind, Topic
from handlers.agents.questions.understanding import Understood

_ASKING_BACK = frozenset({NoticeKind.AMBIGUOUS, NoticeKind.NO_PREFERRED})
_TIME_PROBLEMS = frozenset({NoticeKind.NO_SUCH_DAY, NoticeKind.UNKNOWN_PERIOD, NoticeKind.FUTURE})


def find_rejection(it: Understood) -> tuple[Notice, ...]:
    """Return the reasons for which a question has no answer, empty if it has one."""
    for reasons in _reasons(it):
        if reasons:
            return tuple(reasons)
    return ()


def _reasons(it: Understood) -> Iterator[Sequence[Notice]]:
    """Yield possible reasons, the first of which counts that is not empty."""
    yield [each for each in it.named.notices if each.kind in _ASKING_BACK]
    yield [Notice(NoticeKind.EXCLUSION, (each,)) for each in [it.exclusion] if each]
    yield from _reasons_of_subject(it) if it.securities or it.indices else _reasons_without_subject(it)


def _reasons_without_subject(it: Understood) -> Iterator[Sequence[Notice]]:
    yield topic_notices(it)
    yield it.leftovers.names
    yield not_understood(it.leftovers.others)
    yield from _reasons_of_time(it)
    yield [Notice(NoticeKind.NO_SUBJECT if it.intents or it.has_period else NoticeKind.HELP)]


def _reasons_of_subject(it: Understood) -> Iterator[Sequence[Notice]]:
    if not it.intents - {Intent.NOW, Intent.DIRECTION} or vocabulary.ALWAYS_REJECTED & set(it.topics):
        yield topic_notices(it)
    yield from _reasons_of_time(it)
    if it.is_index_guessed and not it.securities:
        yield it.leftovers.names
    if not it.securities and _wants_level(it):
        yield [not_offered(Topic.INDEX_LEVEL)]
    if _lacks_second(it):
        yield [Notice(NoticeKind.NEEDS_TWO, it.securities)]
    if _relies_on_default(it):
        yield not_understood(it.leftovers.others)


def _reasons_of_time(it: Understood) -> Iterator[Sequence[Notice]]:
    yield [each for each in it.found.notices if each.kind in _TIME_PROBLEMS]
    yield [Notice(NoticeKind.UNKNOWN_PERIOD, (each,)) for each in it.leftovers.times]


def _wants_level(it: Understood) -> bool:
    """Return whether figures of an index are requested that no tool has, such as its level."""
    if it.intents & {Intent.VOLUME, Intent.RISK, Intent.HOURLY}:
        return True
    if Intent.MEMBERS in it.intents:
        return False
    is_long = it.found.period is not None and it.found.period.first != it.found.period.last
    return bool(is_long or it.found.sessions or it.intents & {Intent.PRICE, Intent.PRICE_NOW, Intent.CHANGE})


def _lacks_second(it: Understood) -> bool:
    is_comparison = Intent.COMPARE in it.intents and not it.has_period
    return is_comparison and len(it.securities) == 1 and not it.indices and not it.leftovers.names


def _relies_on_default(it: Understood) -> bool:
    """Return whether an answer would choose the kind or the period of the question."""
    wishes = it.intents - {Intent.NOW, Intent.DIRECTION}
    if it.indices and not it.securities:
        return Intent.MEMBERS not in it.intents or it.is_index_guessed
    return not wishes or (it.wants_bars and not it.has_period)


def topic_notices(it: Understood) -> list[Notice]:
    """Return a notice for each topic that no tool answers."""
    return [not_offered(topic) for topic in it.topics]


def not_offered(topic: Topic) -> Notice:
    """Return the notice for *topic*."""
    return Notice(NoticeKind.NOT_OFFERED, (topic.value,))


def not_understood(phrases: Sequence[str]) -> list[Notice]:
    """Return the notice for *phrases*, none without one."""
    return [Notice(NoticeKind.NOT_UNDERSTOOD, tuple(phrases))] if phrases else []
