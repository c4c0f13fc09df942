"""The period of a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from handlers.agents.questions.dates import FoundDate, find_dates, find_impossible
from handlers.agents.questions.notices import Notice, NoticeKind
from handlers.agents.questions.periods import IN, SINCE, UNTIL, Future, Period, Sessions, rules
from handlers.agents.questions.reading import TAKEN, Reading

_BETWEEN = re.compile(r"\b(?:между|between)(?: the)? $")
_AND = re.compile(r" ?(?:и|and)(?: the)? ")
_UNTIL = re.compile(UNTIL)
_PREFIX = re.compile(rf"{IN}$")
_SINCE = re.compile(rf"(?:{SINCE}|\b(?:после|after) )$")
_BEFORE = re.compile(r"\b(?:до|перед|к|по|before|until|till|by)(?: the)? $")
_YEAR_WORD = re.compile(r" ?(?:год\w*|г\b\.?)")
_MOST_SESSIONS = 250
"""Number of trading days that one question can count back, about a year."""
_TODAY = re.compile(
    r"(?: ?[-–—] ?| (?:по|до|to|till|until|through) )"
    r"(?:сегодня\w*(?: день| дня)?|сей день|настоящ\w+ (?:время|момент)|сих пор|today|now)\b"
)


@dataclass(frozen=True, slots=True)
class FoundPeriod:
    """A period, or the reason for none."""

    period: Period | None = None
    sessions: int | None = None
    """Number of the last trading days, in place of a period."""
    notices: tuple[Notice, ...] = ()


def read_period(reading: Reading, today: date) -> FoundPeriod:
    """Return the period that *reading* names, up to *today* at most; it then is understood.

    A month or day without a year is the latest that has begun.
    """
    if impossible := find_impossible(reading.rest):
        return FoundPeriod(notices=(Notice(NoticeKind.NO_SUCH_DAY, (impossible,)),))
    if found := find_dates(reading.rest, today):
        meant = _read_dates(reading, found, today)
        for each in found:
            if reading.rest[each.start] == TAKEN and (word := _YEAR_WORD.match(reading.rest, each.end)):
                reading.take(*word.span())
        return meant
    for pattern, build in rules():
        if match := reading.take_first(pattern):
            words = reading.text[match.start() : match.end()].strip()
            return _judge(build(match, today), words, today)
    return FoundPeriod()


def _judge(meant: Period | Sessions | Future, words: str, today: date) -> FoundPeriod:
    if isinstance(meant, Sessions):
        if 1 <= meant.count <= _MOST_SESSIONS:
            return FoundPeriod(sessions=meant.count)
        return FoundPeriod(notices=(Notice(NoticeKind.UNKNOWN_PERIOD, (words,)),))
    if isinstance(meant, Future) or meant.first > today:
        return FoundPeriod(notices=(Notice(NoticeKind.FUTURE, (words,)),))
    if meant.first > meant.last:
        return FoundPeriod(
            Period(meant.last, min(meant.first, today)), notices=(Notice(NoticeKind.REVERSED, (words,)),)
        )
    return FoundPeriod(Period(meant.first, min(meant.last, today)))


def _read_dates(reading: Reading, found: list[FoundDate], today: date) -> FoundPeriod:
    """Return the period of one date or two."""
    first, second = found[0], found[1] if len(found) > 1 else None
    before = reading.rest[: first.start]
    if second and (_UNTIL.fullmatch(reading.rest, first.end, second.start)):
        return _read_range(reading, _start_of(_PREFIX, before), _start_of(_SINCE, before), first, second, today)
    if second and (between := _BETWEEN.search(before)) and _AND.fullmatch(reading.rest, first.end, second.start):
        return _read_range(reading, between.start(), between.start(), first, second, today)
    if until_today := _TODAY.match(reading.rest, first.end):
        reading.take(_start_of(_SINCE, before), until_today.end())
        return _judge(Period(first.day, max(today, first.day)), reading.text[first.start : first.end], today)
    if limit := _BEFORE.search(before):
        return FoundPeriod(notices=(Notice(NoticeKind.UNKNOWN_PERIOD, (reading.text[limit.start() : first.end],)),))
    is_open = _SINCE.search(before) is not None
    start = _start_of(_SINCE if is_open else _PREFIX, before)
    reading.take(start, first.end)
    last = max(today, first.day) if is_open else first.day
    return _judge(Period(first.day, last), reading.text[first.start : first.end], today)


def _start_of(pattern: re.Pattern[str], before: str) -> int:
    match = pattern.search(before)
    return match.start() if match else len(before)


def _read_range(
    reading: Reading, start: int, other: int, first: FoundDate, second: FoundDate, today: date
) -> FoundPeriod:
    start = min(start, other)
    words = reading.text[start : second.end]
    reading.take(start, second.end)
    meant = _order(first, second)
    found = _judge(meant, words, today)
    if found.period and today < meant.last and meant.first <= meant.last:
        return FoundPeriod(found.period, notices=(Notice(NoticeKind.ENDS_TODAY),))
    return found


def _order(first: FoundDate, second: FoundDate) -> Period:
    """Return the period of two dates; one without a year is in the year that orders them."""
    start, end = first.day, second.day
    if second.has_year or (start <= end and not first.has_year):
        return Period(start, end)
    in_order = (start.month, start.day) <= (end.month, end.day)
    if first.has_year:
        return Period(start, _in_year(end, start.year if in_order else start.year + 1))
    if in_order:
        return Period(start, _in_year(end, start.year))
    return Period(start if start.month == end.month else _in_year(start, start.year - 1), end)


def _in_year(day: date, year: int) -> date:
    """Return *day* in another year; the last day of February if that has no 29th."""
    return day.replace(year=year, day=28) if (day.month, day.day) == (2, 29) else day.replace(year=year)
