"""Phrases about time, in Russian and English, and the days that they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import TypeAlias

from handlers.agents.questions.calendar_units import COUNT, UNIT, begin, end_of_month, go_back, read_count, read_unit
from handlers.agents.questions.dates import MONTH, YEAR, month_number


@dataclass(frozen=True, slots=True)
class Period:
    """Days from *first* to *last*, both included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Sessions:
    """The last trading days, whose dates only the exchange knows."""

    count: int


class Future:
    """A time that is later than now, whenever now is."""


Builder: TypeAlias = Callable[["re.Match[str]", date], Period | Sessions | Future]

SINCE = (
    r"(?:\b(?:с|со|начиная с|since|from|starting(?: from)?|по сравнению с|compared (?:to|with))"
    r"(?: тем,? (?:что|как) (?:это )?было| ценой| the)? )"
)
"""Pattern of words before the first day of a period that ends today."""
IN = r"(?:\b(?:за|в|во|на|от|in|for|during|over|of|on|within|as of|at)(?: the)? )?"
"""Pattern of words before a period."""
UNTIL = r" ?(?:[-–—]|\b(?:по|до|to|till|until|through)\b) ?(?:the )?"
"""Pattern of words between the first and the last day."""
_WEEKDAYS = (
    ("понедельник", "monday"), ("вторник", "tuesday"), ("сред", "wednesday"), ("четверг", "thursday"),
    ("пятниц", "friday"), ("суббот", "saturday"), ("воскресень", "sunday"),
)  # fmt: skip
_WEEKDAY = (
    r"\b(?P<weekday>(?:понедельник|вторник|четверг|пятниц|суббот|воскресень)[а-я]{0,2}|сред(?:а|у|ы|е|ой)|"
    rf"{'|'.join(english for _russian, english in _WEEKDAYS)})\b"
)
_OF_YEAR = rf"(?:(?:,| of)? (?:{YEAR}(?: ?год\w*| ?г\.)?|(?P<relative>прошл\w+|эт\w+|текущ\w+|last|this|previous) (?:год\w*|year)))?"
_ORDINALS = {"перв": 1, "втор": 2, "трет": 3, "четв": 4, "first": 1, "second": 2, "third": 3, "fourth": 4}
_ORDINAL = rf"(?P<ordinal>{'|'.join(_ORDINALS)})\w*"
_LAST = ("прошл", "предыдущ", "last", "previous")


def last_month(today: date) -> Period:
    """Return the month that ends today, the period of a question that names none."""
    return Period(go_back(today, 1, "month"), today)


@cache
def rules() -> Sequence[tuple[re.Pattern[str], Builder]]:
    """Return patterns and what they mean, the most specific first."""
    return tuple((re.compile(text), build) for text, build in _texts())


