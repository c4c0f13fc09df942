"""Dates in texts, in Russian and English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest

_RUSSIAN = ("январ", "феврал", "март", "апрел", "ма", "июн", "июл", "август", "сентябр", "октябр", "ноябр", "декабр")
_ENGLISH = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

MONTH = (
    rf"(?P<month>\b(?:(?:{'|'.join(stem for stem in _RUSSIAN if stem != 'ма')})[а-я]{{0,3}}|ма[йяею]|"
    rf"{'|'.join(_ENGLISH)}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?)(?![\w]))"
)
"""Pattern of the name of a month, lower-case."""
YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_ANY_YEAR = r"(?P<year>\d{4})"
_DAY = r"(?<![\d.])(?P<day>\d{1,2})"
_LEAP_YEAR = 2024
_LEAP_YEARS_APART = 8
"""Longest time between two days of 29 February, around 1900 and 2100."""
_UNTIL = r"(?: ?[-–—] ?| по | до | и | to | and | through )"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?<![\d.-]){_ANY_YEAR}-(?P<month>\d{{2}})-(?P<day>\d{{2}})(?![\d-])",
        rf"{_DAY}\.(?P<month>\d{{1,2}})\.{_ANY_YEAR}(?!\d)",
        rf"{_DAY}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? {YEAR})?",
        rf"{MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? {YEAR})?",
        rf"{_DAY}(?={_UNTIL}\d{{1,2}} {MONTH}(?: {YEAR})?)",
        rf"{MONTH} \d{{1,2}}{_UNTIL}(?P<span>(?P<day>\d{{1,2}})(?!\d)(?:,? {YEAR})?)",
    )
)
"""Patterns of one date; `span` is the date where the match is more."""


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text."""

    start: int
    end: int
    day: date
    has_year: bool
    """False if the year is a guess: the latest in which that day is not in the future."""


def find_impossible(text: str) -> str | None:
    """Return the first date in *text*, which is lower-case, that no calendar has."""
    for form in _FORMS:
        for match in form.finditer(text):
            day, month, year = int(match["day"]), month_number(match["month"]), match["year"]
            if _make(int(year) if year else _LEAP_YEAR, month, day) is None:
                return match["span"] if "span" in form.groupindex else match.group()
    return None


def find_dates(text: str, today: date) -> list[FoundDate]:
    """Return the dates in *text*, which is lower-case, in their order.

    Days that no calendar has are left out.
    """
    found: list[FoundDate] = []
    for each in _find_forms(text, today):
        if not any(each.start < other.end and other.start < each.end for other in found):
            found.append(each)
    return list(_share_year(sorted(found, key=lambda each: each.start)))


def _share_year(found: list[FoundDate]) -> Iterator[FoundDate]:
    """Yield *found*; a date without a year takes that of the next date."""
    for each, following in zip_longest(found, found[1:]):
        if following is not None and following.has_year and not each.has_year:
            year = following.day.year - ((each.day.month, each.day.day) > (following.day.month, following.day.day))
            shared = _make(year, each.day.month, each.day.day)
            if shared is not None:
                yield FoundDate(each.start, each.end, shared, has_year=True)
                continue
        yield each


def _find_forms(text: str, today: date) -> Iterator[FoundDate]:
    for form in _FORMS:
        for match in form.finditer(text):
            day, month, year = int(match["day"]), month_number(match["month"]), match["year"]
            made = _make(int(year), month, day) if year else _guess_year(month, day, today)
            if made is not None:
                start, end = match.span("span" if "span" in form.groupindex else 0)
                yield FoundDate(start, end, made, has_year=year is not None)


def month_number(name: str) -> int:
    """Return the number of a month from its name or its digits."""
    if name.isdecimal():
        return int(name)
    months = _RUSSIAN if name[0] > "z" else tuple(english[:3] for english in _ENGLISH)
    # "март" and "май" begin alike, so the longer beginning decides.
    fitting = [(len(start), number) for number, start in enumerate(months, 1) if name.startswith(start)]
    return max(fitting)[1]


def _guess_year(month: int, day: int, today: date) -> date | None:
    """Return the latest such day that is not in the future."""
    latest = today.year - ((month, day) > (today.month, today.day))
    made = (_make(year, month, day) for year in range(latest, latest - _LEAP_YEARS_APART - 1, -1))
    return next(filter(None, made), None)


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
