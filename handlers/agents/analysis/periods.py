"""Periods of time in questions, in Russian and English."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Literal, TypeAlias

from handlers.agents.analysis.dates import MONTH, YEAR, find_dates, month_number

Unit: TypeAlias = Literal["day", "week", "month", "quarter", "year"]

_DAY_LIMIT = 36500
_UNIT = (
    r"(?P<unit>дн\w+|день|сут\w+|недел\w*|месяц\w*|мес\b|квартал\w*|полугоди\w*|полгода|год\w*|лет|"
    r"days?|weeks?|months?|quarters?|years?)\b"
)
_NUMBERS = {
    **dict(zip(["один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять"], range(1, 11), strict=True)),
    **dict(zip(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], range(1, 11), strict=True)),
    "одну": 1, "две": 2, "пару": 2, "двух": 2, "трех": 3, "двенадцать": 12, "couple of": 2, "twelve": 12,
}  # fmt: skip
_COUNT = rf"(?:(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})[ -])?"
_ORDINALS = {"перв": 1, "втор": 2, "трет": 3, "четв": 4, "first": 1, "second": 2, "third": 3, "fourth": 4}
_QUARTER = (
    r"\b(?:q(?P<quarter>[1-4])|(?P<digit>[1-4])(?:-?\w{1,2})? ?кв\w*\.?|"
    rf"(?P<ordinal>{'|'.join(_ORDINALS)})\w* (?:квартал\w*|quarter(?: of)?))(?: {YEAR})?"
)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from *first* to *last*, both included."""

    first: date
    last: date


Builder: TypeAlias = Callable[["re.Match[str]", date], Period | None]


def find_period(text: str, today: date) -> Period | None:
    """Return the period that *text* names, up to *today* at most; None without one.

    A period that begins after today is returned as it is. A month or day without a year is the latest that has begun.
    """
    lowered = " ".join(text.lower().replace("ё", "е").split())
    for pattern, build in _rules():
        match = pattern.search(lowered)
        period = build(match, today) if match else None
        if period is not None:
            return _clip(period, today)
    return None


def last_month(today: date) -> Period:
    """Return the month that ends today, the period of a question that names none."""
    return Period(_back(today, 1, "month"), today)


def _clip(period: Period, today: date) -> Period:
    return Period(period.first, max(period.first, min(period.last, today)))


@cache
def _rules() -> Sequence[tuple[re.Pattern[str], Builder]]:
    """Return patterns and what they mean, the most specific first."""
    texts: tuple[tuple[str, Builder], ...] = (
        (r".+", _build_range),
        (
            r"\b(?:сначала|с начала|с начало|beginning of|start of) (?:эт\w+ |текущ\w+ |the |this )?" + _UNIT,
            _build_current,
        ),
        (r"\b(?P<unit>year|month|week|quarter)[ -]to[ -]date\b", _build_current),
        (r"\b(?P<unit>[ym])td\b", _build_current),
        (r"\b(?:эт\w{1,3}|текущ\w+|this|current) " + _UNIT, _build_current),
        (r"\b(?:прошл\w+|предыдущ\w+) " + _COUNT + _UNIT, _build_previous),
        (
            r"\b(?:за|последн\w+|прошедш\w+|на протяжении) (?:последн\w+ |прошедш\w+ )?(?!эт|прошл)" + _COUNT + _UNIT,
            _build_trailing,
        ),
        (r"\b(?:past|trailing|recent) " + _COUNT + _UNIT, _build_trailing),
        (r"\b(?:for|over|in|during|within) (?:the |a |an )?(?:last |past )?" + _COUNT + _UNIT, _build_trailing),
        (r"\b(?:last|previous) " + _COUNT + _UNIT, _build_previous),
        (_QUARTER, _build_quarter),
        (rf"\b(?:in|for|during|over|of|since) (?:{MONTH})(?: {YEAR})?", _build_month),
        (rf"\b(?:{MONTH}),? {YEAR}", _build_month),
        (rf"\b(?=[а-я])(?:{MONTH})", _build_month),
        (rf"\b(?:в|за|in|for|during|since|с) {YEAR}\b", _build_year),
        (rf"\b{YEAR} ?(?:год\w*|г\b)", _build_year),
        (r"\b(?:вчера\w*|yesterday\w*)", lambda match, today: _day(today - timedelta(days=1))),
        (r"\b(?:позавчера)\b", lambda match, today: _day(today - timedelta(days=2))),
        (r"\b(?:сегодня\w*|сейчас|today|now|right now|currently|за день)\b", lambda match, today: _day(today)),
    )
    return tuple((re.compile(text), build) for text, build in texts)