def _texts() -> Sequence[tuple[str, Builder]]:
    last = r"(?:последн\w+ |прошедш\w+ |прошл\w+ |last |past |previous )?"
    anything = _nameless(f"(?:{UNIT}|{_WEEKDAY}|{MONTH})")
    return (
        (rf"{IN}{last}\b{COUNT}(?:торгов\w+ (?:дн\w+|день|сесси\w+)|trading (?:days?|sessions?)|сесси[йи]|sessions?)\b(?! назад| ago)", _build_sessions),
        (r"\b(?:послезавтра|завтра\w*|tomorrow|в будущем|in (?:the )?future|на (?:неделю|месяц|год|квартал)(?: вперед)?)\b", _build_future),
        (rf"(?:{IN}(?:следующ\w+|будущ\w+|next)|\bчерез) {COUNT}{anything}", _build_future),
        (rf"\b(?:(?:с|со|since|from)(?: the)? (?:начала|начало|beginning of|start of)|сначала)(?: the)? (?:(?P<which>эт\w+|текущ\w+|this|current|прошл\w+|last|previous) )?(?:{UNIT}|(?:{MONTH})(?: {YEAR})?|(?P<bare>(?:19|20)\d\d)(?: год\w*)?)", _build_since_beginning),
        (r"\b(?P<unit>year|month|week|quarter)[ -]to[ -]date\b", _build_current),
        (r"\b(?P<unit>[ym])td\b", _build_current),
        (rf"(?P<since>{SINCE})?{IN}\b{COUNT}{UNIT} (?:тому )?(?:назад|ago)\b", _build_ago),
        (rf"{IN}\b(?:h(?P<half>[12])|{_ORDINAL} (?:полугоди\w*|half)){_OF_YEAR}", _build_half),
        (rf"{IN}\b(?:q(?P<quarter>[1-4])|(?P<digit>[1-4])(?:-?\w{{1,2}})? ?кв\w*\.?|{_ORDINAL} (?:квартал\w*|quarter)){_OF_YEAR}", _build_quarter),
        (rf"(?:{SINCE}|\bbetween ){_WEEKDAY}{UNTIL}{_second(_WEEKDAY)}", _build_weekdays),
        (rf"(?P<since>{SINCE})?{IN}(?:(?P<which>эт\w+|this|прошл\w+|предыдущ\w+|last|previous) )?{_WEEKDAY}", _build_weekday),
        (rf"(?:\b(?:с|со|from|за|in|for|over) )?{MONTH}(?: {YEAR})?{UNTIL}{_second(MONTH)}{_second(_OF_YEAR)}", _build_months),
        (rf"(?:\b(?:с|со|from|за|in|for|over) )?\b{YEAR}(?: год\w*)?{UNTIL}{_second(YEAR)}(?: ?год\w*| ?гг?\b)?", _build_years),
        (rf"(?P<since>{SINCE}){MONTH}{_OF_YEAR}", _build_month),
        (rf"\b(?:in|for|during|over|of)(?: the)? {MONTH}{_OF_YEAR}", _build_month),
        (rf"{IN}{MONTH},? {YEAR}", _build_month),
        (rf"{IN}\b(?=[а-я]){MONTH}{_OF_YEAR}", _build_month),
        (rf"{IN}\b(?:эт\w{{1,3}}|текущ\w+|this|current) {UNIT}", _build_current),
        (rf"(?P<since>{SINCE})?{IN}\b(?:прошл\w+|предыдущ\w+) {COUNT}{UNIT}", _build_previous),
        (rf"\b(?:за|последн\w+|прошедш\w+|на протяжении|в течение) (?:последн\w+ |прошедш\w+ )?(?!эт|прошл){COUNT}{UNIT}", _build_trailing),
        (rf"\b(?:past|trailing|recent) {COUNT}{UNIT}", _build_trailing),
        (rf"\b(?:for|over|in|during|within) (?:the )?(?:last |past )?{COUNT}{UNIT}", _build_trailing),
        (rf"(?P<since>{SINCE})?\b(?:last|previous) {COUNT}{UNIT}", _build_previous),
        (rf"(?:(?P<since>{SINCE})|{IN})(?<![\d.,:/-])\b{YEAR}(?: ?год\w*| ?г\b\.?)?(?![.,:/-]?\d)", _build_year),
        (r"\b(?:вчера\w*|yesterday(?:'s)?)(?!\w)", lambda match, today: _day(today - timedelta(days=1))),
        (r"\bпозавчера\w*", lambda match, today: _day(today - timedelta(days=2))),
    )  # fmt: skip


