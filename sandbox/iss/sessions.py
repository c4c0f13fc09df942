"""The trading days and hours of the exchange, in Moscow time without an offset."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone

MOSCOW = timezone(timedelta(hours=3), "MSK")
"""The exchange's clock; before 2014-10-26 it was an hour ahead, which ISS does not state."""
FIRST_DAY = date(2010, 1, 11)
"""The first day with data."""
HOLIDAYS = {(1, 1), (1, 2), (1, 7), (2, 23), (3, 8), (5, 1), (5, 9), (6, 12), (11, 4), (12, 31)}
"""Months and days without trading, on any day of the week."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Era:
    """The trading hours since a day: the first hour, and the one after the last."""

    since: date
    weekday: range
    weekend: range


ERAS = (
    Era(date(2025, 3, 1), range(7, 24), range(10, 19)),  # a morning session, and one at weekends
    Era(date(2020, 6, 22), range(10, 24), range(0)),  # an evening session
    Era(FIRST_DAY, range(10, 19), range(0)),
)
"""The newest first."""


def usual_hours(week_day: int) -> range:
    """Return the trading hours of a day of the week today; Monday is 0."""
    return ERAS[0].weekend if week_day > 4 else ERAS[0].weekday


def unusual_days(year: int) -> Iterator[date]:
    """Yield the days of *year* whose trading hours are not those of their day of the week."""
    day = date(year, 1, 1)
    while day.year == year:
        if trading_hours(day) != usual_hours(day.weekday()):
            yield day
        day += DAY


@functools.lru_cache(maxsize=20_000)
def trading_hours(day: date) -> range:
    """Return the trading hours of *day*; none on holidays, most weekends, and before FIRST_DAY."""
    if (day.month, day.day) in HOLIDAYS:
        return range(0)
    era = next((era for era in ERAS if era.since <= day), None)
    if era is None:
        return range(0)
    return era.weekend if is_weekend(day) else era.weekday


def count_started_hours(day: date, until: datetime) -> int:
    """Return the number of hours of *day* that started before *until*."""
    return (
        sum(datetime.combine(day, time(hour)) < until for hour in trading_hours(day))
        if day == until.date()
        else len(trading_hours(day))
    )


def is_weekend(day: date) -> bool:
    """Return whether *day* is a Saturday or a Sunday."""
    return day.weekday() > 4


def trading_days(first: date, last: date) -> Iterator[date]:
    """Yield the trading days from *first* to *last*, both included."""
    day = max(first, FIRST_DAY)
    while day <= last:
        if trading_hours(day):
            yield day
        day += DAY


def last_session(moment: datetime) -> date:
    """Return the day of the last session that started before *moment*, a Moscow time."""
    day = moment.date()
    while not trading_hours(day) or session_start(day) >= moment:
        day -= DAY
    return day


def session_start(day: date) -> datetime:
    """Return the start of trading on *day*."""
    return datetime.combine(day, time(trading_hours(day)[0]))


def session_end(day: date) -> datetime:
    """Return the latest time of a trade on *day*."""
    return datetime.combine(day, time(trading_hours(day)[-1], 59, 59))