def _day(day: date) -> Period:
    return Period(day, day)


def _build_range(match: re.Match[str], today: date) -> Period | None:
    """Return the period of one or two dates in the whole text."""
    found = find_dates(match.group(), today)
    if not found:
        return None
    if len(found) > 1:
        first, last = found[0].day, found[1].day
        if last < first and not found[1].has_year:
            last = last.replace(year=last.year + 1, day=min(last.day, 28) if last.month == 2 else last.day)
        return Period(min(first, last), max(first, last))
    before = match.group()[: found[0].start].rstrip()
    is_open = re.search(r"\b(?:с|со|начиная с|после|since|from|after)$", before) is not None
    return Period(found[0].day, max(today, found[0].day)) if is_open else _day(found[0].day)


def _build_current(match: re.Match[str], today: date) -> Period:
    """Return the week, month, quarter or year until today."""
    return Period(_begin(today, _unit_of(match)), today)


def _build_previous(match: re.Match[str], today: date) -> Period:
    """Return the week, month, quarter or year before this one; with a number, those until today."""
    unit = _unit_of(match)
    if match["count"]:
        return _build_trailing(match, today)
    last = _begin(today, unit) - timedelta(days=1)
    return Period(_begin(last, unit), last)


def _build_trailing(match: re.Match[str], today: date) -> Period:
    """Return a number of days, weeks, months or years until today."""
    count = match["count"]
    number = 1 if count is None else _NUMBERS[count] if count in _NUMBERS else int(count)
    if match["unit"].startswith(("полг", "полуг")):
        return Period(_back(today, 6, "month"), today)
    return Period(_back(today, number, _unit_of(match)), today)


def _build_quarter(match: re.Match[str], today: date) -> Period:
    number = int(match["quarter"] or match["digit"] or _ORDINALS[match["ordinal"]])
    month = 3 * number - 2
    year = int(match["year"]) if match["year"] else today.year - (month > today.month)
    return Period(date(year, month, 1), _end_of_month(date(year, month + 2, 1)))


def _build_month(match: re.Match[str], today: date) -> Period:
    month = month_number(match["month"])
    named = match["year"] if "year" in match.re.groupindex else None
    year = int(named) if named else today.year - (month > today.month)
    first = date(year, month, 1)
    return Period(first, today if match.group().startswith("since ") else _end_of_month(first))


def _build_year(match: re.Match[str], today: date) -> Period:
    year = int(match["year"])
    is_open = match.group().startswith(("since ", "с "))
    return Period(date(year, 1, 1), max(today, date(year, 1, 1)) if is_open else date(year, 12, 31))


def _unit_of(match: re.Match[str]) -> Unit:
    """Return the unit that a word means."""
    beginnings: Sequence[tuple[Unit, tuple[str, ...]]] = (
        ("week", ("недел", "week")),
        ("quarter", ("квартал", "quarter")),
        ("month", ("мес", "month", "m")),
        ("year", ("год", "лет", "year", "y")),
    )
    return next((unit for unit, words in beginnings if match["unit"].startswith(words)), "day")


def _begin(day: date, unit: Unit) -> date:
    """Return the first day of the week, month, quarter or year of *day*."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "quarter":
        return day.replace(month=3 * ((day.month - 1) // 3) + 1, day=1)
    if unit == "month":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if unit == "year" else day


def _back(day: date, number: int, unit: Unit) -> date:
    """Return the day *number* units before *day*, at most a century ago."""
    if unit in ("day", "week"):
        return day - timedelta(days=min(number * (7 if unit == "week" else 1), _DAY_LIMIT))
    months = min(number * {"month": 1, "quarter": 3, "year": 12}.get(unit, 1), 1200)
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _end_of_month(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])
