"""The boards of the stock market, and the days and hours on which it trades."""

import re

from generated.moex.errors import IssBadResponse
from generated.moex.iss.models import (
    ReadBoardsResultBoardsItem,
    ReadCalendarResult,
    ReadCalendarResultExceptionsItem,
    ReadCalendarResultWeekItem,
)
from handlers.moex.exchange import fetch_blocks
from handlers.moex.moscow import read_day
from handlers.moex.tables import Row, read_number, read_rows, read_text
from toolaccord.sources.http import Http

BOARDS = ("boardid", "title", "is_traded")
HOURS = ("is_work_day", "start_time", "stop_time")
TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]")


async def fetch_boards(iss: Http) -> list[ReadBoardsResultBoardsItem]:
    """Return the boards for shares, in the exchange's order.

    Raises IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    document = await fetch_blocks(iss, "engines/stock/markets/shares/boards.json", {"boards": BOARDS})
    return [
        ReadBoardsResultBoardsItem(
            board=read_text(row, "boardid"), title=read_text(row, "title"), is_traded=_read_flag(row, "is_traded")
        )
        for row in read_rows(document, "boards", BOARDS)
    ]


async def fetch_calendar(iss: Http, year: int) -> ReadCalendarResult:
    """Return the usual week, and the days of *year* that differ from it.

    Raises the errors of `fetch_boards`.
    """
    columns = {"timetable": ("week_day", *HOURS), "dailytable": ("date", *HOURS)}
    document = await fetch_blocks(iss, "engines/stock.json", columns)
    week = [
        ReadCalendarResultWeekItem.model_validate({"week_day": read_number(row, "week_day"), **_read_hours(row)})
        for row in read_rows(document, "timetable", columns["timetable"])
    ]
    days = ((read_day(row, "date"), row) for row in read_rows(document, "dailytable", columns["dailytable"]))
    exceptions = [
        ReadCalendarResultExceptionsItem.model_validate({"day": day, **_read_hours(row)})
        for day, row in sorted(days, key=lambda each: each[0])
        if day.year == year
    ]
    return ReadCalendarResult(year=year, week=sorted(week, key=lambda day: day.week_day), exceptions=exceptions)


def _read_hours(row: Row) -> Row:
    """Return the members of a day that tell when the market is open."""
    is_trading = _read_flag(row, "is_work_day")
    opens, closes = (_read_time(row, column) if is_trading else None for column in ("start_time", "stop_time"))
    return {"is_trading": is_trading, "opens": opens, "closes": closes}


def _read_flag(row: Row, column: str) -> bool:
    return read_number(row, column) == 1


def _read_time(row: Row, column: str) -> str:
    text = read_text(row, column)
    if not TIME.fullmatch(text):
        raise IssBadResponse(f"The exchange's column {column} holds something that is no time.")
    return text