def _nameless(pattern: str) -> str:
    """Return *pattern* without names of groups."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


def _second(pattern: str) -> str:
    """Return *pattern* with other names of groups."""
    return re.sub(r"\(\?P<(\w+)>", r"(?P<\g<1>_2>", pattern)


def _day(day: date) -> Period:
    return Period(day, day)


def _build_sessions(match: re.Match[str], _today: date) -> Sessions:
    return Sessions(int(read_count(match["count"])))


def _build_future(_match: re.Match[str], _today: date) -> Future:
    return Future()


def _build_since_beginning(match: re.Match[str], today: date) -> Period:
    if match["bare"]:
        first = date(int(match["bare"]), 1, 1)
    elif match["month"]:
        first = _first_of_month(match["month"], match["year"], None, today)
    else:
        unit = read_unit(match["unit"])
        first = begin(today, unit)
        if (match["which"] or "").startswith(_LAST):
            first = begin(first - timedelta(days=1), unit)
    return Period(first, max(first, today))


def _build_current(match: re.Match[str], today: date) -> Period:
    """Return the week, month, quarter or year until today."""
    return Period(begin(today, read_unit(match["unit"])), today)


def _build_ago(match: re.Match[str], today: date) -> Period:
    """Return the day that is so long ago, or the days since then."""
    first = go_back(today, read_count(match["count"]), read_unit(match["unit"]))
    return Period(first, today if match["since"] else first)


def _build_previous(match: re.Match[str], today: date) -> Period:
    """Return the week, month, quarter or year before this one; with a number, those until today."""
    unit = read_unit(match["unit"])
    if match["count"]:
        return _build_trailing(match, today)
    last = begin(today, unit) - timedelta(days=1)
    return Period(begin(last, unit), today if match["since"] else last)


def _build_trailing(match: re.Match[str], today: date) -> Period:
    """Return a number of days, weeks, months or years until today."""
    return Period(go_back(today, read_count(match["count"]), read_unit(match["unit"])), today)


def _build_half(match: re.Match[str], today: date) -> Period:
    return _part_of_year(match, int(match["half"] or _ORDINALS[match["ordinal"]]), 6, today)


def _build_quarter(match: re.Match[str], today: date) -> Period:
    return _part_of_year(match, int(match["quarter"] or match["digit"] or _ORDINALS[match["ordinal"]]), 3, today)


def _part_of_year(match: re.Match[str], number: int, months: int, today: date) -> Period:
    """Return the part of that *number* of the named year, or the latest that has begun."""
    month = months * ((number - 1) % (12 // months)) + 1
    first = date(_year_of(match["year"], match["relative"], month, today), month, 1)
    return Period(first, end_of_month(first.replace(month=month + months - 1)))


def _build_weekdays(match: re.Match[str], today: date) -> Period:
    last = _latest_weekday(match["weekday_2"], today)
    return Period(_latest_weekday(match["weekday"], last), last)


def _build_weekday(match: re.Match[str], today: date) -> Period:
    """Return the latest such day; in Russian, the last one is that of the week before."""
    which = match["which"] or ""
    first = _latest_weekday(match["weekday"], today)
    if which.startswith(_LAST[:2]):
        first += timedelta(days=7 if first < begin(today, "week") else 0) - timedelta(days=7)
    elif which.startswith(_LAST) and first == today:
        first -= timedelta(days=7)
    return Period(first, today if match["since"] else first)


def _latest_weekday(name: str, last: date) -> date:
    number = next(number for number, names in enumerate(_WEEKDAYS) if name.startswith(names))
    return last - timedelta(days=(last.weekday() - number) % 7)


def _build_months(match: re.Match[str], today: date) -> Period:
    last = _first_of_month(match["month_2"], match["year_2"], match["relative_2"], today)
    month = month_number(match["month"])
    year = int(match["year"]) if match["year"] else last.year - (month > last.month)
    return Period(date(year, month, 1), end_of_month(last))


def _build_month(match: re.Match[str], today: date) -> Period:
    groups = match.groupdict()
    first = _first_of_month(match["month"], match["year"], groups.get("relative"), today)
    return Period(first, max(first, today) if groups.get("since") else end_of_month(first))


def _first_of_month(name: str, year: str | None, relative: str | None, today: date) -> date:
    """Return the first day of a month, without a year of the latest one that has begun."""
    month = month_number(name)
    return date(_year_of(year, relative, month, today), month, 1)


def _year_of(year: str | None, relative: str | None, month: int, today: date) -> int:
    if year:
        return int(year)
    if relative:
        return today.year - relative.startswith(_LAST)
    return today.year - (month > today.month)


def _build_years(match: re.Match[str], _today: date) -> Period:
    return Period(date(int(match["year"]), 1, 1), date(int(match["year_2"]), 12, 31))


def _build_year(match: re.Match[str], today: date) -> Period:
    first = date(int(match["year"]), 1, 1)
    return Period(first, max(today, first) if match["since"] else date(first.year, 12, 31))
