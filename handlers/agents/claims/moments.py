"""Dates and times in texts, which must stand in results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from handlers.agents.claims.facts import Facts
from handlers.agents.questions.dates import MONTH, YEAR, find_dates, month_number

_CLOCK = re.compile(r"(?<!\d)(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::\d\d)?(?!\d)")
_MONTH_AND_YEAR = re.compile(rf"{MONTH},? {YEAR}")
_YEARS = (re.compile(rf"\b(?:in|since|of|year) {YEAR}(?![.,]?\d| ?%)"), re.compile(rf"{YEAR} ?(?:год\w*|г\.)"))


@dataclass(frozen=True, slots=True)
class Moments:
    """Dates and times of a text."""

    masked: str
    """The text with "_" in their places."""
    days: tuple[tuple[int, date], ...]
    """The known days, each with its place."""
    unknown: tuple[str, ...]
    """Those that stand in no result."""


def find_moments(text: str, facts: Facts) -> Moments:
    """Return the dates and times of *text*, which is in lower case."""
    unknown: list[str] = []
    days: list[tuple[int, date]] = []
    for found in reversed(find_dates(text, max(facts.days, default=date.max))):
        known = [day for day in facts.days if _is_same(found.day, day, has_year=found.has_year)]
        days.extend((found.start, day) for day in known)
        if not known:
            unknown.append(text[found.start : found.end])
        text = _mask(text, found.start, found.end)
    for pattern, known_moments in _patterns(facts):
        for match in pattern.finditer(text):
            if _read(match) not in known_moments:
                unknown.append(match.group())
            text = _mask(text, *match.span())
    return Moments(text, tuple(sorted(days)), tuple(unknown))


def _is_same(found: date, day: date, *, has_year: bool) -> bool:
    return found == day or (not has_year and (found.month, found.day) == (day.month, day.day))


def _mask(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{'_' * (end - start)}{text[end:]}"


def _patterns(facts: Facts) -> Iterator[tuple[re.Pattern[str], set[tuple[int, ...]]]]:
    """Yield patterns of months, years and times with what the facts have of each."""
    yield _MONTH_AND_YEAR, {(day.month, day.year) for day in facts.days}
    for pattern in _YEARS:
        yield pattern, {(day.year,) for day in facts.days}
    yield _CLOCK, {(hour, minute) for hour, minute in facts.minutes}


def _read(match: re.Match[str]) -> tuple[int, ...]:
    """Return the numbers of a month, a year or a time."""
    groups = match.groupdict()
    return tuple(month_number(value) if name == "month" else int(value) for name, value in groups.items() if value)
