"""The exchange's clock: Moscow time, which ISS writes without an offset."""

from datetime import date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from generated.moex.errors import IssBadResponse
from handlers.moex.tables import Row, text

DELAY = timedelta(minutes=15)
"""How much later the exchange tells of a trade to those who have no subscription."""


@cache
def moscow() -> ZoneInfo:
    """The time zone: UTC+3, but +4 from 2011 to 2014-10-26, and with summer time before."""
    return ZoneInfo("Europe/Moscow")


def moscow_time(row: Row, column: str) -> datetime:
    """Return the time in *column*, which the exchange writes as "YYYY-MM-DD HH:MM:SS", aware. Raises IssBadResponse."""
    try:
        return datetime.strptime(text(row, column), "%Y-%m-%d %H:%M:%S").replace(tzinfo=moscow())
    except ValueError as exc:
        raise IssBadResponse(f"The exchange's column {column} holds something that is no time.") from exc


def day(row: Row, column: str) -> date:
    """Return the day in *column*, which the exchange writes as "YYYY-MM-DD". Raises IssBadResponse."""
    try:
        return date.fromisoformat(text(row, column))
    except ValueError as exc:
        raise IssBadResponse(f"The exchange's column {column} holds something that is no day.") from exc


def is_over(day: date, now: datetime) -> bool:
    """Whether everything that was traded on *day* has been told."""
    return (now - DELAY).astimezone(moscow()).date() > day
