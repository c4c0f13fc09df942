"""Units of time in Russian and English, and steps in the calendar."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["day", "week", "month", "quarter", "half", "year"]

UNIT = (
    r"(?P<unit>дн\w+|день|сут\w+|недел\w*|месяц\w*|мес\b|квартал\w*|полугоди\w*|полгода|год\w*|лет\b|"
    r"days?|weeks?|months?|quarters?|half a year|years?)\b"
)
"""Pattern of a unit, lower-case."""
_RUSSIAN_NUMBERS = (
    "один|одну|одного", "два|две|двух|пару", "три|трех", "четыре|четырех", "пять|пяти", "шесть|шести", "семь|семи",
    "восемь|восьми", "девять|девяти", "десять|десяти", "одиннадцать", "двенадцать", "тринадцать", "четырнадцать",
    "пятнадцать", "шестнадцать", "семнадцать", "восемнадцать", "девятнадцать", "двадцать",
)  # fmt: skip
_ENGLISH_NUMBERS = (
    "one|a|an", "two|couple of|a couple of", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_NUMBERS = {
    word: number
    for names in (_RUSSIAN_NUMBERS, _ENGLISH_NUMBERS)
    for number, words in enumerate(names, 1)
    for word in words.split("|")
} | {"тридцать": 30, "thirty": 30, "сто": 100, "hundred": 100, "полтора": 1.5, "полторы": 1.5}
COUNT = rf"(?:(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})(?:-\w{{1,2}})?[ -])?"
"""Pattern of a number before a unit, in digits or words, or of none."""
_BEGINNINGS: tuple[tuple[Unit, tuple[str, ...]], ...] = (
    ("half", ("полуг", "полгода", "half")),
    ("week", ("недел", "week")),
    ("quarter", ("квартал", "quarter")),
    ("month", ("мес", "month", "m")),
    ("year", ("год", "лет", "year", "y")),
)
_MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12}
_DAY_LIMIT, _MONTH_LIMIT = 36500, 1200


def read_unit(word: str) -> Unit:
    """Return the unit that a match of UNIT means."""
    return next((unit for unit, words in _BEGINNINGS if word.startswith(words)), "day")


def read_count(count: str | None) -> float:
    """Return the number that a match of COUNT means; 1 for none."""
    return 1 if count is None else _NUMBERS[count] if count in _NUMBERS else int(count)


def begin(day: date, unit: Unit) -> date:
    """Return the first day of the week, month, quarter, half or year of *day*."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit in _MONTHS:
        length = _MONTHS[unit]
        return day.replace(month=length * ((day.month - 1) // length) + 1, day=1)
    return day


def go_back(day: date, number: float, unit: Unit) -> date:
    """Return the day *number* units before *day*, at most a century ago."""
    if unit in ("day", "week"):
        return day - timedelta(days=min(int(number * (7 if unit == "week" else 1)), _DAY_LIMIT))
    months = min(int(number * _MONTHS[unit]), _MONTH_LIMIT)
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def end_of_month(day: date) -> date:
    """Return the last day of the month of *day*."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])
