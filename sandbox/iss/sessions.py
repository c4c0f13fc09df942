"""When the exchange trades: days and hours of Moscow, whose times ISS writes without an offset."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone

MOSCOW = timezone(timedelta(hours=3), "MSK")
"""The exchange's clock of today; before 2014-10-26 it was an hour ahead, and ISS does not say so."""
FIRST_DAY = date(2010, 1, 11)
"""The first day of which the stand-in knows anything."""
HOLIDAYS = {(1, 1), (1, 2), (1, 7), (2, 23), (3, 8), (5, 1), (5, 9), (6, 12), (11, 4), (12, 31)}
"""Months and days without trading, whatever day of the week they are."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Era:
    """The hours of trading since a day: the first hour, and the one after the last."""

    since: date
    weekday: range
    weekend: range


ERAS = (
    Era(date(2025, 3, 1), range(7, 24), range(10, 19)),  # a morning session, and one at weekends
    Era(date(2020, 6, 22), range(10, 24), range(0)),  # an evening session
    Era(FIRST_DAY, range(10, 19), range(0)),
)
"""The newest first."""


@functools.lru_cache(maxsize=20_000)
def hours(day: date) -> range:
    """The hours in which *day* trades; none on a holiday, before the first day, and on most weekends."""
    if (day.month, day.day) in HOLIDAYS:
        return range(0)
    era = next((era for era in ERAS if era.since <= day), None)
    if era is None:
        return range(0)
    return era.weekend if is_weekend(day) else era.weekday


def begun(day: date, until: datetime) -> int:
    """How many hours of *day* had begun at *until*."""
    return (
        sum(datetime.combine(day, time(hour)) < until for hour in hours(day))
        if day == until.date()
        else len(hours(day))
    )


def is_weekend(day: date) -> bool:
    """Whether *day* is a Saturday or a Sunday."""
    return day.weekday() > 4


def days(first: date, last: date) -> Iterator[date]:
    """The days of trading from *first* to *last*, both included."""
    day = max(first, FIRST_DAY)
    while day <= last:
        if hours(day):
            yield day
        day += DAY


def session(moment: datetime) -> date:
    """The day of the last session that had begun at *moment* (Moscow, without an offset)."""
    day = moment.date()
    while not hours(day) or begin(day) >= moment:
        day -= DAY
    return day


def begin(day: date) -> datetime:
    """When trading begins on *day*."""
    return datetime.combine(day, time(hours(day)[0]))


def end(day: date) -> datetime:
    """When the last trade of *day* was, at the latest."""
    return datetime.combine(day, time(hours(day)[-1], 59, 59))
