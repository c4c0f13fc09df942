"""Check that every number of a text stands in a tool's result."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from handlers.agents.analysis.dates import MONTH, YEAR, find_dates, month_number
from handlers.agents.analysis.numerals import Language

_SPACES = re.compile("[ \u00a0\u2009\u202f]")
_SIGN = r"(?P<sign>(?<![\w.,)%])[-+\u2212])?"
_SCALE = r"(?: ?(?P<scale>тыс|млн|миллион|млрд|миллиард|трлн|триллион|thousand|million|mln|billion|bn|trillion|[kmb](?![\w]))\w*\.?)?"
_PERCENT = r"(?P<percent> ?(?:%|процент|percent|per cent|п\.))?"
_NUMBERS = {
    "ru": re.compile(rf"{_SIGN}(?P<number>\d{{1,3}}(?: \d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?){_SCALE}{_PERCENT}"),
    "en": re.compile(rf"{_SIGN}(?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?){_SCALE}{_PERCENT}"),
}
_SCALES = (
    (3, ("тыс", "thousand", "k")),
    (6, ("млн", "миллион", "million", "mln", "m")),
    (9, ("млрд", "миллиард", "billion", "bn", "b")),
    (12, ("трлн", "триллион", "trillion")),
)
_CLOCK = re.compile(r"(?<!\d)(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::\d\d)?(?!\d)")
_MONTH_AND_YEAR = re.compile(rf"{MONTH},? {YEAR}")
_YEARS = (re.compile(rf"\b(?:in|since|of|year) {YEAR}(?![.,]?\d| ?%)"), re.compile(rf"{YEAR} ?(?:год\w*|г\.)"))


@dataclass(slots=True)
class _Evidence:
    """Everything that results say."""

    numbers: set[Decimal] = field(default_factory=set)
    percentages: set[Decimal] = field(default_factory=set)
    """Those of the numbers that are in percent, by the names of their fields."""
    days: set[date] = field(default_factory=set)
    minutes: set[tuple[int, int]] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Words with digits, such as the ticker X5."""


def find_unsupported(
    text: str,
    results: Iterable[Any],
    language: Language = "ru",
    *,
    names: Iterable[str] = (),
    percentages: Collection[str] = ("pct", "percent", "volatility"),
) -> tuple[str, ...]:
    """Return the numbers of *text* that stand in none of *results*, which are JSON values.

    A number stands in them if one of their numbers, rounded to as many decimals, is equal; a scale such as "млрд"
    counts. Without a sign of its own it is compared without signs, because "fell by 2 %" has none. A percentage stands
    in a field whose name has a part of *percentages*. A date, a month, a year or a time of day stands in a date.
    *names* are words whose digits are no numbers, such as tickers in the question; the texts of the results are such
    words, too. Numbers in words are not checked.
    """
    evidence = _Evidence(names=set(names))
    for result in results:
        _collect(result, percentages, "", evidence)
    plain = _SPACES.sub(" ", text).lower()
    for name in sorted(evidence.names, key=len, reverse=True):
        plain = re.sub(rf"(?<!\w){re.escape(name.lower())}(?!\w)", " _ ", plain)
    unsupported: list[str] = []
    plain = _check_dates(plain, evidence, unsupported)
    numbers = _NUMBERS[language].finditer(plain)
    unsupported.extend(match.group().strip() for match in numbers if not _is_supported(match, evidence))
    unsupported.extend(character for character in plain if unicodedata.category(character) in ("No", "Nl"))
    return tuple(unsupported)


def _collect(value: Any, percentages: Collection[str], name: str, evidence: _Evidence) -> None:
    """Add *value*, the member *name* of a result, to *evidence*."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            _collect(each, percentages, str(key), evidence)
    elif isinstance(value, str):
        _collect_text(value, evidence)
    elif isinstance(value, Sequence):
        for each in value:
            _collect(each, percentages, name, evidence)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = Decimal(str(value))
        evidence.numbers.add(number)
        if any(part in name for part in percentages):
            evidence.percentages.add(number)


def _collect_text(text: str, evidence: _Evidence) -> None:
    """Add a date, a time or a name."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        if any(character.isdigit() for character in text) and any(character.isalpha() for character in text):
            evidence.names.add(text)
        return
    evidence.days.add(moment.date())
    if len(text) > len("2026-12-31"):
        evidence.minutes.add((moment.hour, moment.minute))


def _check_dates(text: str, evidence: _Evidence, unsupported: list[str]) -> str:
    """Return *text* without its dates and times; add those without evidence to *unsupported*."""
    newest = max(evidence.days, default=date.max)
    for found in reversed(find_dates(text, newest)):
        is_known = any(
            found.day == day or (not found.has_year and (found.day.month, found.day.day) == (day.month, day.day))
            for day in evidence.days
        )
        if not is_known:
            unsupported.append(text[found.start : found.end])
        text = f"{text[: found.start]} _ {text[found.end :]}"
    for pattern, facts in _date_patterns(evidence):
        unsupported.extend(match.group() for match in pattern.finditer(text) if _read(match) not in facts)
        text = pattern.sub(" _ ", text)
    return text


def _date_patterns(evidence: _Evidence) -> Iterator[tuple[re.Pattern[str], set[tuple[int, ...]]]]:
    """Yield patterns of months, years and times with what the evidence has of each."""
    yield _MONTH_AND_YEAR, {(day.month, day.year) for day in evidence.days}
    for pattern in _YEARS:
        yield pattern, {(day.year,) for day in evidence.days}
    yield _CLOCK, {(hour, minute) for hour, minute in evidence.minutes}


def _read(match: re.Match[str]) -> tuple[int, ...]:
    """Return the numbers of a month, a year or a time."""
    groups = match.groupdict()
    return tuple(month_number(value) if name == "month" else int(value) for name, value in groups.items() if value)


def _is_supported(match: re.Match[str], evidence: _Evidence) -> bool:
    """Return whether a number of the evidence, rounded like *match*, is equal to it."""
    digits = match["number"].replace(" ", "")
    digits = digits.replace(",", ".") if match.re is _NUMBERS["ru"] else digits.replace(",", "")
    written = Decimal(digits)
    scale = next((power for power, words in _SCALES if match["scale"] in words), 0)
    decimals = len(digits.partition(".")[2])
    tolerance = Decimal(5).scaleb(scale - decimals - 1)
    value = written.scaleb(scale)
    signed = -value if match["sign"] in ("-", "\u2212") else value
    candidates = evidence.percentages if match["percent"] else evidence.numbers
    if match["sign"]:
        return any(abs(candidate - signed) <= tolerance for candidate in candidates)
    return any(abs(abs(candidate) - value) <= tolerance for candidate in candidates)
