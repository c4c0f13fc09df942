"""The exchange's clock: Moscow time, which ISS writes without an offset."""

from datetime import date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from generated.moex.errors import IssBadResponse
from handlers.moex.tables import Row, read_text

DELAY = timedelta(minutes=15)
"""The delay of the exchange's data without a subscription."""


@cache
def _moscow_zone() -> ZoneInfo:
    """Return the time zone: UTC+3; +4 from 2011 to 2014-10-26; summer time before."""
    return ZoneInfo("Europe/Moscow")


def read_moscow_time(row: Row, column: str) -> datetime:
    """Parse "YYYY-MM-DD HH:MM:SS" in *column* as Moscow time. Raises IssBadResponse."""
    try:
        return datetime.strptime(read_text(row, column), "%Y-%m-%d %H:%M:%S").replace(tzinfo=_moscow_zone())
    except ValueError as exc:
        raise IssBadResponse(f"The exchange's column {column} holds something that is no time.") from exc


def read_day(row: Row, column: str) -> date:
    """Parse "YYYY-MM-DD" in *column*. Raises IssBadResponse."""
    try:
        return date.fromisoformat(read_text(row, column))
    except ValueError as exc:
        raise IssBadResponse(f"The exchange's column {column} holds something that is no day.") from exc


def today(now: datetime) -> date:
    """Return the day in Moscow."""
    return now.astimezone(_moscow_zone()).date()


def is_over(day: date, now: datetime) -> bool:
    """Return whether all trades of *day* have been published, DELAY included."""
    return today(now - DELAY) > day
